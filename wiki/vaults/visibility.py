"""Whether a note may be found, by where it lies."""

from wiki.vaults.model import Vault
from wiki.vaults.patterns import matching

INBOX = "_inbox"


def in_inbox(path: str) -> bool:
    """Whether a path lies in an inbox, or is one."""
    return any(part.casefold() == INBOX for part in path.split("/"))


def why_hidden(vault: Vault, path: str) -> str | None:
    """The rule that keeps the note at ``path`` out of retrieval; None when it may be found."""
    *folders, name = path.split("/")
    if vault.inside_inbox:
        return f"the folder of vault {vault.name} lies in an {INBOX}"
    if any(part.startswith(".") for part in (*folders, name)):
        return "a name that begins with a dot is hidden"
    if in_inbox("/".join(folders)):
        return f"it is staged in {INBOX}"
    if vault.hide_underscored and (hidden := next((part for part in folders if part.startswith("_")), None)):
        return f"folders that begin with _ are hidden in {vault.name}: {hidden}"
    pattern = matching(vault.exclude, path)
    return None if pattern is None else f"vaults.exclude has {pattern}"
