"""Fit ``wiki/models/token_projection.npz``: the map from hidden states to compact token vectors, and word-piece rarity.

    python bench/fit_token_projection.py --collections ../shared/eval

Broad text: samples of the retrieval collections (English abstracts, Japanese, and the twelve languages of XQuAD) and
the sources, tables and docstrings of Python's standard library. The map is the first 96 right singular vectors of the
unit hidden states (no centring: scores are dot products); rarity is log((N + 1) / (df + .5)) over passages.
The result is the same on every run.
"""

import argparse
import json
import random
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from wiki.models.bundled import BundledEmbedder
from wiki.models.token_projection import PROJECTION_FILE, unit_rows

DIMENSIONS = 96
VOCABULARY = 30_522
FIT_SAMPLES = {"scifact": 250, "cranfield": 120, "cisi": 120, "npl": 250, "jaquad": 80, "xquad": 360}
FIT_SOURCES = 260


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--collections", type=Path, default=Path("../shared/eval"))
    options.add_argument("--output", type=Path, default=PROJECTION_FILE)
    given = options.parse_args()
    embedder = BundledEmbedder()
    rng = random.Random(7)
    texts = {name: list(documents(given.collections / name)) for name in FIT_SAMPLES}
    sources = list(source_passages(Path(sysconfig.get_path("stdlib"))))
    sample = [text for name, size in FIT_SAMPLES.items() for text in rng.sample(texts[name], size)]
    sample += rng.sample(sources, FIT_SOURCES)

    moments = np.zeros((embedder.dim, embedder.dim))
    for _, states in embedder.hidden_states(sample):
        rows = unit_rows(states).astype(np.float64)
        moments += rows.T @ rows
    _, vectors = np.linalg.eigh(moments)
    matrix = vectors[:, ::-1][:, :DIMENSIONS]

    passages = [text for name in FIT_SAMPLES for text in texts[name]] + sources
    frequency = np.zeros(VOCABULARY)
    for ids in embedder.piece_ids(passages):
        frequency[list(set(ids))] += 1
    idf = np.log((len(passages) + 1) / (frequency + 0.5))
    np.savez_compressed(given.output, matrix=matrix.astype(np.float32), idf=idf.astype(np.float32))
    kept = np.trace(matrix.T @ moments @ matrix) / np.trace(moments)
    sys.stdout.write(f"{len(sample)} texts for the map ({kept:.3f} of the energy kept), {len(passages)} for rarity\n")


def documents(folder: Path) -> Iterator[str]:
    with (folder / "documents.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            if text := f"{document['title']}\n{document['text']}".strip():
                yield text


def source_passages(stdlib: Path) -> Iterator[str]:
    for path in sorted(stdlib.glob("*.py")) + sorted(stdlib.glob("email/*.py")) + sorted(stdlib.glob("json/*.py")):
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        for start in range(0, len(lines), 25):
            if text := "\n".join(lines[start : start + 25]).strip():
                yield text


if __name__ == "__main__":
    main()
