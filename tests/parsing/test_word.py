import io
import zipfile
from pathlib import Path

import docx
import pytest
from docx.document import Document
from docx.oxml import parse_xml

from wiki.errors import UnsupportedFormat
from wiki.parsing.parser import parse_file

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
NAMESPACES = (
    f'{W} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


def read(document: Document, folder: Path) -> str:
    document.save(str(folder / "a.docx"))
    return parse_file(folder / "a.docx", "a.docx").markdown


def add(document: Document, inner: str) -> None:
    document.element.body.insert(len(document.element.body) - 1, parse_xml(f"<w:p {NAMESPACES}>{inner}</w:p>"))


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_headings_lists_and_tables_are_what_the_author_made(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_heading("Report", 0)
    made.add_heading("Pumps", 1)
    made.add_paragraph("first", style="List Number")
    made.add_paragraph("second", style="List Number")
    made.add_paragraph("inner", style="List Bullet 2")
    made.add_paragraph("third", style="List Number")
    table = made.add_table(3, 3)
    for row, texts in enumerate((("a", "b", "c"), ("tall", "wide", ""), ("", "x|y", "z"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(1, 1).merge(table.cell(1, 2))
    found = read(made, tmp_path)
    assert found.startswith("# Report\n\n## Pumps\n\n1. first\n2. second\n   - inner\n3. third\n\n| a | b | c |\n")
    assert "| tall | wide |  |\n|  | x\\|y | z |\n" in found


def test_a_text_box_is_read_once_and_field_results_are_text(tmp_path: Path) -> None:
    made = docx.Document()
    box = f"<w:txbxContent><w:p>{run('boxed words')}</w:p></w:txbxContent>"
    add(
        made,
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:wsp><wps:txbx>{box}</wps:txbx></wps:wsp>'
        f"</w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>",
    )
    add(
        made,
        f'{run("Table ")}<w:fldSimple w:instr=" SEQ Table ">{run("7")}</w:fldSimple>{run(" and ")}'
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF leak </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("Proposal 3")}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> MACROBUTTON Go [click me]</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
    )
    found = read(made, tmp_path)
    assert found.count("boxed words") == 1
    assert "Table 7 and Proposal 3\\[click me\\]" in found and "leak" not in found


def test_tracked_changes_controls_symbols_and_equations(tmp_path: Path) -> None:
    made = docx.Document()
    add(
        made,
        f'{run("kept ")}<w:ins w:id="1" w:author="A">{run("new ")}</w:ins><w:del w:id="2" w:author="A"><w:r>'
        f"<w:delText>gone</w:delText></w:r></w:del><w:sdt><w:sdtContent>{run('control')}</w:sdtContent></w:sdt>"
        '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/><w:noBreakHyphen/><w:t>x</w:t></w:r>'
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r>",
    )
    fraction = "<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f>"
    add(made, f"<m:oMathPara><m:oMath>{fraction}</m:oMath></m:oMathPara>")
    found = read(made, tmp_path)
    assert "kept new control✓-x" in found
    assert "gone" not in found and "unseen" not in found
    assert "$$\n\\frac{a}{b}\n$$" in found


def test_text_that_looks_like_markdown_stays_text(tmp_path: Path) -> None:
    made = docx.Document()
    for text in ("# no heading", "| a | b |", "1. no list", "- no item", "> no quote", "a*b*c <b>", "---"):
        made.add_paragraph(text)
    read(made, tmp_path)
    assert {block.kind for block in parse_file(tmp_path / "a.docx", "a.docx").blocks} == {"paragraph"}


def test_notes_comments_headers_and_links_are_kept(tmp_path: Path) -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("See here")
    made.add_comment(paragraph.runs, text="check this", author="Ada")
    made.sections[0].header.paragraphs[0].text = "North Works Ltd"
    made.sections[0].footer.paragraphs[0].text = "42"
    relation = made.part.relate_to("https://example.org/a(b)", docx.opc.constants.RELATIONSHIP_TYPE.HYPERLINK, True)
    add(
        made,
        f'<w:hyperlink xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="{relation}">'
        f"{run('the page')}</w:hyperlink>",
    )
    found = read(made, tmp_path)
    assert "Comment (Ada): check this" in found
    assert "[the page](https://example.org/a%28b%29)" in found
    assert found.rstrip().endswith("Page header: North Works Ltd")


def test_a_footnote_stands_below_its_paragraph(tmp_path: Path) -> None:
    made = docx.Document()
    add(made, f'{run("a claim")}<w:r><w:footnoteReference w:id="5"/></w:r>{run(" goes on")}')
    made.add_paragraph("after")
    made.save(str(tmp_path / "plain.docx"))
    note = f'<w:footnotes {W}><w:footnote w:id="5"><w:p>{run("its source")}</w:p></w:footnote></w:footnotes>'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    with zipfile.ZipFile(tmp_path / "plain.docx") as old, zipfile.ZipFile(tmp_path / "a.docx", "w") as new:
        for entry in old.namelist():
            data = old.read(entry)
            if entry == "word/_rels/document.xml.rels":
                link = f'<Relationship Id="rId99" Type="{kind}" Target="footnotes.xml"/></Relationships>'
                data = data.replace(b"</Relationships>", link.encode())
            new.writestr(entry, data)
        new.writestr("word/footnotes.xml", note)
    found = parse_file(tmp_path / "a.docx", "a.docx").markdown
    assert "a claim goes on\n\nFootnote 1: its source\n\nafter" in found


def test_a_damaged_part_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    docx.Document().save(buffer)
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(tmp_path / "a.docx", "w") as new:
        for entry in old.namelist():
            new.writestr(entry, b"<broken" if entry == "word/document.xml" else old.read(entry))
    with pytest.raises(UnsupportedFormat, match="damaged"):
        parse_file(tmp_path / "a.docx", "a.docx")
