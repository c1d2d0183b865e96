"""What the embeddings room promises under “Try this” happens on the shipped model."""

from typing import Any

import numpy as np
import pytest

from core.exhibits.embeddings import facts, two_vectors, word_path
from core.inspect import vectors
from core.inspect.word_path import last_token_of
from core.ui import models
from core.ui.models import SHIPPED

pytestmark = pytest.mark.skipif(
    not (SHIPPED / "stories" / models.WEIGHTS).exists(), reason="the shipped model is not in this checkout"
)


@pytest.fixture(scope="module")
def key() -> Any:
    return models.shipped_key("stories")


def index(key: Any, token: str) -> int:
    return facts.labels(key).index(token)


def near(key: Any, token: str, n: int, by: str = "by_cosine") -> list[str]:
    return [facts.labels(key)[i] for i in getattr(facts.nearest(key, index(key, token), n), by)]


def test_what_the_axes_hold_and_what_the_maps_keep(key: Any) -> None:
    assert facts.vectors(key).shape == (198, 96)
    assert f"{facts.pca(key, 2).shares.sum():.0%}" == "9%"
    assert f"{facts.pca(key, 3).shares.sum():.0%}" == "12%"
    assert f"{facts.kept_by_pca(key, 2):.0%}" == "17%"
    assert f"{facts.kept_by_pca(key, 3):.0%}" == "23%"
    for seed in range(3):
        assert facts.kept_by_tsne(key, 2, 15.0, seed) > 0.5


def test_groups_stay_together_with_every_seed(key: Any) -> None:
    kinds = np.array(facts.kinds(key)[0])
    for seed in range(3):
        points = facts.tsne(key, 2, 15.0, seed)
        whole = np.linalg.norm(points - points.mean(0), axis=1).mean()
        for kind in ("toys", "colors", "animals", "foods"):
            group = points[kinds == kind]
            assert np.linalg.norm(group - group.mean(0), axis=1).mean() < whole / 3, (seed, kind)
    first, other = facts.tsne(key, 2, 15.0, 0), facts.tsne(key, 2, 15.0, 1)
    assert np.linalg.norm(first - other, axis=1).mean() > np.linalg.norm(first - first.mean(0), axis=1).mean() / 2


def test_the_neighbors_of_red_are_the_other_colors(key: Any) -> None:
    colors = {"·black", "·white", "·green", "·yellow", "·blue"}
    assert set(near(key, "·red", 5)) == set(near(key, "·red", 5, "by_dot")) == colors
    found = facts.nearest(key, index(key, "·red"), 6)
    assert facts.labels(key)[found.by_cosine[5]] == "·your"
    assert [f"{found.cosines[i]:.2f}" for i in found.by_cosine[4:6]] == ["0.52", "0.32"]


def test_drum_and_boat_change_places(key: Any) -> None:
    by_cosine, by_dot = near(key, "·ball", 8), near(key, "·ball", 8, "by_dot")
    assert by_cosine.index("·drum") < by_cosine.index("·boat")
    assert by_dot.index("·boat") < by_dot.index("·drum")
    found, drum, boat = facts.nearest(key, index(key, "·ball"), 8), index(key, "·drum"), index(key, "·boat")
    assert (f"{found.cosines[drum]:.2f}", f"{found.cosines[boat]:.2f}") == ("0.45", "0.43")
    assert (f"{found.dots[boat]:.1f}", f"{found.dots[drum]:.1f}") == ("97.3", "96.8")
    assert found.lengths[boat] > found.lengths[drum]


def test_he_and_she_are_nearest_to_each_other(key: Any) -> None:
    for by in ("by_cosine", "by_dot"):
        assert near(key, "·he", 1, by) == ["·she"]
        assert near(key, "·she", 1, by) == ["·he"]
    for token in ("·he", "·she"):
        found = facts.nearest(key, index(key, token), 2)
        first, second = (float(found.cosines[i]) for i in found.by_cosine)
        assert f"{first:.2f}" == "0.54"
        assert second < 0.4


def test_the_examples_of_two_vectors() -> None:
    pairs = {name: vectors.compare(q, k) for name, q, k in two_vectors.EXAMPLES}
    assert (pairs["same"].dot, pairs["same"].cosine) == (1, 1)
    assert (pairs["longer, and off"].dot, round(pairs["longer, and off"].cosine, 3)) == (3, 0.707)
    assert (pairs["right angle"].dot, pairs["right angle"].cosine) == (0, 0)
    assert (pairs["opposite"].dot, round(pairs["opposite"].cosine, 9)) == (-5, -1)


def follow(key: Any, first: str, second: str, word: str) -> Any:
    one, two = models.encode(key, first), models.encode(key, second)
    assert one.notes == two.notes == ()
    places = [last_token_of(text.tokens, word) for text in (one, two)]
    assert None not in places
    return word_path.path_of(key, one.packed, two.packed, *places)


def expected(key: Any, row: Any) -> str:
    return models.vocabulary(key)[int(row.argmax())].strip()


def test_the_two_sentences_part_in_layer_1(key: Any) -> None:
    path = follow(key, *word_path.SENTENCES["stories"])
    assert [f"{c:.3f}" for c in path.cosines] == ["1.000", "0.935", "0.918", "0.345", "0.016"]
    assert path.distances[0] == 0
    assert [expected(key, row) for row in path.probabilities] == ["ball", "kite"]
    assert int(np.diff(path.cosines).argmin()) + 1 == path.stages.index("attention 1")


def test_with_the_same_toy_they_stay_together(key: Any) -> None:
    first, second, word = word_path.SENTENCES["stories"]
    path = follow(key, first, second.replace("blue kite", "red ball"), word)
    assert path.cosines.min() > 0.9
    assert [expected(key, row) for row in path.probabilities] == ["ball", "ball"]
    same = follow(key, first, first, word)
    assert same.distances.max() == 0


def test_the_sentences_of_every_corpus_share_their_word() -> None:
    for corpus, (first, second, word) in word_path.SENTENCES.items():
        assert last_token_of([first], word) is not None, corpus
        assert last_token_of([second], word) is not None, corpus


def test_the_javascript_examples_are_those_of_the_page() -> None:
    import re
    from pathlib import Path

    script = (Path(__file__).parents[2] / "assets/widgets/vectors.js").read_text(encoding="utf-8")
    found = re.findall(r'\["([^"]+)", \[([-\d.]+), ([-\d.]+)\], \[([-\d.]+), ([-\d.]+)\]\]', script)
    shown = [(name.lower(), (float(a), float(b)), (float(c), float(d))) for name, a, b, c, d in found]
    assert shown == list(two_vectors.EXAMPLES)
