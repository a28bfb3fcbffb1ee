"""A DoclingDocument -> pieces of Markdown, each with the page it came from."""

# docling re-exports its types without saying so.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from wiki.parsing.blocks import Provenance
from wiki.parsing.escape import escape_text
from wiki.parsing.markdown_writer import fenced
from wiki.parsing.source import Piece
from wiki.parsing.tables import cell_text, render_tables

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument, NodeItem, TableItem

# A relative link leads nowhere once the document is stored; its words stay.
_LINK = re.compile(r"(?:https?|mailto|ftp|tel):", re.IGNORECASE)


class DoclingWriter:
    """Walks the body of a document in reading order; running heads are left out, footnotes kept."""

    def __init__(self, document: DoclingDocument) -> None:
        from docling_core.types.doc.document import TitleItem

        self._document = document
        self._pieces: list[Piece] = []
        self._shift = 1 if any(isinstance(text, TitleItem) for text in document.texts) else 0
        self._seen: set[str] = set()

    def pieces(self) -> tuple[Piece, ...]:
        for child in self._document.body.children:
            self._write(child.resolve(self._document))
        return tuple(self._pieces)

    def _write(self, node: NodeItem) -> None:
        from docling_core.types.doc import document as doc

        if node.self_ref in self._seen or not self._visible(node):
            return
        self._seen.add(node.self_ref)
        if isinstance(node, doc.ListGroup):
            self._add("".join(self._list(node, "")) + "\n", node)
            return
        if isinstance(node, doc.InlineGroup):
            self._add(self._inline(node) + "\n\n", node)
            return
        if isinstance(node, doc.TableItem):
            for caption in self._captions(node):
                self._add(caption + "\n\n", node)
            for table in self._table(node):
                self._add(table, node)
            return
        if isinstance(node, doc.PictureItem):
            for caption in self._captions(node):
                self._add(caption + "\n\n", node)
        elif isinstance(node, doc.ListItem):
            self._add("".join(self._item(node, "", 1)) + "\n", node)
            return
        elif isinstance(node, doc.TextItem):
            self._text(node)
        for child in node.children:
            self._write(child.resolve(self._document))

    def _text(self, node: Any) -> None:
        from docling_core.types.doc import document as doc

        if isinstance(node, doc.TitleItem | doc.SectionHeaderItem):
            level = 1 if isinstance(node, doc.TitleItem) else min(node.level + self._shift, 6)
            words = " ".join((self._styled(node) if node.text.strip() else self._children_text(node)).split())
            if words:
                words = re.sub(r"(\s|^)(#+)$", r"\1\\\2", words)
                self._add(f"{'#' * level} {words}\n\n", node)
        elif isinstance(node, doc.CodeItem):
            self._add(fenced(node.text) + "\n", node)
        elif isinstance(node, doc.FormulaItem):
            if node.text.strip():
                self._add(f"$$\n{node.text.strip()}\n$$\n\n", node)
        elif node.text.strip():
            self._add(self._styled(node) + "\n\n", node)

    def _styled(self, node: Any) -> str:
        """A text item's words escaped, with its emphasis and its link."""
        from docling_core.types.doc import document as doc

        if isinstance(node, doc.CodeItem):
            return f"`` {' '.join(node.text.split())} ``" if "`" in node.text else f"`{' '.join(node.text.split())}`"
        if isinstance(node, doc.FormulaItem):
            return f"${' '.join(node.text.split())}$"
        text = node.text.strip()
        words = "\n".join(line.strip() for line in escape_text(text).splitlines() if line.strip())
        style = node.formatting
        if words and style is not None and "\n" not in words:
            words = f"**{words}**" if style.bold else words
            words = f"*{words}*" if style.italic else words
            words = f"~~{words}~~" if style.strikethrough else words
        link = str(node.hyperlink) if node.hyperlink else ""
        if link and words and _LINK.match(link) and link != node.text:
            words = f"[{words}]({link.replace(' ', '%20').replace('(', '%28').replace(')', '%29')})"
        return words

    def _inline(self, node: NodeItem) -> str:
        parts: list[str] = []
        for child in node.children:
            item = child.resolve(self._document)
            self._seen.add(item.self_ref)
            words = self._inline(item) if not hasattr(item, "text") else self._styled(item)
            if words:
                parts.append(words)
        return _joined(parts)

    def _children_text(self, node: NodeItem) -> str:
        return _joined(
            [part for part in (self._flat(child.resolve(self._document)) for child in node.children) if part]
        )

    def _flat(self, node: Any) -> str:
        """Everything below a node as one line of inline Markdown, for headings and table cells."""
        from docling_core.types.doc import document as doc

        if node.self_ref in self._seen:
            return ""
        self._seen.add(node.self_ref)
        if isinstance(node, doc.TableItem):
            rows = [[cell.strip() for cell in row] for row in self._cells(node)]
            return "<br>".join(", ".join(cell for cell in row if cell) for row in rows if any(row))
        own = self._styled(node) if isinstance(node, doc.TextItem) and node.text.strip() else ""
        below = [self._flat(child.resolve(self._document)) for child in node.children]
        parts = [part for part in (own, *below) if part]
        return _joined(parts) if isinstance(node, doc.InlineGroup) else "<br>".join(parts)

    def _list(self, node: NodeItem, indent: str) -> list[str]:
        from docling_core.types.doc import document as doc

        lines: list[str] = []
        number = 0
        for child in node.children:
            item = child.resolve(self._document)
            if not self._visible(item):
                continue
            self._seen.add(item.self_ref)
            if isinstance(item, doc.ListItem):
                number += 1
                lines += self._item(item, indent, number)
            elif isinstance(item, doc.ListGroup):
                lines += self._list(item, indent + "  ")
            else:
                words = self._flat_again(item)
                if words:
                    lines.append(f"{indent}- {words}\n")
        return lines

    def _item(self, item: Any, indent: str, number: int) -> list[str]:
        from docling_core.types.doc import document as doc

        self._seen.add(item.self_ref)
        marker = "-"
        if item.enumerated:
            given = re.fullmatch(r"(\d{1,9})[.)]", (item.marker or "").strip())
            marker = f"{given.group(1)}." if given else f"{number}."
            if item.marker and not given and re.search(r"\w", item.marker):
                marker = f"- {escape_text(item.marker.strip())}"
        inner = indent + " " * (len(marker.split(" ")[0]) + 1)
        children = [child.resolve(self._document) for child in item.children]
        words = self._styled(item) if item.text.strip() else ""
        nested: list[str] = []
        for child in children:
            if not self._visible(child):
                continue
            if isinstance(child, doc.ListGroup):
                self._seen.add(child.self_ref)
                nested += self._list(child, inner)
            elif isinstance(child, doc.CodeItem) and "\n" in child.text.strip():
                self._seen.add(child.self_ref)
                nested += ["\n", *(f"{inner}{line}\n" for line in fenced(child.text).splitlines())]
            elif isinstance(child, doc.TableItem):
                self._seen.add(child.self_ref)
                for table in self._table(child):
                    nested += ["\n", *(f"{inner}{line}\n" for line in table.splitlines())]
            else:
                text = self._flat_again(child)
                if text and not words and not nested:
                    words = text
                elif text:
                    nested.append(f"\n{inner}{text}\n\n")
        return [f"{indent}{marker} {' '.join(words.split())}".rstrip() + "\n", *nested]

    def _flat_again(self, node: Any) -> str:
        self._seen.discard(node.self_ref)
        return self._flat(node)

    def _table(self, node: TableItem) -> list[str]:
        return render_tables(self._cells(node), escaped=True)

    def _cells(self, node: TableItem) -> list[list[str]]:
        """The grid with each cell's text once, at its first place; cells it spans are empty."""
        rows = [[""] * node.data.num_cols for _ in range(node.data.num_rows)]
        for cell in node.data.table_cells:
            row, column = cell.start_row_offset_idx, cell.start_col_offset_idx
            if row >= node.data.num_rows or column >= node.data.num_cols:
                continue
            ref = getattr(cell, "ref", None)
            rich = self._flat_again(ref.resolve(self._document)) if ref is not None else ""
            text = rich or escape_text(cell.text)
            rows[row][column] = cell_text("<br>".join(filter(None, (rows[row][column], text))), escaped=True)
        return [row for row in rows if any(row)]

    def _captions(self, node: Any) -> list[str]:
        captions: list[str] = []
        for reference in node.captions:
            item = reference.resolve(self._document)
            if item.self_ref not in self._seen:
                self._seen.add(item.self_ref)
                captions.append(self._styled(item))
        return [caption for caption in captions if caption]

    def _visible(self, node: Any) -> bool:
        # docling puts foot- and endnotes beside the page headers, away from the text.
        return node.content_layer.value == "body" or getattr(node.label, "value", "") == "footnote"

    def _add(self, text: str, node: Any) -> None:
        if text.strip():
            self._pieces.append(
                Piece(text, self._provenance(node) or (self._pieces[-1].provenance if self._pieces else None))
            )

    def _provenance(self, node: Any) -> Provenance | None:
        number = next(iter(self._numbers(node)), None)
        return None if number is None else Provenance(page=number)

    def _numbers(self, node: Any) -> list[int]:
        own = [prov.page_no for prov in getattr(node, "prov", ())]
        if own:
            return own
        for child in node.children:
            below = self._numbers(child.resolve(self._document))
            if below:
                return below
        return []


def _joined(parts: list[str]) -> str:
    """Inline parts with a space between, but none before closing punctuation."""
    text = ""
    for part in parts:
        glue = "" if not text or text.endswith(("(", "[", "\n")) or re.match(r"[,.;:!?)\]%’”]", part) else " "
        text += glue + part
    return text
