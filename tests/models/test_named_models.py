"""Models by path: a tiny transformer the test makes itself."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wiki.errors import ConfigurationError, ExternalServiceUnavailable
from wiki.index.passages import cut_passages
from wiki.models.protocols import Candidate
from wiki.models.rerankers import CrossEncoderReranker
from wiki.models.sentence_transformer import SentenceTransformerEmbedder

pytestmark = [pytest.mark.real_model, pytest.mark.filterwarnings("ignore")]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "query", "passage", ":", "rent", "rose", "whales", "sing", "."]


def make_transformer(folder: Path, labels: int | None = None) -> Path:
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(3)
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=64, num_labels=labels or 2,
    )  # fmt: skip
    model: Any = BertForSequenceClassification(config) if labels else BertModel(config)
    model.save_pretrained(folder)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_max_length=48,
    )  # fmt: skip
    fast.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_transformer(tmp_path_factory.mktemp("models") / "tiny-e5-test")


def test_vectors_are_unit_length_and_without_token_vectors(encoder: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(encoder))
    first, second = embedder.embed(["rent rose .", "whales sing ."])
    assert embedder.dim == 16 and first.tokens is None
    assert np.linalg.norm(first.vector) == pytest.approx(1, abs=1e-5)
    assert not np.allclose(first.vector, second.vector)
    assert embedder.embed([]) == []
    assert embedder.max_tokens == 48


def test_the_e5_family_gets_its_prompts_and_a_setting_overrides_them(encoder: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(encoder))
    plain = SentenceTransformerEmbedder(str(encoder), query_prompt="passage: ")
    query = embedder.embed_query("rent rose")
    assert not np.allclose(query.vector, embedder.embed(["rent rose"])[0].vector)
    assert np.allclose(plain.embed_query("rent rose").vector, plain.embed(["rent rose"])[0].vector, atol=1e-5)
    assert plain.fingerprint != embedder.fingerprint
    assert embedder.count_tokens([""]) == [4]


def test_passages_fit_its_window(encoder: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(encoder))
    passages = cut_passages("rent", "whales sing . " * 60, 1, embedder)
    assert max(embedder.count_tokens([passage.embedded_text for passage in passages])) <= 48
    assert embedder.token_spans("rent rose") == [(0, 4), (5, 9)]


def test_another_dimension_than_the_setting_is_a_configuration_error(encoder: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"16 dimensions, embedding\.dim says 768"):
        SentenceTransformerEmbedder(str(encoder), dim=768).embed_query("rent")


def test_a_cross_encoder_scores_between_0_and_1(tmp_path: Path) -> None:
    reranker = CrossEncoderReranker(str(make_transformer(tmp_path / "cross", labels=1)))
    scores = reranker.score("rent", None, [Candidate("rent rose", None), Candidate("whales sing", None)])
    assert len(scores) == 2 and all(0 < score < 1 for score in scores) and scores[0] != scores[1]
    assert reranker.score("rent", None, []) == []


def test_a_model_that_cannot_be_loaded_is_an_unavailable_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ExternalServiceUnavailable, match=r"embedding\.model"):
        SentenceTransformerEmbedder(str(tmp_path / "absent")).embed_query("rent")
    with pytest.raises(ExternalServiceUnavailable, match=r"rerank\.model"):
        CrossEncoderReranker(str(tmp_path / "absent")).score("rent", None, [Candidate("x", None)])
