from pathlib import Path

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from wiki.parsing.parser import parse_file


def test_slides_come_in_the_order_of_the_show_with_all_that_is_on_them(tmp_path: Path) -> None:
    made = Presentation()
    first = made.slides.add_slide(made.slide_layouts[1])
    first.shapes.title.text = "Second in order"
    body = first.placeholders[1].text_frame
    body.text = "outer"
    inner = body.add_paragraph()
    inner.text, inner.level = "inner", 1
    first.notes_slide.notes_text_frame.text = "say this"
    second = made.slides.add_slide(made.slide_layouts[6])
    group = second.shapes.add_group_shape().shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "deep # text"
    table = second.shapes.add_table(2, 2, 0, 0, Inches(2), Inches(1)).table
    for number, text in enumerate(("a", "b", "c", "d")):
        table.cell(number // 2, number % 2).text = text
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("Sales", (5, 7))
    second.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, 0, 0, Inches(2), Inches(2), data)
    second._element.set("show", "0")
    listed = made.slides._sldIdLst
    listed.insert(0, listed[1])
    made.save(str(tmp_path / "a.pptx"))
    found = parse_file(tmp_path / "a.pptx", "a.pptx")
    assert found.markdown == (
        "## Slide 1\n\n(hidden slide)\n\ndeep # text\n\n| a | b |\n| --- | --- |\n| c | d |\n\n"
        "|  | Sales |\n| --- | --- |\n| Q1 | 5 |\n| Q2 | 7 |\n\n"
        "## Second in order\n\n- outer\n  - inner\n\nNote: say this\n\n"
    )
    assert [block.provenance.slide for block in found.blocks if block.kind == "heading" and block.provenance] == [1, 2]
