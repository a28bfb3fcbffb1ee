"""Maximal marginal relevance."""

import numpy as np

from wiki.search.diversity import most_diverse

X, Y, Z = np.eye(3, dtype=np.float32)


def test_relevance_alone_keeps_the_order() -> None:
    assert most_diverse([0.9, 0.8, 0.1], [X, X, Y], 3, 1.0) == [0, 1, 2]


def test_a_repetition_gives_way_to_something_else() -> None:
    assert most_diverse([0.9, 0.89, 0.5], [X, X, Y], 3, 0.5) == [0, 2, 1]


def test_small_scores_weigh_as_much_as_large_ones() -> None:
    scores = [0.033, 0.0329, 0.020]
    assert most_diverse(scores, [X, X, Y], 3, 0.7) == most_diverse([s * 30 for s in scores], [X, X, Y], 3, 0.7)
    assert most_diverse(scores, [X, Y, X], 2, 0.7) == [0, 1]


def test_it_gives_what_there_is() -> None:
    assert most_diverse([], [], 5, 0.7) == []
    assert most_diverse([0.5], [Z * 7], 5, 0.7) == [0]
    assert most_diverse([0.5, 0.5], [Z, Z * 0], 2, 0.7) == [0, 1]
