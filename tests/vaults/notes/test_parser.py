"""Notes are read as their writers meant them, whatever bytes they hold."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vaults.notes.texts import NOTES
from wiki.vaults.model import Link, Note
from wiki.vaults.notes.parser import parse_note, read_text


def read(text: str, path: str = "Home/Lamp.md") -> Note:
    return parse_note(path, text.encode())


def targets(note: Note) -> list[str]:
    return [link.target for link in note.links]


def check_places(note: Note) -> None:
    """Spans lie in the body in order, lines in the file, and what is read keeps every place."""
    last = note.body_line + note.body.count("\n")
    places = [0, *(place for span in note.unread for place in span), len(note.body)]
    assert places == sorted(places)
    assert all(note.body_line <= heading.line <= last for heading in note.headings)
    assert all(1 <= link.line <= last for link in note.links)
    assert all(note.body_line <= line <= last for _, line in note.blocks)
    assert all(heading.path[-1] == heading.text for heading in note.headings)
    shown = read_text(note)
    assert len(shown) == len(note.body)
    assert [i for i, c in enumerate(shown) if c in "\r\n"] == [i for i, c in enumerate(note.body) if c in "\r\n"]


@given(st.binary(max_size=300))
@settings(deadline=2000, max_examples=150)
def test_any_bytes_make_a_note(data: bytes) -> None:
    check_places(parse_note("x.md", data))
    check_places(parse_note("x.canvas", data))


@given(NOTES)
@settings(deadline=2000, max_examples=300)
def test_any_text_makes_a_note_whose_places_are_right(text: str) -> None:
    check_places(read(text))


def test_headings_know_what_stands_above_them_by_level() -> None:
    note = read("# House\n### Lost floor\n## Ground floor\nKitchen\n-------\n#### Shelf\nYard\n====\n")
    assert [(h.level, h.text, h.path, h.line) for h in note.headings] == [
        (1, "House", ("House",), 1),
        (3, "Lost floor", ("House", "Lost floor"), 2),
        (2, "Ground floor", ("House", "Ground floor"), 3),
        (2, "Kitchen", ("House", "Kitchen"), 4),
        (4, "Shelf", ("House", "Kitchen", "Shelf"), 6),
        (1, "Yard", ("Yard",), 7),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```sh\n# a comment\n```",
        "~~~\n# a comment\n",
        "words\n\n    # indented\n",
        "<div>\n# in HTML\n</div>",
        "<!--\n# hidden\n-->",
        "%%\n# hidden\n%%",
        "%% begins here\n\n# hidden\n\nand ends %% here",
        "#tag at the start",
        "- # in a list",
        "> # in a quote",
        "####### seven",
        "---\nkey: [broken\n---\nwords",
        "| a | b |\n| - | - |\n| 1 | 2 |\n---\nwords",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert read(text).headings == ()


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("# Two *soft* `words` ##", "Two soft words"),
        ("# See [[Lamp|the lamp]] and [x](y.md)", "See the lamp and x"),
        ("# [[Lamp#Bulb]]", "Lamp > Bulb"),
        ("# Marked ==bright== ^id", "Marked bright"),
        ("# Open %%closed%% end", "Open end"),
        ("# ", ""),
        ("Under *line*\n===", "Under line"),
    ],
)
def test_a_heading_reads_as_a_person_reads_it(written: str, text: str) -> None:
    assert [heading.text for heading in read(written).headings] == [text]


def test_a_fence_that_begins_in_a_comment_does_not_hide_what_follows() -> None:
    note = read("%%\n```\n%%\n\n# Seen\n[[Lamp]] %%[[no]]%%\n")
    assert [heading.text for heading in note.headings] == ["Seen"]
    assert targets(note) == ["Lamp"]


def test_front_matter_becomes_columns() -> None:
    note = read(
        "---\ntitle: A lamp\ntags:\n  - Home/Attic\n  - '#Light'\naliases: [Lantern]\ntype: thing\nstatus: accepted\n"
        "date: 2026-11-30T10:00\nnumber: 7\nnothing: .nan\n---\nText with #light and #new.\n"
    )
    assert note.title == "A lamp"
    assert note.tags == ("home/attic", "light", "new")
    assert note.aliases == ("Lantern",)
    assert (note.type, note.status, note.date) == ("thing", "accepted", "2026-11-30")
    assert note.front_matter["number"] == 7
    assert note.front_matter["nothing"] == "nan"
    assert note.body == "Text with #light and #new.\n"
    assert note.body_line == 13
    assert note.problems == ()


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("tags: one, two", ("one", "two")),
        ("tags: one two", ("one", "two")),
        ("tag: '#one'", ("one",)),
        ("Tags: [One, one, TWO]", ("one", "two")),
        ("tags: 2026", ("2026",)),
        ("tags:", ()),
        ("tags: {a: b}", ()),
    ],
)
def test_tags_in_every_form(written: str, tags: tuple[str, ...]) -> None:
    assert read(f"---\n{written}\n---\n").tags == tags


@pytest.mark.parametrize(
    "written", ["aliases: A b, C", "alias:\n- A b\n- C", "alias: [A b, C]", "Aliases: [A b, C, '']"]
)
def test_aliases_in_every_form(written: str) -> None:
    assert read(f"---\n{written}\n---\n").aliases == ("A b", "C")


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2026", "2026"),
        ("2026-11", "2026-11"),
        ('"[[Daily/2026-11-30]]"', "2026-11-30"),
        ("'2026-11-30'", "2026-11-30"),
    ],
)
def test_dates_as_far_as_written(written: str, date: str) -> None:
    assert read(f"---\ndate: {written}\n---\n").date == date


def test_a_date_that_is_none_is_a_problem_with_its_line() -> None:
    note = read("---\ntype: x\ndate: soon\n---\n")
    assert note.date is None
    assert [problem.line for problem in note.problems] == [3]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\na: 1\nb: [1\n---\n# Seen\n[[Lamp]] #tag", 2),
        ("---\njust words\n---\n# Seen\n[[Lamp]] #tag", 2),
        ("---\ntitle: never closed\n\n# Seen\n[[Lamp]] #tag", 1),
    ],
)
def test_broken_front_matter_is_body_and_a_problem(text: str, line: int) -> None:
    note = read(text)
    assert note.body == text
    assert note.body_line == 1
    assert note.front_matter == {}
    assert [problem.line is not None and problem.line >= line for problem in note.problems] == [True]
    assert [heading.text for heading in note.headings] == ["Seen"]
    assert targets(note) == ["Lamp"]
    assert note.tags == ("tag",)


def test_a_template_whose_placeholders_are_no_yaml_is_still_a_template() -> None:
    note = read("---\nstatus: template\ndate: {{date}}\n---\n# {{title}}\n")
    assert note.problems
    assert not note.in_retrieval


def test_a_note_of_front_matter_only() -> None:
    note = read("---\ntitle: Lamp\n---")
    assert (note.title, note.body, note.problems) == ("Lamp", "", ())


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Mine\n---\n# Other", "Mine"),
        ("\n# First *block*\n", "First block"),
        ("%% aside %%\n\n# After a comment\n", "After a comment"),
        ("words\n# Later", "Lamp"),
        ("## Second level", "Lamp"),
        ("- # in a list", "Lamp"),
        ("# ", "Lamp"),
        ("", "Lamp"),
    ],
)
def test_the_title_is_the_first_that_is_written(text: str, title: str) -> None:
    assert read(text).title == title


def test_links_are_taken_apart() -> None:
    note = read(
        "[[Old lamp#Care#Glass|shown text]] ![[Lamp^base]] [[#Here]] [[#^there]]\n"
        "[words](../Old%20lamp.md#The%20glass) ![pic](<a b.png>) [r][one] | [[Lamp\\|in a table]] |\n\n[one]: Ref.md 'x'\n"
    )
    assert note.links == (
        Link("wikilink", "Old lamp", "Care#Glass", None, "shown text", 1),
        Link("embed", "Lamp", None, "base", None, 1),
        Link("wikilink", "", "Here", None, None, 1),
        Link("wikilink", "", None, "there", None, 1),
        Link("markdown", "../Old lamp.md", "The glass", None, "words", 2),
        Link("embed", "a b.png", None, None, "pic", 2),
        Link("wikilink", "Lamp", None, None, "in a table", 2),
        Link("markdown", "Ref.md", None, None, None, 4),
    )


@pytest.mark.parametrize(
    "text",
    [
        "`[[no]]` and ``[[no]] ` [[no]]``",
        "```\n[[no]] #no\n```",
        "    [[no]] #no",
        "%%[[no]] #no%%",
        "<!-- [[no]] #no -->",
        "\\[[no]]",
        "[x](https://a.example/b.md) [y](mailto:a@b.example) <https://a.example/#no>",
        "https://a.example/path#no www.a.example/#no word#no \\#no &#35; #1984 # no [x](a%zz",
    ],
)
def test_neither_links_nor_tags(text: str) -> None:
    note = read(text)
    assert note.links == ()
    assert note.tags == ()


def test_a_comment_mark_in_code_opens_no_comment() -> None:
    note = read("`%%` [[Lamp]]\n\n```\n%%\n```\n\n[[Bulb]] 100%% sure\n")
    assert targets(note) == ["Lamp", "Bulb"]
    assert note.unread == ()


def test_inline_tags() -> None:
    note = read(
        "#One and (#two/Three) **#vier** #y1984 #字/カナ、#a-b_c. #x//y/\n> #quoted\n- #listed\n## Head #inhead\n"
    )
    assert note.tags == ("one", "two/three", "vier", "y1984", "字/カナ", "a-b_c", "x/y", "quoted", "listed", "inhead")


def test_links_in_front_matter_values() -> None:
    note = read(
        '---\nup: "[[Über|u]]"  # [[no]]\nlist:\n  - \'[[Tom\'\'s#h]]\'\n  - see [[Plain]]\n"[[key]]": 1\nesc: "[[a\\u0062]]"\n'
        "bare: [[nested]]\n---\n[[Body]]\n"
    )
    assert [(link.target, link.line) for link in note.links] == [
        ("Über", 2),
        ("Tom's", 4),
        ("Plain", 5),
        ("ab", 7),
        ("Body", 10),
    ]


def test_block_ids_stand_at_line_ends() -> None:
    note = read(
        "A claim. ^claim-1\n\n- item ^two\n\n> quoted\n> ^three\n\nno^four ^five six\n```\n^seven\n```\n%% ^eight\n%%\n"
    )
    assert note.blocks == (("claim-1", 1), ("two", 3), ("three", 6))


def test_inline_properties() -> None:
    note = read(
        "Owner:: Ada\n- **Due Date**:: 2026-12-01\nIt is [state:: good [[Lamp]]] (hidden::yes)\nOwner:: Bo\n`a:: b`\nstd::x\n"
    )
    assert note.properties == {
        "Owner": ("Ada", "Bo"),
        "Due Date": ("2026-12-01",),
        "state": ("good [[Lamp]]",),
        "hidden": ("yes",),
    }


def test_comments_and_queries_are_not_read_but_keep_their_place() -> None:
    text = "Seen %%aside%% here\n\n```dataview\nLIST\n```\n\n`= this.file.name` and `$= dv.x` but `a = b`\n\n%%\nlong\n\n# aside\n%%\nend\n"
    shown = read_text(read(text))
    assert shown.split() == ["Seen", "here", "and", "but", "`a", "=", "b`", "end"]
    assert shown.index("here") == text.index("here")
    assert shown.count("\n") == text.count("\n")


def test_callouts_are_text() -> None:
    note = read("> [!warning]- Hot glass\n> Let it cool, see [[Care]].\n")
    assert targets(note) == ["Care"]
    assert read_text(note) == note.body


@pytest.mark.parametrize(("codec", "mark"), [("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff"), ("latin-1", b"")])
def test_other_encodings_are_read_with_a_problem(codec: str, mark: bytes) -> None:
    text = "---\ntags: [gerät]\n---\n# Glühbirne über Öl\r\nEine schöne Lampe, süß und groß.\r\n"
    note = parse_note("x.md", mark + text.encode(codec))
    assert note.title == "Glühbirne über Öl"
    assert note.tags == ("gerät",)
    assert len(note.problems) == 1
    assert "UTF-8" in note.problems[0].remedy


def test_one_damaged_byte_does_not_garble_the_rest() -> None:
    note = parse_note("x.md", "# Größe\n\nsüß ".encode() + b"\xff [[Lamp]]\n")
    assert (note.title, note.body) == ("Größe", "# Größe\n\nsüß \ufffd [[Lamp]]\n")
    assert [problem.line for problem in note.problems] == [3]


def test_a_byte_order_mark_is_no_text() -> None:
    note = parse_note("x.md", b"\xef\xbb\xbf# Lamp\n")
    assert (note.title, note.body, note.problems) == ("Lamp", "# Lamp\n", ())


def test_the_path_is_nfc() -> None:
    assert parse_note("Cafe\u0301.md", b"").path == "Caf\u00e9.md"


def big(line: str, size: int) -> bytes:
    return (line * (size // len(line.encode()) + 1)).encode()


PROSE = "A sentence with a [[link]], a #tag and `code` that goes on for about a line.\n" * 6 + "\n## Part\n\n"
HARD = [
    "[[[[", "](", "`a ``b ", "%%a%%\n\n", "#a", "((k::", "> ", "<a ", "![", "\\", "[a](<", "\n\n    x\n\n- ", "^a ", "k:: v\n",
    "%%\n```\n", "*_`", "[k::[", "| a ", "<!-- ",
]  # fmt: skip


def test_ten_megabytes_take_seconds() -> None:
    data = big(PROSE, 10_000_000)
    start = time.process_time()
    note = parse_note("x.md", data)
    assert time.process_time() - start < 20
    assert len(note.links) > 100_000
    check_places(note)


@pytest.mark.parametrize("piece", HARD)
def test_time_grows_with_the_length(piece: str) -> None:
    start = time.process_time()
    parse_note("x.md", big(piece, 200_000))
    assert time.process_time() - start < 5
