"""Rows of cells -> Markdown tables."""

from collections.abc import Sequence

from wiki.parsing.cell_markdown import cell_markdown, escape_pipes

ROWS_PER_TABLE = 50


def cell_text(value: str, *, escaped: bool = False) -> str:
    """One cell on one line, as Markdown that is read as the very text: line breaks become ``<br>``, white space
    is collapsed.

    ``escaped`` text is inline Markdown already; only its pipes are escaped where they are not.
    """
    if value.isprintable():
        text = " ".join(value.split())
    else:
        text = "\n".join(filter(None, (" ".join(line.split()) for line in value.splitlines())))
    text = escape_pipes(text) if escaped else cell_markdown(text)
    return text.replace("\n", "<br>")


def render_tables(
    rows: Sequence[Sequence[str]], *, rows_per_table: int = ROWS_PER_TABLE, escaped: bool = False
) -> list[str]:
    """Markdown tables for ``rows``, whose first row is the header; one text a table, each ending in a blank line.

    Cells are bare text, or inline Markdown when ``escaped``.

    Ragged rows are padded. A long table becomes several, each with the header row again, so that
    every row keeps its column names wherever the document is cut.
    """
    width = max((len(row) for row in rows), default=0)
    if not width:
        return []
    head = _line(rows[0], width, escaped) + "|" + " --- |" * width + "\n"
    body = rows[1:]
    tables: list[str] = []
    for start in range(0, max(len(body), 1), rows_per_table):
        lines = [_line(row, width, escaped) for row in body[start : start + rows_per_table]]
        tables.append(head + "".join(lines) + "\n")
    return tables


def _line(row: Sequence[str], width: int, escaped: bool) -> str:
    cells = [cell_text(value, escaped=escaped) for value in row] + [""] * (width - len(row))
    return "| " + " | ".join(cells) + " |\n"
