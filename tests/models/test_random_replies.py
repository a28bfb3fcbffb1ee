"""Whatever JSON an endpoint answers: a result of the right form, or one of our errors."""

import json
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.endpoints import EndpointServer, Script
from wiki.errors import ConfigurationError, ExternalServiceUnavailable
from wiki.models import chat, remote_embedder, remote_reranker
from wiki.models.endpoint import Endpoint
from wiki.models.protocols import Candidate

NAMES = (
    "data", "index", "embedding", "results", "relevance_score", "score", "choices", "message", "content", "text",
    "finish_reason", "usage", "prompt_tokens", "refusal", "reasoning_content", "error", "detail",
)  # fmt: skip
NUMBERS = st.integers(-2, 3) | st.floats() | st.sampled_from([10**400, -(10**400), 1e308])
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=20,
)
VECTORS = st.lists(
    st.fixed_dictionaries({"index": st.integers(0, 1), "embedding": st.lists(NUMBERS, min_size=1, max_size=3)}),
    min_size=2,
    max_size=2,
)
SCORES = st.lists(st.fixed_dictionaries({"index": st.integers(0, 1), "score": NUMBERS}), min_size=2, max_size=2)
MESSAGES = st.fixed_dictionaries(
    {"message": st.fixed_dictionaries({"content": JSON})}, optional={"finish_reason": JSON}
)
OURS = (ExternalServiceUnavailable, ConfigurationError)


Answering = Callable[[object], Endpoint]


@pytest.fixture(scope="module")
def answering() -> Iterator[Answering]:
    """An endpoint that answers what it is given."""
    with EndpointServer([Script({})]) as server:
        endpoint = Endpoint("llm", "model", server.base_url, "", ("x",), retries=0)

        def answer(reply: object) -> Endpoint:
            server.replies = [Script(json.dumps(reply))]
            return endpoint

        yield answer


@given(reply=JSON | st.fixed_dictionaries({"data": VECTORS}))
def test_vectors_are_two_of_unit_length_or_refused(answering: Answering, reply: object) -> None:
    try:
        made = remote_embedder.RemoteEmbedder(answering(reply), "m").embed_vectors(["a", "b"])
    except OURS:
        return
    assert len(made) == 2 and made[0].shape == made[1].shape
    assert all(math.isclose(float(np.linalg.norm(vector)), 1, abs_tol=1e-5) for vector in made)


@given(reply=JSON | SCORES)
def test_scores_are_two_from_0_to_1_or_refused(answering: Answering, reply: object) -> None:
    model = remote_reranker.RemoteReranker(answering(reply), "tei", "m")
    try:
        scores = model.score("q", None, [Candidate("a", None), Candidate("b", None)])
    except OURS:
        return
    assert len(scores) == 2 and all(0 <= score <= 1 for score in scores)


@given(
    reply=JSON
    | st.fixed_dictionaries({"choices": st.lists(MESSAGES, min_size=1, max_size=2)}, optional={"usage": JSON})
)
def test_a_completion_is_text_or_refused(answering: Answering, reply: object) -> None:
    model = chat.OpenAIChat(answering(reply), "m", context_tokens=1, timeout_seconds=5, within_seconds=5)
    try:
        answer = model.ask("s", "u", schema={}, max_tokens=1)
    except OURS:
        return
    assert isinstance(answer.text, str) and isinstance(answer.cut, bool)
    assert answer.prompt_tokens >= 0 and answer.reply_tokens >= 0
