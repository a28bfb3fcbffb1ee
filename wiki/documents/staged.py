"""A document's new folder put together in ``.staging``, forced to disk, before it enters by one step."""

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from wiki.documents import slugs
from wiki.documents.changes import replaced_topic
from wiki.documents.model import INDEX_FILE, ORIGINAL_DIR, NewDocument
from wiki.documents.render import render_topic
from wiki.filesystem import fsync_dir, fsync_file, fsync_tree, write_new


def stage(staged: Path, new: NewDocument, index: bytes, original: Path | None, taken: Collection[str] = ()) -> None:
    """Make the folder with ``index.md``, the topic files, called so that none is named like one of ``taken``, and a
    copy of the original."""
    staged.mkdir()
    write_new(staged / INDEX_FILE, index)
    for topic in new.topics:
        data = render_topic(topic, new.doc_id) if topic.over is None else replaced_topic(topic, new.doc_id)
        write_new(staged / slugs.free_topic_file_name(topic.number, topic.name, taken), data)
    if original is not None:
        kept = staged / ORIGINAL_DIR / slugs.original_name(new.source_name)
        kept.parent.mkdir()
        shutil.copyfile(original, kept)
        fsync_file(kept)
        fsync_dir(kept.parent)
    fsync_dir(staged)


def carry_over(folder: Path, staged: Path, *, keep_original: bool, keep: Collection[str]) -> None:
    """Take along what a new version does not make: other files and folders, the Markdown files of ``keep``."""
    for path in folder.iterdir():
        is_folder = path.is_dir() and not path.is_symlink()
        if path.name == ORIGINAL_DIR and not keep_original:
            continue
        if is_folder or path.suffix.lower() != ".md" or path.name in keep:
            _carry(path, staged / path.name)
            if is_folder:
                fsync_tree(staged / path.name)
            elif not path.is_symlink():
                fsync_file(staged / path.name)
    fsync_dir(staged)


def _carry(path: Path, target: Path) -> None:
    """A second name for the same file, so a large original costs nothing; a copy where the disk knows no such thing."""
    if path.is_symlink() or not path.is_dir():
        try:
            os.link(path, target, follow_symlinks=False)
        except (OSError, NotImplementedError):
            shutil.copy2(path, target, follow_symlinks=False)
        return
    target.mkdir()
    for child in path.iterdir():
        _carry(child, target / child.name)
    shutil.copystat(path, target)
