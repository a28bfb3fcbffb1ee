"""Tables without lines: rows by baseline, columns by the white gaps all rows share."""

from collections.abc import Sequence

from wiki.parsing.pdf.geometry import Box, Line, union


def grid(words: Sequence[Line], *, least_gap: float | None = None) -> list[list[str]]:
    """Rows of cell texts for the words of one table region.

    A column border is a vertical gap that nearly every row leaves free, wider than a word space.
    A text that spans columns stays in the first of them.
    """
    rows = baseline_rows(words)
    if not rows:
        return []
    height = sorted(word.height for word in words)[len(words) // 2]
    phrases = [_phrases(row, 0.55 * height) for row in rows]
    columns = _columns([box for row in phrases for box, _ in row], least_gap or 0.35 * height)
    table: list[list[str]] = []
    for row in phrases:
        cells: list[list[str]] = [[] for _ in columns]
        for box, text in row:
            cells[_column_of(box, columns)].append(text)
        table.append([" ".join(cell) for cell in cells])
    return _merged(table, rows)


def baseline_rows(words: Sequence[Line]) -> list[list[Line]]:
    """Words on one baseline, each row from left to right, rows from top to bottom."""
    rows: list[list[Line]] = []
    for word in sorted(words, key=lambda word: ((word.box.top + word.box.bottom) / 2, word.box.left)):
        middle = (word.box.top + word.box.bottom) / 2
        if rows:
            last = union(found.box for found in rows[-1])
            if abs(middle - (last.top + last.bottom) / 2) < 0.5 * min(word.height, last.bottom - last.top):
                rows[-1].append(word)
                continue
        rows.append([word])
    return [sorted(row, key=lambda word: word.box.left) for row in rows]


def _phrases(row: list[Line], gap: float) -> list[tuple[Box, str]]:
    phrases: list[tuple[Box, str]] = []
    for word in row:
        if phrases and word.box.left - phrases[-1][0].right < gap:
            box, text = phrases[-1]
            phrases[-1] = (union((box, word.box)), f"{text} {word.text}")
        else:
            phrases.append((word.box, word.text))
    return phrases


def _columns(boxes: list[Box], least_gap: float) -> list[tuple[float, float]]:
    """Column extents: the phrases' extents merged where they overlap, the widest phrases left out at first.

    Phrases that would bridge columns (titles, spanning heads) are those much wider than the middle one.
    """
    widths = sorted(box.right - box.left for box in boxes)
    limit = max(2.5 * widths[len(widths) // 2], widths[int(len(widths) * 0.8)] * 1.05)
    narrow = sorted((box for box in boxes if box.right - box.left <= limit), key=lambda box: box.left)
    columns: list[tuple[float, float]] = []
    for box in narrow:
        if columns and box.left < columns[-1][1] + least_gap:
            columns[-1] = (columns[-1][0], max(columns[-1][1], box.right))
        else:
            columns.append((box.left, box.right))
    return columns


def _column_of(box: Box, columns: list[tuple[float, float]]) -> int:
    for number, (left, right) in enumerate(columns):
        if min(box.right, right) - max(box.left, left) > 0:
            return number
    middle = (box.left + box.right) / 2
    return min(range(len(columns)), key=lambda number: abs(middle - sum(columns[number]) / 2))


def _merged(table: list[list[str]], rows: list[list[Line]]) -> list[list[str]]:
    """A row that only continues the first column's text closely below joins the row above."""
    merged: list[list[str]] = []
    for number, row in enumerate(table):
        filled = [index for index, text in enumerate(row) if text]
        if merged and len(filled) == 1 and len(row) > 2 and filled[0] == 0 and _close(rows[number - 1], rows[number]):
            above = merged[-1]
            if above[0] and sum(1 for text in above if text) > 1 and row[0][:1].islower():
                above[0] = f"{above[0]} {row[0]}"
                continue
        merged.append(row)
    return merged


def _close(upper: list[Line], lower: list[Line]) -> bool:
    return min(word.box.top for word in lower) - max(word.box.bottom for word in upper) < 0.5 * lower[0].height
