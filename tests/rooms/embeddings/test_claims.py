"""What the embeddings room promises under “Try this” happens on the shipped model."""

from typing import Any

import numpy as np
import pytest

from core.inspect.model_inputs.model_and_text import encode_text, model_vocabulary
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.embeddings import facts, nearest, sentence_vectors, token_map, two_vectors, word_path, words_alike
from core.rooms.embeddings.compute.embeddings import compare_vectors, cosine_similarity
from core.rooms.embeddings.word_path import last_token_of

KEY = ModelKey.at("stories")


def found(token: str, n: int = 8) -> nearest.Nearest:
    return nearest.compute(nearest.Inputs(token=facts.token_labels(KEY).index(token), n=n))


def near(token: str, n: int, by: str = "by_cosine") -> list[str]:
    return [facts.token_labels(KEY)[i] for i in getattr(found(token).near, by)[:n]]


def mapped(**inputs: Any) -> Any:
    return token_map.compute(token_map.Inputs(**inputs)).map


def test_what_the_axes_hold_what_the_maps_keep_and_which_bytes_they_leave_out() -> None:
    assert facts.embedding_table(KEY).shape == (453, 96)
    for n_axis, held, kept in ((2, "13%", "21%"), (3, "18%", "27%")):
        assert f"{mapped(n_axis=n_axis).shares.sum():.0%}" == held
        assert f"{mapped(n_axis=n_axis).kept:.0%}" == kept
    for seed in range(3):
        assert mapped(method="tsne", seed=seed).kept > 0.5
    how_often = facts.token_counts(KEY)
    assert mapped().ids == tuple(range(197)) and facts.count_unused_bytes(KEY) == 256
    assert how_often is not None and not how_often[197:].any()


def test_groups_stay_together_with_every_seed() -> None:
    kinds = np.array(facts.token_kinds(KEY)[0])[list(mapped().ids)]
    for seed in range(3):
        points = mapped(method="tsne", seed=seed).points
        whole = np.linalg.norm(points - points.mean(0), axis=1).mean()
        for kind in ("names", "toys", "colors", "animals", "foods"):
            group = points[kinds == kind]
            assert np.linalg.norm(group - group.mean(0), axis=1).mean() < whole / 3, (seed, kind)
    first, other = (mapped(method="tsne", seed=seed).points for seed in (0, 1))
    assert np.linalg.norm(first - other, axis=1).mean() > np.linalg.norm(first - first.mean(0), axis=1).mean() / 2


def test_words_of_a_kind_are_most_similar_only_after_training() -> None:
    words, alike = words_alike.WORDS, words_alike.compute(words_alike.Inputs())
    assert (len(words), alike.n_same) == (51, (0, 50))
    kind = dict(zip(words, words_alike.KIND_OF, strict=True))
    most = {word: alike.names[i] for word, i in zip(words, alike.nearest[1, :, 0], strict=True)}
    assert {word: near for word, near in most.items() if kind.get(near) != kind[word]} == {"school": "morning"}
    red = [alike.names[i] for i in alike.nearest[1, words.index("red")]]
    assert sorted(red[:5]) == ["black", "blue", "green", "white", "yellow"] and red[5] == "your"


@pytest.mark.parametrize("seed", range(3))
def test_each_kind_stands_together_on_the_map_only_after_training(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words_alike, "SEED", seed)
    for vectors, is_together in zip(words_alike.compute(words_alike.Inputs()).vectors, (False, True), strict=True):
        points = words_alike.map_points(vectors)
        kinds = [points[kind == words_alike.KIND_OF] for kind in range(len(words_alike.KINDS))]
        far = [np.linalg.norm(some - some.mean(0), axis=1).mean() for some in kinds]
        assert (max(far) < 0.13) == is_together


def test_the_neighbors_of_red_are_the_other_colors() -> None:
    colors = {"·black", "·white", "·green", "·yellow", "·blue"}
    assert set(near("·red", 5)) == set(near("·red", 5, "by_dot")) == colors
    red = found("·red", 6).near
    assert facts.token_labels(KEY)[red.by_cosine[5]] == "·your"
    assert [f"{red.cosines[i]:.2f}" for i in red.by_cosine[4:6]] == ["0.46", "0.36"]
    for values, order in ((red.cosines, red.by_cosine), (red.dots, red.by_dot)):
        steps = -np.diff(values[order])
        assert steps.argmax() == 4 and steps[4] > 1.5 * np.delete(steps, 4).max()  # "Then comes a gap"


