"""Rows of cells -> Markdown tables."""

from collections.abc import Sequence

ROWS_PER_TABLE = 50


def cell_text(value: str, *, escaped: bool = False) -> str:
    """One cell's text on one line: line breaks become ``<br>``, pipes are escaped, ends trimmed.

    ``escaped`` text may hold ``\\|`` already.
    """
    lines = [" ".join(line.split()) for line in value.strip().splitlines()]
    line = "<br>".join(line for line in lines if line)
    return line.replace("\\|", "|").replace("|", "\\|") if escaped else line.replace("|", "\\|")


def render_tables(
    rows: Sequence[Sequence[str]], *, rows_per_table: int = ROWS_PER_TABLE, escaped: bool = False
) -> list[str]:
    """Markdown tables for ``rows``, whose first row is the header; one text a table, each ending in a blank line.

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
