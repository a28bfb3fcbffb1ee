"""Whatever a person wrote is read; what is wrong becomes a problem with line and remedy."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wiki.documents.reader import body_sha256, name_from_file, read_index, read_topic

KEYS = [
    "kind", "doc_id", "topic_id", "title", "category_id", "source_name", "source_type", "source_sha256", "created_at",
    "updated_at", "document_date", "language", "labels", "fields", "extraction", "topic_name", "position", "depth",
    "parent_id", "summary", "summary_of", "source",
]  # fmt: skip


def _topic(front: str, body: str = "body\n", name: str = "2_Some_Name.md"):
    return read_topic(Path("somewhere") / name, f"---\n{front}---\n{body}".encode())


@pytest.mark.parametrize(
    ("file_name", "name"),
    [
        ("2_Infrastructure_Costs.md", "Infrastructure Costs"),
        ("my notes.md", "my notes"),
        ("12_.md", "12"),
        ("2026_plan.MD", "plan"),
        ("日本_語.md", "日本 語"),
        ("_.md", "_"),
    ],
)
def test_a_topic_without_a_name_is_called_after_its_file(file_name: str, name: str) -> None:
    assert name_from_file(file_name) == name
    assert _topic("", name=file_name).name == name


def test_a_hand_made_file_without_front_matter_is_all_body() -> None:
    topic = read_topic(Path("x/My_Topic.md"), b"\xef\xbb\xbf# Heading\n\ntext\n")
    assert (topic.body, topic.body_line, topic.name, topic.claim) == ("# Heading\n\ntext\n", 1, "My Topic", None)
    assert topic.problems == ()


def test_unquoted_numbers_dates_and_words_are_text_as_written() -> None:
    topic = _topic("topic_name: 2024\nposition: 1.10\nlabels: [2026-01-02, no, 007]\nsummary: yes\n")
    assert (topic.name, topic.position, topic.labels, topic.summary) == (
        "2024",
        "1.10",
        ("2026-01-02", "no", "007"),
        "yes",
    )
    index = read_index(Path("index.md"), b"---\ntitle: 1.0\ncreated_at: 2026-11-30 20:40:52+01:00\n---\n")
    assert (index.title, index.created_at) == ("1.0", "2026-11-30T19:40:52Z")


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("topic_id: nonsense", "topic_id"),
        ("topic_name: [a]", "topic_name"),
        ("position: {a: 1}", "position"),
        ("position: 1.x", "position"),
        ("depth: deep", "depth"),
        ("depth: true", "depth"),
        ("depth: 0", "depth"),
        ("depth: 1.5", "depth"),
        ("parent_id: 7", "parent_id"),
        ("labels: cost", "labels"),
        ("labels: [[a]]", "an item of labels"),
        ("summary: {a: 1}", "summary"),
        ("summary_of: short", "summary_of"),
        ("source: [1]", "source"),
        ("kind: recipe", "kind"),
    ],
)
def test_a_value_of_the_wrong_type_is_one_problem_and_the_rest_is_read(line: str, remedy: str) -> None:
    topic = _topic(f"own: 1\n{line}\n")
    (problem,) = topic.problems
    assert problem.line == 3
    assert remedy in problem.remedy
    assert topic.body == "body\n"


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("created_at: yesterday", "created_at"),
        ("document_date: 2026-13-01", "document_date"),
        ("doc_id: d_xyz", "doc_id"),
        ("fields: {a: {b: 1}}", "fields.a"),
        ("fields: text", "fields"),
        ("source_sha256: 12", "source_sha256"),
        ("extraction: outline", "extraction"),
    ],
)
def test_a_wrong_value_of_a_document_is_one_problem(line: str, remedy: str) -> None:
    index = read_index(Path("index.md"), f"---\ntitle: Good\n{line}\n---\nSummary.\n".encode())
    (problem,) = index.problems
    assert problem.line == 3
    assert remedy in problem.remedy
    assert (index.title, index.summary) == ("Good", "Summary.")


def test_absent_and_null_values_are_no_problem() -> None:
    topic = _topic("parent_id: null\nlabels: ~\nsummary:\ndepth:\n")
    assert topic.problems == ()
    assert (topic.parent_id, topic.labels, topic.summary, topic.depth) == (None, (), "", None)


def test_bad_yaml_leaves_the_body_readable() -> None:
    topic = _topic("topic_name: [unclosed\n", "the body\n---\n")
    assert topic.body == "the body\n---\n"
    assert topic.name == "Some Name"
    assert topic.problems[0].line == 2


def test_a_file_that_is_not_utf8_is_read_with_a_problem() -> None:
    topic = read_topic(Path("1_x.md"), b"---\ntopic_name: Caf\xe9\n---\nline\nna\xefve\n")
    assert topic.problems[0].line == 2
    assert "UTF-8" in topic.problems[0].reason
    assert topic.body == "line\nna\ufffdve\n"
    assert topic.name == "Caf\ufffd"


@pytest.mark.parametrize(
    ("written", "stale"),
    [(f"summary: s\nsummary_of: {body_sha256('body')}\n", False), (f"summary: s\nsummary_of: {'0' * 64}\n", True),
     ("summary: s\n", False), (f"summary_of: {'0' * 64}\n", False)],
)  # fmt: skip
def test_a_summary_is_stale_when_the_body_is_no_longer_the_one_it_was_made_from(written: str, stale: bool) -> None:
    assert _topic(written, "body").summary_stale is stale


@pytest.mark.parametrize(
    ("written", "date"),
    [("2026", "2026"), ("2026-11", "2026-11"), ("2026-11-30", "2026-11-30"), ("2026-11-30T10:00:00Z", "2026-11-30")],
)
def test_document_dates_may_be_partial(written: str, date: str) -> None:
    index = read_index(Path("index.md"), f"---\ndocument_date: {written}\n---\n".encode())
    assert (index.document_date, index.problems) == (date, ())


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(
        ["1", "-1", "[a, 1, ~]", "{a: [b], c: {d: 1}}", "text", "2026-01-01", "'", "!!x y", "|\n  a", ".nan", "*a", "&a b", "~", "'9999-99-99'", "0001-01-01T00:00:00+23:00"]
    )), max_size=8),
    st.binary(max_size=20),
)  # fmt: skip
@example([("labels", "[a, b]")], b"")
def test_reading_never_raises(lines: list[tuple[str, str]], body: bytes) -> None:
    data = b"---\n" + "".join(f"{key}: {value}\n" for key, value in lines).encode() + b"---\n" + body
    for file in (read_topic(Path("1_a.md"), data), read_index(Path("index.md"), data)):
        assert all(problem.reason and problem.remedy and problem.line for problem in file.problems)
