"""Libraries of made-up topics, the same ones for the same seed."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wiki.tenants import Layout, Tenant

TOPICS_A_DOCUMENT = 10
WORDS_A_TOPIC = (90, 170)
CREATED = "2026-01-01T00:00:00Z"

SUBJECTS = {
    "Technology": "server cache queue router kernel compiler sensor battery display firmware cluster network storage",
    "Science": "enzyme orbit isotope crystal neuron magnet telescope genome reaction catalyst particle sediment",
    "Finance": "invoice budget dividend ledger mortgage audit pension currency forecast deposit margin subsidy",
    "Agriculture": "orchard harvest irrigation pasture seedling fertilizer greenhouse vineyard tractor compost drought",
    "Travel": "harbour railway passport itinerary hostel ferry museum luggage border festival lighthouse island",
    "Medical": "vaccine symptom dosage surgery therapy allergy diagnosis clinic fracture recovery nurse screening",
    "Legal": "contract tenant appeal statute witness verdict licence clause liability patent hearing settlement",
    "Education": "lecture curriculum scholarship seminar exam tutor laboratory thesis classroom semester library",
}
QUALITIES = (
    "annual broken cheap coastal daily early empty final fragile heavy hidden late local narrow new northern old open "
    "portable quiet rapid regional remote rural seasonal second sharp shared short slow spare steady thin urban weekly"
).split()
ACTIONS = (
    "replaces delays supports limits follows improves measures protects moves records reduces repairs rejects renews "
    "shares splits stores tests tracks warms compares covers explains feeds inspects joins"
).split()
PLACES = (
    "Aldermoor Brightwater Carrow Dunfield Eastmarsh Farholm Glenrock Hillcott Inverlea Juniper Kestrel Larkspur "
    "Millbrook Northgate Oakhurst Penrose Quarry Ravensby Stonebridge Thornton Upwell Valewood Westerley Yarrow"
).split()


@dataclass(frozen=True)
class SyntheticTopic:
    topic_id: str
    path: Path
    name: str
    body: str


def write_library(root: Path, topics: int, seed: int) -> list[SyntheticTopic]:
    """Write about ``topics`` topics, ten a document, into the default tenant; whole documents only."""
    source = random.Random(seed)
    layout = Layout(root, Tenant())
    written: list[SyntheticTopic] = []
    for number in range(max(1, topics // TOPICS_A_DOCUMENT)):
        written.extend(_write_document(layout, number, source))
    return written


def queries(topics: list[SyntheticTopic], count: int, seed: int) -> Iterator[str]:
    """Questions of three to six words that stand near each other in some topic."""
    source = random.Random(seed + 1)
    for _ in range(count):
        words = source.choice(topics).body.replace(".", "").split()
        start = source.randrange(len(words) - 6)
        yield " ".join(words[start : start + source.randint(3, 6)])


def sentences(subject: str, source: random.Random, words: int) -> str:
    nouns = SUBJECTS[subject].split()
    written: list[str] = []
    count = 0
    while count < words:
        sentence = (
            f"The {source.choice(QUALITIES)} {source.choice(nouns)} of {source.choice(PLACES)} {source.choice(ACTIONS)} "
            f"the {source.choice(QUALITIES)} {source.choice(nouns)} after {source.randint(2, 90)} days."
        )
        written.append(sentence)
        count += len(sentence.split())
    return " ".join(written)


def _write_document(layout: Layout, number: int, source: random.Random) -> Iterator[SyntheticTopic]:
    subject = source.choice(list(SUBJECTS))
    doc_id = f"d_{number:012x}"
    title = f"{source.choice(QUALITIES).title()} {source.choice(SUBJECTS[subject].split()).title()} of {source.choice(PLACES)}"
    folder = layout.knowledge / subject / f"{title.replace(' ', '_')}_{doc_id}"
    folder.mkdir(parents=True)
    (folder / "index.md").write_text(
        f"---\nkind: knowledge_document\ndoc_id: {doc_id}\ntitle: {title}\ncategory_id: {subject}\n"
        f"created_at: {CREATED}\nupdated_at: {CREATED}\nschema_version: 1\n---\n"
        f"Notes about {title.lower()}.\n",
        encoding="utf-8",
    )
    for position in range(1, TOPICS_A_DOCUMENT + 1):
        name = f"{source.choice(SUBJECTS[subject].split()).title()} at {source.choice(PLACES)}"
        body = sentences(subject, source, source.randint(*WORDS_A_TOPIC)) + "\n"
        path = folder / f"{position}_{name.replace(' ', '_')}.md"
        path.write_text(
            f"---\nkind: knowledge_topic\ntopic_id: {doc_id}_{position}\ndoc_id: {doc_id}\ntopic_name: {name}\n"
            f'position: "{position}"\ndepth: 1\nschema_version: 1\n---\n{body}',
            encoding="utf-8",
        )
        yield SyntheticTopic(f"{doc_id}_{position}", path, name, body)
