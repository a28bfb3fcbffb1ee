"""Front matter keys of a note set or removed; every other line stays, byte for byte."""

from collections.abc import Collection, Mapping
from typing import Any

from wiki.documents import front_matter
from wiki.documents.front_matter import as_read, same_value
from wiki.documents.yaml_lines import REMOVED
from wiki.errors import InvalidInput
from wiki.vaults.notes.encoding import decode_note


def change_properties(data: bytes, set: Mapping[str, Any], remove: Collection[str] = ()) -> bytes:
    """The note with the keys of ``set`` at these values and without those of ``remove``.

    Only the lines of keys that really change are written anew; new keys come last; front matter is made when there is
    none. Raises InvalidInput on front matter that cannot be read or is not laid out in ``key: value`` lines, on an
    empty key, and on a key that is both set and removed.
    """
    for key in (*set, *remove):
        if not key.strip() or "\n" in key or "\r" in key:
            raise InvalidInput("a property needs a name on one line", field="set")
        if key in set and key in remove:
            raise InvalidInput(f"{key} is both set and removed", field=key)
    decoded = decode_note(data)
    parts = front_matter.split(decoded.text)
    before = parts.tree()
    changes: dict[str, Any] = {key: REMOVED for key in remove if key in before.values or not before.readable}
    for key, value in set.items():
        if key not in before.values or not same_value(before.values[key], as_read(key, value)):
            changes[key] = value
    return decoded.encode(parts.changed(changes, by_line=True).text) if changes else data
