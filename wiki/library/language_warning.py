"""The warning that a good part of a library is in languages its embedding model does not know."""

from wiki.index.language_counts import LanguageCounts
from wiki.index.languages import language_name
from wiki.models.multilingual import HOW_TO_SWITCH
from wiki.views import WarningView

CODE = "EMBEDDER_LANGUAGE"
TOLERATED = 0.05
NAMED = 3


def language_warnings(counts: LanguageCounts) -> tuple[WarningView, ...]:
    """One warning when more than ``TOLERATED`` of the passages are in a language the model was not made for."""
    if counts.share <= TOLERATED:
        return ()
    most = list(counts.foreign.items())[:NAMED]
    named = ", ".join(f"{language_name(tag)} {count:,}" for tag, count in most)
    message = (
        f"{100 * counts.share:.1f} % of the passages ({counts.foreign_passages:,} of {counts.passages:,}) are in a "
        f"language that the embedding model does not know ({named}{', ...' if len(counts.foreign) > NAMED else ''}): "
        "searches by meaning may miss them, searches by words find them"
    )
    details = {
        "share": round(counts.share, 4),
        "passages": counts.passages,
        "foreign_passages": counts.foreign_passages,
        "languages": dict(counts.foreign),
    }
    return (WarningView(CODE, message, HOW_TO_SWITCH, details),)
