from pathlib import Path

import pytest

from wiki.errors import ExtractionEmpty, UnsupportedFormat
from wiki.parsing.parser import parse_file

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'


def read(folder: Path, body: str, *, head: str = HEAD) -> str:
    path = folder / "picture.svg"
    path.write_text(f"{head}{body}</svg>", encoding="utf-8")
    return parse_file(path, path.name).markdown


def test_title_description_and_texts_are_read_and_machinery_is_not(tmp_path: Path) -> None:
    markdown = read(
        tmp_path,
        "<title>Pump &amp; motor</title><desc>How they are joined</desc><style>text{fill:red}</style>"
        "<script>var hidden = 1</script><text x='1' y='9'>Inlet *3* bar</text>"
        "<a xlink:href='x'><text x='1' y='90'>Page&#160;12</text></a><text display='none'>never shown</text>",
    )
    assert markdown == "# Pump & motor\n\nHow they are joined\n\nInlet \\*3\\* bar\n\nPage 12\n\n"


def test_lines_below_each_other_are_one_paragraph_and_others_are_not(tmp_path: Path) -> None:
    markdown = read(
        tmp_path,
        "<g font-size='10'><text x='5' y='10'>The pump of hall</text><text x='5' y='22'>two runs again.</text>"
        "<text x='5' y='80'>Another thing</text><text x='300' y='80'>beside it</text></g>",
    )
    assert markdown == "The pump of hall two runs again.\n\nAnother thing beside it\n\n"


def test_tspans_are_glued_as_they_stand(tmp_path: Path) -> None:
    markdown = read(
        tmp_path,
        "<text x='1' y='10'>un<tspan font-weight='bold'>break</tspan>able</text>"
        "<text y='100'><tspan x='1' y='100'>p</tspan><tspan x='6' y='100'>u</tspan><tspan x='11' y='100'>mp</tspan></text>"
        "<text y='200'><tspan x='1' y='200'>First line</tspan><tspan x='1' dy='1.2em'>second line</tspan></text>",
    )
    assert markdown == "unbreakable\n\npump\n\nFirst line second line\n\n"


def test_a_group_moves_its_texts(tmp_path: Path) -> None:
    markdown = read(
        tmp_path,
        "<g transform='translate(0 500)'><text x='1' y='10'>Below</text></g>"
        "<g transform='matrix(1 0 0 1 0 0)'><text x='1' y='12'>Above</text></g>",
    )
    assert markdown == "Below\n\nAbove\n\n"


def test_html_inside_is_read_by_paragraph(tmp_path: Path) -> None:
    inner = "<div xmlns='http://www.w3.org/1999/xhtml'><p>One <b>bold</b> word</p><p>Two</p></div>"
    assert read(tmp_path, f"<foreignObject>{inner}</foreignObject>").split() == ["One", "bold", "word", "Two"]


def test_named_characters_and_own_entities_are_known(tmp_path: Path) -> None:
    assert read(tmp_path, "<text>caf&eacute; &lt;b&gt;</text>") == "café \\<b>\n\n"
    head = f'<!DOCTYPE svg [<!ENTITY who "pump">]>{HEAD}'
    assert read(tmp_path, "<text>&who; two</text>", head=head) == "pump two\n\n"


def test_a_tooltip_is_kept_once(tmp_path: Path) -> None:
    body = "<g><title>Valve K9</title><path d='M0 0'/></g><g><title>Valve K9</title></g><text y='50'>Hall</text>"
    assert read(tmp_path, body) == "Hall\n\nValve K9\n\n"


def test_a_picture_without_words_is_empty_and_broken_xml_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(ExtractionEmpty):
        read(tmp_path, "<path d='M0 0'/>")
    with pytest.raises(UnsupportedFormat, match=r"picture\.svg is damaged"):
        read(tmp_path, "<text>open")


@pytest.mark.parametrize("levels", [50_000])
def test_groups_nested_beyond_reason_are_read(tmp_path: Path, levels: int) -> None:
    assert read(tmp_path, "<g>" * levels + "<text>deep</text>" + "</g>" * levels) == "deep\n\n"


def test_entities_that_multiply_are_refused_quickly(tmp_path: Path) -> None:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    head = f'<!DOCTYPE svg [<!ENTITY e0 "ha">{levels}]>{HEAD}'
    with pytest.raises(UnsupportedFormat, match="damaged"):
        read(tmp_path, "<text>&e11;</text>", head=head)


def test_nothing_is_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("do not tell")
    head = f'<!DOCTYPE svg [<!ENTITY file SYSTEM "{secret.as_uri()}">]>{HEAD}'
    try:
        markdown = read(tmp_path, "<text>before &file; after</text>", head=head)
    except UnsupportedFormat:
        return
    assert "do not tell" not in markdown
