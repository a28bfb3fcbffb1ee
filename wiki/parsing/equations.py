"""Office equations (OMML) -> LaTeX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wiki.parsing.xml_tree import attribute, child, children, name, words

_NARY = {"∑": r"\sum", "∏": r"\prod", "∐": r"\coprod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint",
         "⋃": r"\bigcup", "⋂": r"\bigcap", "⋁": r"\bigvee", "⋀": r"\bigwedge"}  # fmt: skip
_ACCENTS = {"\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar", "\u0305": r"\overline", "\u0307": r"\dot",
            "\u0308": r"\ddot", "\u20d7": r"\vec", "\u030c": r"\check", "\u0306": r"\breve"}  # fmt: skip
_BRACES = {"{": r"\{", "}": r"\}", "⌈": r"\lceil ", "⌉": r"\rceil ", "⌊": r"\lfloor ", "⌋": r"\rfloor ",
           "⟨": r"\langle ", "⟩": r"\rangle ", "‖": r"\|", "": "."}  # fmt: skip


def latex(element: Any) -> str:
    """An ``m:oMath`` or any part of one as LaTeX; what is not known is written as its text."""
    return "".join(_one(part) for part in children(element))


def _one(part: Any) -> str:
    kind = name(part)
    if kind in ("m:t", "w:t"):
        return words(part)
    if kind.endswith("Pr"):
        return ""
    write = _WRITERS.get(kind)
    return write(part) if write else latex(part)


def _part(element: Any, wanted: str) -> str:
    found = child(element, wanted)
    return latex(found).strip() if found is not None else ""


def _property(element: Any, wanted: str, default: str) -> str:
    """A property's value; a property that is there without a value means an empty one."""
    properties = child(element, name(element) + "Pr")
    found = child(properties, wanted) if properties is not None else None
    return default if found is None else attribute(found, "m:val", "")


def _fraction(element: Any) -> str:
    top, bottom = _part(element, "m:num"), _part(element, "m:den")
    if _property(element, "m:type", "bar") == "lin":
        return f"{top}/{bottom}"
    return f"\\frac{{{top}}}{{{bottom}}}"


def _radical(element: Any) -> str:
    degree = _part(element, "m:deg")
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'm:e')}}}"


def _scripts(element: Any) -> str:
    below, above = _part(element, "m:sub"), _part(element, "m:sup")
    marks = (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
    base = _part(element, "m:e")
    return f"{{}}{marks}{base}" if name(element) == "m:sPre" else f"{base}{marks}"


def _nary(element: Any) -> str:
    sign = _property(element, "m:chr", "∫")
    below, above = _part(element, "m:sub"), _part(element, "m:sup")
    limits = (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
    return f"{_NARY.get(sign, sign)}{limits}{{{_part(element, 'm:e')}}}"


def _delimited(element: Any) -> str:
    left, right = _property(element, "m:begChr", "("), _property(element, "m:endChr", ")")
    middle = _property(element, "m:sepChr", "|")
    inner = middle.join(latex(part).strip() for part in children(element, "m:e"))
    return f"\\left{_BRACES.get(left, left)}{inner}\\right{_BRACES.get(right, right)}"


def _function(element: Any) -> str:
    called = _part(element, "m:fName")
    known = {"sin", "cos", "tan", "log", "ln", "exp", "lim", "max", "min", "cot", "sec", "csc", "sinh", "cosh", "tanh"}
    return f"{chr(92) + called if called in known else called} {_part(element, 'm:e')}"


def _matrix(element: Any) -> str:
    rows = [" & ".join(latex(cell).strip() for cell in children(row, "m:e")) for row in children(element, "m:mr")]
    return r"\begin{matrix}" + r" \\ ".join(rows) + r"\end{matrix}"


def _lines(element: Any) -> str:
    lines = [latex(line).strip() for line in children(element, "m:e")]
    return r"\begin{aligned}" + r" \\ ".join(lines) + r"\end{aligned}"


def _accent(element: Any) -> str:
    sign = _property(element, "m:chr", "\u0302")
    return f"{_ACCENTS.get(sign, chr(92) + 'hat')}{{{_part(element, 'm:e')}}}"


def _bar(element: Any) -> str:
    over = _property(element, "m:pos", "bot") == "top"
    return f"\\{'overline' if over else 'underline'}{{{_part(element, 'm:e')}}}"


def _limit(element: Any) -> str:
    mark = "_" if name(element) == "m:limLow" else "^"
    return f"{_part(element, 'm:e')}{mark}{{{_part(element, 'm:lim')}}}"


_WRITERS: dict[str, Callable[[Any], str]] = {
    "m:f": _fraction,
    "m:rad": _radical,
    "m:sSup": _scripts,
    "m:sSub": _scripts,
    "m:sSubSup": _scripts,
    "m:sPre": _scripts,
    "m:nary": _nary,
    "m:d": _delimited,
    "m:func": _function,
    "m:m": _matrix,
    "m:eqArr": _lines,
    "m:acc": _accent,
    "m:bar": _bar,
    "m:limLow": _limit,
    "m:limUpp": _limit,
}
