"""The brief: what is told, what never is, within a budget, each line cited."""

from hypothesis import given
from hypothesis import strategies as st

from wiki.models.token_estimate import count_pieces
from wiki.vaults.brief import Source, make_brief
from wiki.vaults.model import note_id
from wiki.vaults.notes.parser import parse_note


def source(vault: str, path: str, text: str) -> Source:
    return Source(note_id(vault, path), vault, parse_note(path, text.encode()))


IDENTITY = source("ai", "identity/who.md", "# Who\n\nI keep the books of a pump maker.\n")
RULE = source(
    "ai", "interaction-rules/2026-10-01-tone.md",
    "---\ndate: 2026-10-01\n---\n# Tone\n\n- Answer in **one** paragraph, see [[Style|the style page]]. ^tone\n- Never say `sorry`.\n",
)  # fmt: skip
FACT = source("user", "facts/tools.md", "Works with pnpm.\n%%secret aside%%\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
DECISION = source(
    "work", "Architecture/decisions/0007-queue.md",
    "---\ntype: adr\nstatus: accepted\ndate: 2026-11-02\n---\n# Use one queue\n\n## Decision\n\nJobs wait in one queue. It is simple.\n",
)  # fmt: skip
RUNBOOK = source("work", "CloudOps/restart.md", "Restart the pump controller.\n")


def test_each_part_is_told_in_order_with_its_place() -> None:
    brief = make_brief([RUNBOOK, DECISION, FACT, RULE, IDENTITY], 1_500)
    assert brief.text == (
        "## Who I am\n\n- I keep the books of a pump maker. [ai/identity/who.md:3]\n\n"
        "## Standing rules\n\n"
        "- Answer in one paragraph, see the style page. [ai/interaction-rules/2026-10-01-tone.md:6]\n"
        "- Never say sorry. [ai/interaction-rules/2026-10-01-tone.md:7]\n\n"
        "## About the user\n\n- Works with pnpm. [user/facts/tools.md:1]\n\n"
        "## Recent decisions\n\n- Use one queue: Jobs wait in one queue. [work/Architecture/decisions/0007-queue.md:10]\n"
    )
    assert brief.left_out == 0
    assert brief.tokens == count_pieces(brief.text)


def test_what_is_superseded_staged_an_example_or_a_readme_is_never_told() -> None:
    gone = [
        source("ai", "interaction-rules/a.md", "---\nstatus: superseded\n---\nOld rule.\n"),
        source("ai", "interaction-rules/b.md", "---\nsuperseded_by: '[[c]]'\n---\nOlder rule.\n"),
        source("ai", "interaction-rules/d.md", "---\nstatus: example\n---\nExample rule.\n"),
        source("ai", "interaction-rules/README.md", "How rules are written.\n"),
        source("ai", "observations/e.md", "Seen once.\n"),
        source("user", "facts/f.md", "---\nstatus: staged\n---\nNot decided.\n"),
    ]
    assert make_brief(gone, 1_500).text == ""


def test_the_newest_come_first_and_what_does_not_fit_is_counted() -> None:
    rules = [
        source("ai", f"interaction-rules/2026-{month:02}-01-rule.md", f"---\ndate: 2026-{month:02}-01\n---\nRule number {month}.\n")
        for month in range(1, 13)
    ]  # fmt: skip
    brief = make_brief(rules, 150)
    told = [line.text for line in brief.lines]
    assert told == [f"Rule number {12 - place}." for place in range(len(told))]
    assert 0 < len(told) < 12
    assert brief.left_out == 12 - len(told)


@given(
    st.lists(st.text("ab .\n#-*|>[]`%", max_size=200), max_size=8), st.integers(min_value=1, max_value=400)
)  # fmt: skip
def test_any_notes_stay_within_the_budget_and_every_line_is_cited(texts: list[str], tokens: int) -> None:
    places = (("ai", "identity"), ("ai", "interaction-rules"), ("user", "facts"), ("work", "Architecture/decisions"))
    sources = [
        source(vault, f"{folder}/{number}.md", text)
        for number, text in enumerate(texts)
        for vault, folder in places
    ]  # fmt: skip
    brief = make_brief(sources, tokens)
    assert brief.tokens <= tokens + 8
    shown = [line for line in brief.text.splitlines() if line.startswith("- ")]
    assert len(shown) == len(brief.lines)
    assert all(f"[{line.vault}/{line.path}:{line.line}]" in text for line, text in zip(brief.lines, shown, strict=True))
