"""Notes of a vault, read from their bytes and changed without touching any other byte. Nothing here reads a disk."""
