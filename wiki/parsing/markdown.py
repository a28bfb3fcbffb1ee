"""Markdown text -> blocks that partition it exactly."""

from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from wiki.parsing.blocks import Block, BlockKind

_KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "blockquote_open": "quote",
    "html_block": "html",
    "hr": "rule",
}


def split_blocks(markdown: str) -> tuple[Block, ...]:
    """The top-level blocks of a CommonMark text (with tables), in order.

    ``"".join(block.text for block in split_blocks(text)) == text`` for every text.
    Blank lines belong to the block before them, those at the top to the first block;
    a text of blank lines only is one ``blank`` block, an empty text gives none.
    Only headings of the document itself are headings: not those in lists, quotes,
    code or HTML. Takes time linear in the length of the text.
    """
    if not markdown:
        return ()
    lines = _lines(markdown)
    env: dict[str, Any] = {}
    spans = _spans(_block_parser().parse(markdown.replace("\r", " "), env), len(lines))
    starts: list[tuple[int, BlockKind, Token | None, str]] = []
    reached = 0
    for start, end, kind, token, content in spans:
        gap = next((number for number in range(reached, start) if lines[number].strip()), None)
        if gap is not None:
            starts.append((gap, "paragraph", None, ""))
        starts.append((start, kind, token, content))
        reached = end
    gap = next((number for number in range(reached, len(lines)) if lines[number].strip()), None)
    if gap is not None:
        starts.append((gap, "paragraph", None, ""))
    if not starts:
        return (Block(markdown, "blank"),)
    blocks: list[Block] = []
    for index, (start, kind, token, content) in enumerate(starts):
        first = 0 if index == 0 else start
        last = starts[index + 1][0] if index + 1 < len(starts) else len(lines)
        text = "".join(lines[first:last])
        if kind == "heading" and token is not None:
            blocks.append(Block(text, kind, level=int(token.tag[1]), heading=plain_text(content, env)))
        else:
            blocks.append(Block(text, kind))
    return tuple(blocks)


def plain_text(inline: str, references: dict[str, Any] | None = None) -> str:
    """The words a reader sees in one line of inline Markdown, white space collapsed."""
    words: list[str] = []
    for token in _inline_parser().parseInline(inline, references if references is not None else {}):
        _collect(token, words)
    return " ".join("".join(words).split())


def _collect(token: Token, words: list[str]) -> None:
    if token.children is not None:
        for child in token.children:
            _collect(child, words)
    elif token.type in ("text", "code_inline", "text_special"):
        words.append(token.content)
    elif token.type in ("softbreak", "hardbreak"):
        words.append(" ")


def _spans(tokens: list[Token], count: int) -> list[tuple[int, int, BlockKind, Token, str]]:
    spans: list[tuple[int, int, BlockKind, Token, str]] = []
    for index, token in enumerate(tokens):
        if token.level or token.nesting < 0 or token.map is None or token.type not in _KINDS:
            continue
        content = tokens[index + 1].content if token.type == "heading_open" else ""
        spans.append((token.map[0], min(token.map[1], count), _KINDS[token.type], token, content))
    return spans


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


@cache
def _block_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("strikethrough")
