"""Tables nobody drew: runs of lines whose pieces stand under one another."""

from wiki.parsing.pdf.geometry import Box, Line, union
from wiki.parsing.pdf.unruled import baseline_rows

_LEAST_ROWS = 3
_LEAST_COLUMNS = 3
_MOST_WORDS = 5
_GAP = 1.2


def aligned_tables(words: list[Line], taken: list[Box], page_width: float) -> list[Box]:
    """Boxes of tables set without rules, outside the boxes already ``taken``.

    A table is three or more rows following closely, each of three or more short pieces with wide
    gaps between, most of which begin, end or centre where a piece of another row does.
    Running text in columns has long pieces, and few of them, in a row.
    """
    free = [word for word in words if not any(box.holds(word.box) for box in taken)]
    runs: list[list[list[Line]]] = [[]]
    for row in baseline_rows(free):
        pieces = _pieces(row)
        if runs[-1] and row[0].box.top - max(line.box.bottom for line in runs[-1][-1]) > 2.2 * row[0].height:
            runs.append([])
        if _tabular(pieces, page_width):
            runs[-1].append(pieces)
        elif runs[-1] and len(pieces) == 2 and _under(pieces, runs[-1]):
            runs[-1].append(pieces)
        elif runs[-1]:
            runs.append([])
    return [union(piece.box for row in run for piece in row) for run in runs if _is_table(run)]


def _pieces(row: list[Line]) -> list[Line]:
    """Neighbours with no more than a wide word space between (as in justified text) count as one piece."""
    pieces: list[Line] = []
    for line in row:
        if pieces and line.box.left - pieces[-1].box.right < _GAP * line.height:
            last = pieces[-1]
            pieces[-1] = Line(union((last.box, line.box)), f"{last.text} {line.text}", last.bold)
        else:
            pieces.append(line)
    return pieces


def _tabular(pieces: list[Line], page_width: float) -> bool:
    words = sorted(len(piece.text.split()) for piece in pieces)
    widest = max(piece.box.right - piece.box.left for piece in pieces)
    return len(pieces) >= _LEAST_COLUMNS and words[len(words) // 2] <= _MOST_WORDS and widest < 0.5 * page_width


def _under(pieces: list[Line], rows: list[list[Line]]) -> bool:
    return all(any(_aligned(piece, other) for row in rows for other in row) for piece in pieces)


def _is_table(run: list[list[Line]]) -> bool:
    if sum(len(row) >= _LEAST_COLUMNS for row in run) < _LEAST_ROWS:
        return False
    pieces = [(number, piece) for number, row in enumerate(run) for piece in row]
    kept = sum(
        any(_aligned(piece, other) for at, other in pieces if at != number and abs(at - number) < 8)
        for number, piece in pieces
    )
    return kept >= 0.7 * len(pieces)


def _aligned(one: Line, other: Line) -> bool:
    a, b = one.box, other.box
    return abs(a.left - b.left) < 3 or abs(a.right - b.right) < 3 or abs((a.left + a.right) - (b.left + b.right)) < 6
