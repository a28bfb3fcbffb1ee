"""The topic tree as a language model proposes it: boundaries, names, summaries, labels and category, never text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wiki.errors import ExternalServiceUnavailable, ExtractionEmpty
from wiki.extraction.categories import FALLBACK
from wiki.extraction.llm.dialogue import Dialogue
from wiki.extraction.llm.finishing import Finishing
from wiki.extraction.llm.questions import Whole
from wiki.extraction.llm.replies import Replies
from wiki.extraction.llm.rounds import Rounds
from wiki.extraction.llm.structure import Builder, known_topics
from wiki.extraction.llm.windows import MOST_REPLY_TOKENS
from wiki.extraction.outline import outline
from wiki.extraction.tree import TopicTree
from wiki.models.protocols import ChatModel, Embedder
from wiki.parsing.blocks import ParsedDocument
from wiki.parsing.source import Progress, no_progress
from wiki.settings import ExtractionSettings


@dataclass(frozen=True)
class TreeModel:
    """The language model that proposes trees."""

    chat: ChatModel
    reply_tokens: int = MOST_REPLY_TOKENS
    """The longest reply it is asked for."""
    replies: Path | None = None
    """The folder its replies are kept in; None: they are not."""


def llm_tree(
    parsed: ParsedDocument,
    *,
    title: str,
    embedder: Embedder,
    categories: Sequence[tuple[str, str]],
    settings: ExtractionSettings,
    model: TreeModel,
    category_id: str | None = None,
    labels: tuple[str, ...] = (),
    progress: Progress = no_progress,
) -> TopicTree:
    """The topic tree of ``parsed``, which must come from ``prepare``. Arguments as those of ``outline``.

    ``notes`` tell how it was made: ``calls`` to the model and answers ``cached``, how much was ``repaired``, the
    ``coverage`` of the document by its topics (always 1.000), and with ``extraction.fallback = outline`` the reason
    for a ``fallback``. ``progress`` hears of each call.

    Raises ``ExtractionEmpty`` for a document without text, ``ExternalServiceUnavailable`` when the provider fails, or
    when what it answers is of no use and there is no fallback, and ``ConfigurationError`` when the model's context is
    too small.
    """
    if not any(block.text.strip() for block in parsed.blocks):
        raise ExtractionEmpty("the document holds no text; nothing was added")
    dialogue = Dialogue(model.chat, None if model.replies is None else Replies(model.replies))
    # Questions don't depend on the title: the same bytes under another one are answered from the cache.
    known = known_topics(parsed.blocks, settings, parsed.title or "")
    builder = Builder(parsed.blocks, known, settings)
    ids = [category for category, _ in categories]
    choice = Whole(tuple(categories), FALLBACK if FALLBACK in ids or not ids else ids[-1])
    rounds = Rounds(parsed.blocks, known, builder, settings, dialogue, choice, asks_category=category_id is None)
    answers = rounds.ask(model.reply_tokens, progress)
    if not answers.refused:
        finishing = Finishing(parsed.blocks, title, embedder, choice.categories, settings)
        return finishing.tree(answers, builder.build(answers.topics, answers.joined), dialogue, category_id, labels)
    if settings.fallback != "outline":
        raise ExternalServiceUnavailable(
            f"the model {model.chat.name} was asked twice and answered {answers.refused}. Try again, choose another "
            "llm.model, or set extraction.fallback = outline to take the document's headings then",
            provider="llm",
        )
    tree = outline(
        parsed,
        title=title,
        embedder=embedder,
        categories=categories,
        settings=settings,
        category_id=category_id,
        labels=labels,
    )
    why = f"the model {model.chat.name} answered {answers.refused}"
    return replace(tree, notes={**tree.notes, "fallback": why, "calls": str(dialogue.calls)})
