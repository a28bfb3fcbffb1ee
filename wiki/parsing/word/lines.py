"""The content of one Word paragraph: its runs, and what hangs on it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from wiki.parsing.equations import latex
from wiki.parsing.inline import Run
from wiki.parsing.ooxml import Package, alternative
from wiki.parsing.word.fields import Field, link_of
from wiki.parsing.word.symbols import symbol, without_private
from wiki.parsing.xml_tree import attribute, child, children, name, words

_THROUGH = frozenset({"w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:dir", "w:bdo", "w:sdtContent"})
_OFF = ("0", "false", "off", "none")
_DRAWN = frozenset({"w:drawing", "w:pict", "w:object"})


@dataclass(frozen=True)
class Reference:
    """A mark in the text: ``kind`` is Footnote, Endnote or Comment."""

    kind: str
    identity: str
    label: str


@dataclass
class Line:
    """A paragraph read. ``drawn`` are drawings, whose text stands beside the paragraph's own."""

    runs: list[Run] = field(default_factory=list[Run])
    drawn: list[Any] = field(default_factory=list[Any])
    references: list[Reference] = field(default_factory=list[Reference])
    counts_pages: bool = False


class LineReader:
    """Reads paragraphs of one part in order; a field may reach over several of them."""

    def __init__(self, package: Package, part: str) -> None:
        self._relations = package.relations(part)
        self._fields: list[Field] = []
        self._counts = {"Footnote": 0, "Endnote": 0}

    def read(self, paragraph: Any) -> Line:
        line = Line()
        self._walk(paragraph, Run(""), line)
        return line

    def _walk(self, element: Any, style: Run, line: Line) -> None:
        for node in element:
            self._node(node, style, line)

    def _node(self, node: Any, style: Run, line: Line) -> None:
        kind = name(node)
        if kind == "w:r":
            self._run(node, style, line)
        elif kind == "w:hyperlink":
            self._walk(node, replace(style, link=self._target(node) or style.link), line)
        elif kind in _THROUGH:
            self._walk(node, style, line)
        elif kind == "w:sdt":
            inner = child(node, "w:sdtContent")
            if inner is not None:
                self._walk(inner, style, line)
        elif kind == "w:fldSimple":
            one = Field(instruction=attribute(node, "w:instr"), showing=True)
            line.counts_pages = line.counts_pages or one.counts_pages
            self._walk(node, replace(style, link=link_of(one.instruction) or style.link), line)
        elif kind == "m:oMath":
            line.runs.append(Run(latex(node), math=True))
        elif kind == "m:oMathPara":
            self._walk(node, style, line)
        elif kind == "mc:AlternateContent":
            for inner in alternative(node):
                self._node(inner, style, line)
        elif kind in _DRAWN:
            line.drawn.append(node)
        elif kind == "w:p":
            self._walk(node, style, line)

    def _target(self, node: Any) -> str | None:
        relation = self._relations.get(attribute(node, "r:id"))
        return relation.target if relation is not None and relation.external else None

    def _run(self, node: Any, style: Run, line: Line) -> None:
        properties = child(node, "w:rPr")
        font = ""
        hidden = False
        if properties is not None:
            hidden = _on(properties, "w:vanish") and not _on(properties, "w:specVanish")
            style = replace(
                style,
                bold=style.bold or _on(properties, "w:b"),
                italic=style.italic or _on(properties, "w:i"),
                strike=style.strike or _on(properties, "w:strike") or _on(properties, "w:dstrike"),
            )
            fonts = child(properties, "w:rFonts")
            font = attribute(fonts, "w:ascii") if fonts is not None else ""
        for part in node:
            self._part(part, style, font, hidden, line)

    def _part(self, part: Any, style: Run, font: str, hidden: bool, line: Line) -> None:
        kind = name(part)
        if kind == "w:fldChar":
            self._field(part, style, line)
        elif kind == "w:instrText":
            if self._fields and not self._fields[-1].showing:
                self._fields[-1].instruction += words(part)
        elif kind in _DRAWN:
            line.drawn.append(part)
        elif kind == "mc:AlternateContent":
            for inner in alternative(part):
                self._part(inner, style, font, hidden, line)
        elif kind in ("w:footnoteReference", "w:endnoteReference"):
            self._note(part, "Footnote" if kind == "w:footnoteReference" else "Endnote", line)
        elif kind == "w:commentReference":
            line.references.append(Reference("Comment", attribute(part, "w:id"), ""))
        elif kind == "w:ruby":
            self._ruby(part, style, line)
        elif not hidden:
            self._say(_text(part, kind, font), style, line)

    def _say(self, text: str, style: Run, line: Line) -> None:
        if text and all(one.showing for one in self._fields):
            link = next((one.link for one in reversed(self._fields) if one.link), None)
            line.runs.append(replace(style, text=text, link=style.link or link))

    def _field(self, part: Any, style: Run, line: Line) -> None:
        kind = attribute(part, "w:fldCharType")
        if kind == "begin":
            self._fields.append(Field(form=child(part, "w:ffData")))
        elif kind == "separate" and self._fields:
            self._fields[-1].showing = True
            line.counts_pages = line.counts_pages or self._fields[-1].counts_pages
        elif kind == "end" and self._fields:
            ended = self._fields.pop()
            if not ended.showing:
                self._say(ended.own_words(), style, line)

    def _note(self, part: Any, kind: str, line: Line) -> None:
        self._counts[kind] += 1
        label = str(self._counts[kind])
        line.references.append(Reference(kind, attribute(part, "w:id"), label))

    def _ruby(self, part: Any, style: Run, line: Line) -> None:
        base, above = child(part, "w:rubyBase"), child(part, "w:rt")
        if base is not None:
            self._walk(base, style, line)
        reading = Line()
        if above is not None:
            self._walk(above, style, reading)
        said = "".join(run.text for run in reading.runs)
        if said:
            line.runs.append(replace(style, text=f"({said})"))


def _text(part: Any, kind: str, font: str) -> str:
    if kind == "w:t":
        return without_private(words(part), font)
    if kind in ("w:tab", "w:ptab"):
        return " "
    if kind in ("w:br", "w:cr"):
        return "\n"
    if kind == "w:noBreakHyphen":
        return "-"
    if kind == "w:sym":
        code = attribute(part, "w:char", "0")
        return symbol(int(code, 16), attribute(part, "w:font"))
    return ""


def _on(properties: Any, wanted: str) -> bool:
    found = child(properties, wanted)
    return found is not None and attribute(found, "w:val", "1").lower() not in _OFF


def removed(paragraph: Any) -> bool:
    """Whether a tracked change takes the paragraph's end away, so that the next one goes on in it."""
    return any(
        next(children(properties, "w:del", "w:moveFrom"), None) is not None
        for properties in [child(paragraph, "w:pPr", "w:rPr")]
        if properties is not None
    )
