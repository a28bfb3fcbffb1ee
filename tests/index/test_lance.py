"""The passage store: one commit per replacement, every row findable at once, queries are words."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.standins import WordEmbedder
from wiki.errors import InternalError
from wiki.index.folding import fold
from wiki.index.lance import PassageStore, any_of, quote
from wiki.index.passages import cut_passages
from wiki.index.rows import PassageRow

EMBEDDER = WordEmbedder()
TEXTS = {
    "d_1_1": ("Costs", "Rent and power rose in March."),
    "d_1_2": ("Growth", "Revenue grew; the dogs' food line led."),
    "d_2_1": ("東京", "東京都は日本の首都である。人口は多い。"),
    "d_2_2": ("天气", "北京明天下雨，气温下降。"),
}


def row(record_id: str, name: str, text: str, ordinal: int = 0, **values: object) -> PassageRow:
    (passage,) = cut_passages(name, text, 1, EMBEDDER)
    (embedding,) = EMBEDDER.embed([passage.embedded_text])
    made = PassageRow(
        passage_id=f"{record_id}#{ordinal}",
        record_id=record_id,
        doc_id=record_id.rpartition("_")[0],
        record_type="topic",
        namespace="Business",
        title="Report",
        name=name,
        heading_path="",
        text=text,
        search_text=fold(f"Report\n{name}\n{text}"),
        labels=("alpha",),
        type=None,
        status=None,
        language=None,
        created_at="2026-11-30T00:00:00Z",
        updated_at="2026-11-30T00:00:00Z",
        document_date=None,
        fields=(),
        line_start=1,
        line_end=1,
        pages=(1, 2),
        topic_sha256="t",
        passage_sha256=passage.sha256,
        model=EMBEDDER.fingerprint,
        vector=embedding.vector,
        tokens=embedding.tokens,
    )
    return replace(made, **values)


def rows() -> list[PassageRow]:
    return [row(record_id, name, text) for record_id, (name, text) in TEXTS.items()]


@pytest.fixture
def store(tmp_path: Path) -> PassageStore:
    made = PassageStore(tmp_path / "lance", EMBEDDER.dim)
    assert made.replace_records(rows(), TEXTS) == (4, 0)
    return made


def found(store: PassageStore, text: str, where: str | None = None) -> list[str]:
    return [recall.record_id for recall in store.keyword(text, 10, where)]


def test_a_store_without_rows_answers_with_nothing(tmp_path: Path) -> None:
    store = PassageStore(tmp_path / "none", 384)
    assert store.keyword("x", 5) == [] and store.vector(np.zeros(384, np.float32), 5) == []
    assert (store.count(), store.version(), store.disk_bytes(), store.fingerprints()) == (0, 0, 0, set())
    assert store.known_vectors(["h"], "m") == {} and store.fetch(["a"], ["text"]) == {}
    assert store.replace_records([], ["gone"]) == (0, 0)
    store.optimize()
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("query", "record_id"),
    [
        ("dog", "d_1_2"),
        ("DOGS", "d_1_2"),
        ("首都", "d_2_1"),
        ("下雨", "d_2_2"),
        ("ｒｅｎｔ", "d_1_1"),
        ("rising rent", "d_1_1"),
    ],
)
def test_keyword_finds_words_of_every_script_and_stems_english(store: PassageStore, query: str, record_id: str) -> None:
    assert found(store, query)[0] == record_id


def test_vector_gives_cosines_best_first(store: PassageStore) -> None:
    recalls = store.vector(EMBEDDER.embed_query("Costs rent and power rose in march").vector, 3)
    assert recalls[0].record_id == "d_1_1" and recalls[0].score == pytest.approx(1, abs=1e-5)
    assert [recall.score for recall in recalls] == sorted((recall.score for recall in recalls), reverse=True)


def test_filters_hold_before_recall(store: PassageStore) -> None:
    store.replace_records([row("d_9_1", "Rent", "rent rent rent", namespace="Law")], ["d_9_1"])
    where = f"namespace = {quote('Law')}"
    assert found(store, "rent", where) == ["d_9_1"]
    vector = EMBEDDER.embed_query("power march").vector
    assert [recall.record_id for recall in store.vector(vector, 1, where)] == ["d_9_1"]
    assert found(store, "rent", "array_has_any(labels, ['alpha'])")


def test_replacing_is_one_commit_that_leaves_exactly_the_given_rows(store: PassageStore) -> None:
    before = store.version()
    new = [row("d_1_1", "Costs", "one"), row("d_1_1", "Costs", "two", 1), row("d_3_1", "New", "three")]
    assert store.replace_records(new, ["d_1_1", "d_1_2", "d_3_1"]) == (3, 1)
    assert store.version() == before + 1
    left = store.rows(["passage_id", "text"]).sort_by("passage_id").to_pylist()
    assert [(item["passage_id"], item["text"]) for item in left[:3]] == [
        ("d_1_1#0", "one"),
        ("d_1_1#1", "two"),
        ("d_2_1#0", TEXTS["d_2_1"][1]),
    ]
    assert store.count() == 5
    assert store.replace_records([new[0]], ["d_1_1"]) == (1, 1)
    assert store.replace_records([], ["d_1_1", "d_3_1", "absent"]) == (0, 2)
    assert store.count() == 2


def test_rows_come_back_as_they_were_written(store: PassageStore) -> None:
    stored = store.fetch(["d_1_1#0", "absent"], ["labels", "pages", "type", "line_start"])
    assert stored == {
        "d_1_1#0": {"passage_id": "d_1_1#0", "labels": ["alpha"], "pages": [1, 2], "type": None, "line_start": 1}
    }


def test_known_vectors_belong_to_their_model(store: PassageStore) -> None:
    wanted = rows()[0]
    known = store.known_vectors([wanted.passage_sha256, "absent"], EMBEDDER.fingerprint)
    assert list(known) == [wanted.passage_sha256]
    assert np.array_equal(known[wanted.passage_sha256].vector, wanted.vector)
    assert np.array_equal(known[wanted.passage_sha256].tokens, wanted.tokens)
    assert store.known_vectors([wanted.passage_sha256], "another") == {}


def test_a_second_reader_sees_a_commit_and_a_delete_at_once(store: PassageStore) -> None:
    reader = PassageStore(store.path, EMBEDDER.dim)
    assert found(reader, "zebra") == []
    store.replace_records([row("d_5_1", "Zoo", "a zebra")], ["d_5_1"])
    assert found(reader, "zebra") == ["d_5_1"]
    store.replace_records([], ["d_5_1"])
    assert found(reader, "zebra") == []


def test_many_new_records_are_added_in_bulk_and_optimized(store: PassageStore) -> None:
    many = [row(f"d_8_{number}", f"Note {number}", f"bulk text {number}") for number in range(700)]
    assert store.replace_records(many, [item.record_id for item in many]) == (700, 0)
    store.optimize()
    assert store.count() == 704
    assert len(store.keyword("bulk", 1_000)) == 700
    assert len(store.fetch([item.passage_id for item in many], ["name"])) == 700
    assert store.disk_bytes() > 0


def test_a_documents_columns_are_set_without_touching_its_vectors(store: PassageStore) -> None:
    assert store.update_document("d_1", {"namespace": "Law", "labels": ["beta"]}) == 2
    assert {item["namespace"] for item in store.rows(["namespace"], "doc_id = 'd_1'").to_pylist()} == {"Law"}
    assert store.fingerprints() == {EMBEDDER.fingerprint}


def test_a_vector_of_another_size_is_refused(store: PassageStore) -> None:
    with pytest.raises(InternalError, match="dimension"):
        store.replace_records([row("d_1_1", "x", "y", vector=np.ones(7, np.float32))], ["d_1_1"])


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> PassageStore:
    made = PassageStore(tmp_path_factory.mktemp("lance"), EMBEDDER.dim)
    made.replace_records(rows(), TEXTS)
    return made


@given(
    text=st.one_of(
        st.text(max_size=200),
        st.text("\"'()[]{}+-*:^~!&|\\/ANDORT rent", min_size=1, max_size=2_000),
        st.sampled_from(
            ['"rent', "rent AND", "(", "title:rent", "rent~2", "a" * 2_000, "' OR 1=1 --", "\x00", "\ud800"[:0]]
        ),
    )
)
@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_query_text_is_only_words(shared_store: PassageStore, text: str) -> None:
    shared_store.keyword(text, 5)
    shared_store.rows(["passage_id"], any_of("name", [text]))


def test_quotes_and_operators_do_not_change_what_is_found(shared_store: PassageStore) -> None:
    for query in ('"rent"', "(rent)", "+rent -power", "rent AND NOT power", "name:rent", "[rent]^2"):
        assert "d_1_1" in found(shared_store, query)
