"""What the embeddings room promises under “Try this” happens on the shipped model."""

from typing import Any

import numpy as np
import pytest

from core.rooms.embeddings import facts, two_vectors, word_path
from core.rooms.embeddings.compute import vectors
from core.rooms.embeddings.compute.word_path import last_token_of
from core.ui.models import models
from core.ui.models.models import SHIPPED

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
    assert facts.vectors(key).shape == (453, 96)
    assert f"{facts.pca(key, 2).shares.sum():.0%}" == "13%"
    assert f"{facts.pca(key, 3).shares.sum():.0%}" == "18%"
    assert f"{facts.kept_by_pca(key, 2):.0%}" == "21%"
    assert f"{facts.kept_by_pca(key, 3):.0%}" == "27%"
    for seed in range(3):
        assert facts.kept_by_tsne(key, 2, 15.0, seed) > 0.5


def test_the_map_leaves_out_the_bytes_that_no_story_needs(key: Any) -> None:
    shown, how_often = facts.mapped(key, facts.MOST_TOKENS), facts.counts(key)
    assert shown == tuple(range(197)) and facts.n_unused(key) == 256
    assert how_often is not None and not how_often[197:].any()


def test_groups_stay_together_with_every_seed(key: Any) -> None:
    kinds = np.array(facts.kinds(key)[0])[list(facts.mapped(key, facts.MOST_TOKENS))]
    for seed in range(3):
        points = facts.tsne(key, 2, 15.0, seed)
        whole = np.linalg.norm(points - points.mean(0), axis=1).mean()
        for kind in ("names", "toys", "colors", "animals", "foods"):
            group = points[kinds == kind]
            assert np.linalg.norm(group - group.mean(0), axis=1).mean() < whole / 3, (seed, kind)
    first, other = facts.tsne(key, 2, 15.0, 0), facts.tsne(key, 2, 15.0, 1)
    assert np.linalg.norm(first - other, axis=1).mean() > np.linalg.norm(first - first.mean(0), axis=1).mean() / 2


def test_the_neighbors_of_red_are_the_other_colors(key: Any) -> None:
    colors = {"·black", "·white", "·green", "·yellow", "·blue"}
    assert set(near(key, "·red", 5)) == set(near(key, "·red", 5, "by_dot")) == colors
    found = facts.nearest(key, index(key, "·red"), 6)
    assert facts.labels(key)[found.by_cosine[5]] == "·your"
    assert [f"{found.cosines[i]:.2f}" for i in found.by_cosine[4:6]] == ["0.46", "0.36"]
    for values, order in ((found.cosines, found.by_cosine), (found.dots, found.by_dot)):
        steps = -np.diff(values[order])
        assert steps.argmax() == 4 and steps[4] > 1.5 * np.delete(steps, 4).max()  # "Then comes a gap"


def test_bell_and_cup_change_places(key: Any) -> None:
    assert near(key, "·ball", 2) == ["·bell", "·cup"]
    assert near(key, "·ball", 2, "by_dot") == ["·cup", "·bell"]
    found, bell, cup = facts.nearest(key, index(key, "·ball"), 8), index(key, "·bell"), index(key, "·cup")
    assert (f"{found.cosines[bell]:.2f}", f"{found.cosines[cup]:.2f}") == ("0.57", "0.56")
    assert (f"{found.dots[cup]:.3f}", f"{found.dots[bell]:.3f}") == ("1.298", "1.292")
    assert found.lengths[cup] > found.lengths[bell]


def test_he_and_she_are_nearest_to_each_other(key: Any) -> None:
    for by in ("by_cosine", "by_dot"):
        assert near(key, "·he", 1, by) == ["·she"]
        assert near(key, "·she", 1, by) == ["·he"]
    for token in ("·he", "·she"):
        found = facts.nearest(key, index(key, token), 2)
        first, second = (float(found.cosines[i]) for i in found.by_cosine)
        assert f"{first:.2f}" == "0.61"
        assert second < 0.41


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
    assert [f"{c:.3f}" for c in path.cosines] == ["1.000", "0.866", "0.933", "0.560", "0.277"]
    assert path.distances[0] == 0
    assert [expected(key, row) for row in path.probabilities] == ["ball", "kite"]
    steps = dict(zip(path.stages[1:], np.diff(path.cosines), strict=True))
    assert min(steps, key=lambda stage: steps[stage]) == "attention 1"  # "above all in layer 1"
    assert steps["attention 0"] < -0.1 and 0 < steps["feed-forward 0"] < -steps["attention 0"]  # "back a little"
    one, two = (models.encode(key, text) for text in word_path.SENTENCES["stories"][:2])
    assert len(one.ids) == len(two.ids)  # so both words have the same position
    assert "with the position's vector added" in word_path._start(key)
    assert "added" not in word_path._start(models.shipped_key("stories-alibi"))


def test_with_the_same_toy_they_stay_together(key: Any) -> None:
    first, second, word = word_path.SENTENCES["stories"]
    path = follow(key, first, second.replace("blue kite", "red ball"), word)
    assert path.cosines.min() > 0.89 and path.cosines[-1] > 0.92
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

    script = (Path(__file__).parents[3] / "assets/widgets/embeddings/vectors.js").read_text(encoding="utf-8")
    found = re.findall(r'\["([^"]+)", \[([-\d.]+), ([-\d.]+)\], \[([-\d.]+), ([-\d.]+)\]\]', script)
    shown = [(name.lower(), (float(a), float(b)), (float(c), float(d))) for name, a, b, c, d in found]
    assert shown == list(two_vectors.EXAMPLES)
