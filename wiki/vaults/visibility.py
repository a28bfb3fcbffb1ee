"""Whether a note may be found, by where it lies."""

from wiki.vaults.model import Vault
from wiki.vaults.patterns import matching

INBOX = "_inbox"


def why_hidden(vault: Vault, path: str) -> str | None:
    """The rule that keeps the note at ``path`` out of retrieval; None when it may be found."""
    *folders, name = path.split("/")
    if any(part.startswith(".") for part in (*folders, name)):
        return "a name that begins with a dot is hidden"
    if any(folder.casefold() == INBOX for folder in folders):
        return f"it is staged in {INBOX}"
    if vault.hide_underscored and (hidden := next((part for part in folders if part.startswith("_")), None)):
        return f"folders that begin with _ are hidden in {vault.name}: {hidden}"
    pattern = matching(vault.exclude, path)
    return None if pattern is None else f"vaults.exclude has {pattern}"
