"""Asking a model: from the cache where it was asked before, and once more where its answer can't be used."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from wiki.extraction.llm.prompts import filled
from wiki.extraction.llm.proposal import Proposal
from wiki.extraction.llm.replies import KeptReply, Question, Replies
from wiki.models.protocols import ChatModel

AGAIN_TOKENS = 400
"""What the second request is longer than the first."""
LONGEST_FAULT = 200

Read = Callable[[str, bool], Proposal]
"""From a reply's text, and whether it was cut, to what can be used of it."""


class Dialogue:
    """The calls for one document, counted. Thread safe."""

    def __init__(self, chat: ChatModel, replies: Replies | None) -> None:
        self._chat = chat
        self._replies = replies
        self._guard = threading.Lock()
        self.calls = 0
        """Times the model was asked."""
        self.cached = 0
        """Questions answered by a kept reply."""

    @property
    def model(self) -> str:
        return self._chat.name

    @property
    def context_tokens(self) -> int:
        """Of one call, as far as questions may fill it: asking again takes some more."""
        return self._chat.context_tokens - AGAIN_TOKENS

    def ask(self, question: Question, read: Read, same: Sequence[Question] = ()) -> Proposal:
        """What the model proposes; not ``usable`` when its second answer isn't either.

        A kept reply to ``question``, or to one in ``same`` that asks for more, costs no call. A reply is kept once it
        is usable. Raises what the model raises.
        """
        known = self._known([question, *same], read)
        if known is not None:
            return known
        first = self._answer(question, read)
        best = first
        if first[1].faults or not first[1].usable:
            said = "\n".join(f"- {fault[:LONGEST_FAULT]}" for fault in first[1].faults)
            second = self._answer(replace(question, user=filled("again", question=question.user, faults=said)), read)
            best = min(second, first, key=_badness)
            best = (best[0], replace(best[1], repairs=best[1].repairs + 1))
        if best[1].usable and self._replies is not None:
            self._replies.put(question.key(self.model), best[0], self.model)
        return best[1]

    def _known(self, questions: Sequence[Question], read: Read) -> Proposal | None:
        for question in questions if self._replies is not None else ():
            kept = self._replies.get(question.key(self.model)) if self._replies else None
            proposal = read(kept.text, kept.cut) if kept else None
            if proposal is not None and proposal.usable:
                with self._guard:
                    self.cached += 1
                return proposal
        return None

    def _answer(self, question: Question, read: Read) -> tuple[KeptReply, Proposal]:
        with self._guard:
            self.calls += 1
        reply = self._chat.ask(question.system, question.user, schema=question.schema, max_tokens=question.max_tokens)
        return KeptReply(reply.text, reply.cut), read(reply.text, reply.cut)


def _badness(answer: tuple[KeptReply, Proposal]) -> tuple[bool, int, int, int]:
    proposal = answer[1]
    return not proposal.usable, len(proposal.faults), -len(proposal.topics), proposal.repairs
