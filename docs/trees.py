"""Writes the example trees of ``extraction.md``: ``python -m docs.trees``. A test checks that they are current."""

import sys
from pathlib import Path

from wiki.extraction.outline import outline, prepare
from wiki.extraction.words import count_words
from wiki.models.bundled import BundledEmbedder
from wiki.parsing.parser import parse_file
from wiki.settings import ExtractionSettings

PAGE = Path(__file__).resolve().parent / "extraction.md"
EXAMPLES = PAGE.parent.parent / "examples"
SHOWN = (
    "cellar-pump-manual.pdf",
    "workshop-lease.docx",
    "sourdough-guide.html",
    "budget-2026.xlsx",
    "site-meeting.vtt",
)
BEGIN, END = "<!-- trees: written by `make docs` -->\n", "<!-- end of trees -->"


def page() -> str:
    """``extraction.md`` with the trees as the outline makes them now."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{trees()}\n{END}{after}"


def trees() -> str:
    """Each example as a list of its topics: place, name, words, summary."""
    embedder, settings = BundledEmbedder(), ExtractionSettings()
    return "\n".join(_tree(EXAMPLES / name, embedder, settings) for name in SHOWN)


def _tree(path: Path, embedder: BundledEmbedder, settings: ExtractionSettings) -> str:
    parsed = parse_file(path, path.name)
    title = parsed.title or path.stem
    prepared = prepare(parsed, settings)
    tree = outline(prepared, title=title, embedder=embedder, categories=(), settings=settings)
    lines = [
        f"**`examples/{path.name}`**, {count_words(parsed.markdown):,} words: {title}",
        "",
        f"Labels: {', '.join(tree.labels)}",
        "",
    ]
    for place, topic in zip(tree.positions(), tree.topics, strict=True):
        words = count_words("".join(block.text for block in prepared.blocks[topic.start : topic.end]))
        summary = f": {topic.summary}" if topic.summary else ""
        lines.append(f"{'  ' * (topic.depth - 1)}- {place} **{topic.name}** ({words} words){summary}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"wrote docs/{PAGE.name}\n")
