"""The language of a passage: right where it can be told, silent where it cannot, hardly ever wrong about English."""

import json
from pathlib import Path

import pytest

from tests.standins import WordEmbedder
from wiki.index.languages import foreign_passages, language_name, language_of
from wiki.index.passages import cut_passages

TOLD = {
    "en": "The pump stands still because the seal does not hold, and the water runs along the shaft.",
    "de": "Die Pumpe steht still, weil die Dichtung nicht mehr hält und das Wasser an der Welle entlang läuft.",
    "fr": "La pompe est arrêtée parce que le joint ne tient plus et que l'eau passe le long de l'arbre.",
    "es": "La bomba está parada porque la junta ya no cierra y el agua corre por el eje de la máquina.",
    "it": "La pompa è ferma perché la guarnizione non tiene più e l'acqua scorre lungo il suo albero.",
    "pt": "A bomba está parada porque a vedação não segura mais e a água corre pelo eixo da máquina.",
    "nl": "De pomp staat stil omdat de afdichting niet meer houdt en het water langs de as van de motor loopt.",
    "pl": "Pompa stoi, ponieważ uszczelka już nie trzyma i woda się leje, a to jest przy wale silnika.",
    "tr": "Pompa duruyor çünkü conta artık tutmuyor ve su milin boyunca akıyor, bu da motor için çok kötü.",
    "vi": "Máy bơm đã dừng vì gioăng không còn kín và nước chảy dọc theo trục của động cơ.",
    "sv": "Pumpen står stilla eftersom tätningen inte håller längre och vattnet rinner längs med axeln.",
    "und-Cyrl": "Насос стоит, потому что уплотнение больше не держит.",
    "el": "Η αντλία σταμάτησε επειδή το παρέμβυσμα δεν κρατά.",
    "und-Arab": "توقفت المضخة لأن الحشية لم تعد محكمة.",
    "th": "ปั๊มหยุดเพราะซีลรั่ว",
    "ko": "밀봉이 새서 펌프가 멈췄다.",
    "ja": "シールが漏れてポンプが止まった。",
    "zh": "密封件漏水，水泵停了。",
}
UNTOLD = [
    "",
    "Pumpe",
    "Grundfos CR 5-10, 400 V, 1.1 kW",
    "| Teil | Preis |\n| --- | --- |\n| A1 | 12 |\n| B2 | 13 |",
    "Müller, Jörg; Núñez, José; Dvořák, Antonín; Łukasz Żak",
    "x = [α + β for α, β in zip(μ, σ)]",
    "SELECT a.id, b.id FROM a JOIN b ON a.id = b.a_id WHERE b.n > 3;",
    "3f2a 9bc1 77de 0011",
]


@pytest.mark.parametrize(("tag", "text"), TOLD.items(), ids=TOLD)
def test_a_sentence_is_told(tag: str, text: str) -> None:
    assert language_of(text) == tag


@pytest.mark.parametrize("text", UNTOLD)
def test_what_cannot_be_told_counts_as_known(text: str) -> None:
    assert language_of(text) in (None, "en")
    assert foreign_passages(cut_passages("", text, 1, WordEmbedder()), {"en"}) == {}


def test_english_with_foreign_names_and_quotations_is_english() -> None:
    text = "The café of Señor Núñez in the Rue de la Paix is known as « Chez les amis », or 友人の家, to those who go there."
    assert language_of(text) == "en"


def test_a_model_that_knows_all_or_does_not_tell_has_no_foreign_passages() -> None:
    passages = cut_passages("Pumpe", TOLD["de"], 1, WordEmbedder())
    assert foreign_passages(passages, None) == {}
    assert foreign_passages(passages, {"en", "de"}) == {}
    assert foreign_passages(passages, {"en"}) == {"de": 1}


def test_languages_and_scripts_have_names() -> None:
    assert [language_name(tag) for tag in ("de", "ja", "und-Cyrl", "xx")] == [
        "German", "Japanese", "the Cyrillic script", "xx",
    ]  # fmt: skip


def test_paragraphs_of_twelve_languages(shared: Path) -> None:
    """At least 96 of 100 paragraphs of XQuAD are told to be foreign, and none of the English ones."""
    found: dict[str, list[str | None]] = {}
    for line in (shared / "eval" / "xquad" / "documents.jsonl").read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        found.setdefault(document["lang"], []).append(language_of(document["text"]))
    assert len(found) == 12
    for language, tags in found.items():
        foreign = sum(tag not in (None, "en") for tag in tags)
        assert foreign == 0 if language == "en" else foreign >= 0.96 * len(tags), language


@pytest.mark.parametrize("name", ["scifact", "cranfield", "cisi", "npl"])
def test_no_english_abstract_is_foreign(shared: Path, name: str) -> None:
    lines = (shared / "eval" / name / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    assert {language_of(json.loads(line)["text"]) for line in lines} <= {"en", None}
