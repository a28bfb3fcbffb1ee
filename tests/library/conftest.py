"""A library on a temporary root, with the stand-in embedder and the real reranker."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.extraction.llm.models import StandInChat
from tests.library.reextraction import MANUAL
from tests.standins import WordEmbedder
from wiki.library import Library, TenantLibrary
from wiki.settings import ApiSettings, ExtractionSettings, Settings


@pytest.fixture
def library(root: Path) -> Iterator[Library]:
    library = Library(Settings(root=root, api=ApiSettings(wait_seconds=30)), embedder=WordEmbedder())
    yield library
    library.close()


@pytest.fixture
def here(library: Library) -> TenantLibrary:
    return library.tenant()


@pytest.fixture
def note(tmp_path: Path) -> Path:
    """A Markdown file whose structure must come back byte for byte."""
    path = tmp_path / "handbook.md"
    path.write_text(HANDBOOK, encoding="utf-8")
    return path


@pytest.fixture
def opened_with(root: Path) -> Iterator[Callable[..., TenantLibrary]]:
    """Makes a library on the temporary root with these extraction settings, as a later start of the service would."""
    made: list[Library] = []

    def make(chat: StandInChat | None = None, **extraction: Any) -> TenantLibrary:
        method: Any = "llm" if chat is not None else "outline"
        chosen = Settings(
            root=root, api=ApiSettings(wait_seconds=30), extraction=ExtractionSettings(method=method, **extraction)
        )
        made.append(Library(chosen, embedder=WordEmbedder(), chat=chat))
        return made[-1].tenant()

    yield make
    for library in made:
        library.close()


@pytest.fixture
def manual(tmp_path: Path) -> Path:
    """A document of so many small parts that settings decide which stand alone."""
    path = tmp_path / "manual.md"
    path.write_text(MANUAL, encoding="utf-8")
    return path


HANDBOOK = """# Pump handbook

What to do when a pump stands still. Read this before calling anybody, because most faults are small and a spare
seal lies in the second drawer of the workshop. The night shift keeps a list of what was changed and why.

## Seals

A seal leaks when its spring is tired. Replace the spring first, then the ring, and turn the shaft by hand.

- look at the drain
    - water: the ring
    - oil: the motor side
        1. drain it
        2. weigh it

```python
def leak(rate):
    if rate > 3:

        return "replace"
	return "watch"   # a tab, kept
```

After the repair the pump runs for one hour at half speed while somebody listens for a whistle in the bearing.


## Motors

| type | power | note |
| --- | ---: | :--- |
| A1 | 3 kW | hums \\| whistles |
| B2 | 5 kW |  |

Motors are checked in autumn. The rotor is taken out and laid on felt, never on steel, and the bearing is greased.
    trailing spaces stay   

Last line without an end"""