def test_bell_and_cup_change_places() -> None:
    assert near("·ball", 2) == ["·bell", "·cup"]
    assert near("·ball", 2, "by_dot") == ["·cup", "·bell"]
    ball, (bell, cup) = found("·ball").near, map(facts.token_labels(KEY).index, ("·bell", "·cup"))
    assert (f"{ball.cosines[bell]:.2f}", f"{ball.cosines[cup]:.2f}") == ("0.57", "0.56")
    assert (f"{ball.dots[cup]:.3f}", f"{ball.dots[bell]:.3f}") == ("1.298", "1.292")
    assert ball.lengths[cup] > ball.lengths[bell]


def test_he_and_she_are_nearest_to_each_other() -> None:
    for by in ("by_cosine", "by_dot"):
        assert near("·he", 1, by) == ["·she"]
        assert near("·she", 1, by) == ["·he"]
    for token in ("·he", "·she"):
        one = found(token).near
        first, second = (float(one.cosines[i]) for i in one.by_cosine[:2])
        assert f"{first:.2f}" == "0.61"
        assert second < 0.41


def test_the_examples_of_two_vectors() -> None:
    pairs = {name: compare_vectors(q, k) for name, q, k in two_vectors.EXAMPLES}
    assert (pairs["same"].dot, pairs["same"].cosine) == (1, 1)
    assert (pairs["longer, and off"].dot, round(pairs["longer, and off"].cosine, 3)) == (3, 0.707)
    assert (pairs["right angle"].dot, pairs["right angle"].cosine) == (0, 0)
    assert (pairs["opposite"].dot, round(pairs["opposite"].cosine, 9)) == (-5, -1)


def follow(*texts: str) -> word_path.TwoPaths:
    assert not any(encode_text(KEY, text).notes for text in texts[:2])
    return word_path.compute(word_path.Inputs(texts=texts))


def expected(result: word_path.TwoPaths) -> list[str]:
    return [model_vocabulary(KEY)[int(row.argmax())].strip() for row in result.path.probabilities]


def test_the_two_sentences_part_in_layer_1() -> None:
    result = follow(*word_path.SENTENCES["stories"])
    path = result.path
    assert [f"{c:.3f}" for c in path.cosines] == ["1.000", "0.866", "0.933", "0.560", "0.277"]
    assert path.distances[0] == 0 and not result.is_apart
    assert expected(result) == ["ball", "kite"]
    assert path.stages[1:] == ("attention, layer 0", "MLP, layer 0", "attention, layer 1", "MLP, layer 1")
    angles = np.degrees(np.arccos(path.cosines))
    assert result.steps == (30, -9, 35, 18) and angles.round().tolist() == [0, 30, 21, 56, 74]
    assert result.biggest == 2
    change = path.vectors[:, 2] - path.vectors[:, 1]  # what the MLP of layer 0 adds
    assert result.added[1] == pytest.approx(np.degrees(np.arccos(cosine_similarity(*change))), abs=0.01)
    assert result.added[1] < 20
    one, two = (encode_text(KEY, text) for text in word_path.SENTENCES["stories"][:2])
    assert len(one.ids) == len(two.ids)  # so both words have the same position
    other = word_path.Inputs(key=ModelKey.at("stories-alibi"))
    assert result.has_positions and not word_path.compute(other).has_positions


def test_with_the_same_toy_they_stay_together() -> None:
    first, second, word = word_path.SENTENCES["stories"]
    result = follow(first, second.replace("blue kite", "red ball"), word)
    assert result.path.cosines.min() > 0.89 and result.path.cosines[-1] > 0.92
    assert round(result.path.angles[-1]) == 22
    assert expected(result) == ["ball", "ball"]
    assert follow(first, first, word).path.distances.max() == 0
    for corpus, (first, second, word) in word_path.SENTENCES.items():
        assert last_token_of([first], word) is not None, corpus
        assert last_token_of([second], word) is not None, corpus


def test_sentences_are_near_that_say_it_alike_in_every_model_of_the_stories() -> None:
    for model in ("stories", "stories-learned", "stories-alibi", "stories-bert"):
        key = ModelKey.at(model)
        found = sentence_vectors.compute(sentence_vectors.Inputs(key=key))
        assert found.sentences == sentence_vectors.STORIES and found.nearest[:4] == [1, 0, 3, 2], model
        centered = sentence_vectors.compute(sentence_vectors.Inputs(key=key, measure="centered"))
        assert centered.cosines.min() < 0
