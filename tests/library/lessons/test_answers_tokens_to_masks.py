"""What answers the predictions of the first five lessons, against values made by hand or by another route."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from core.lessons.answers import ANSWERS, Answer, NotYet
from core.ui.models import models

SENTENCE = "Mia saw the dog before Tom came"


def came(name: str, **given: Any) -> Any:
    found = ANSWERS[name](**given)
    assert isinstance(found, Answer)
    assert found.sentence
    assert found.code is not None
    return found.value


def curve(name: str, **given: Any) -> np.ndarray:
    values = came(name, **given)
    assert isinstance(values, Sequence)
    return np.array(values)


def test_a_word_of_unseen_letters_costs_its_bytes() -> None:
    assert came("tokens.count", text="Привет", vocab_size=1024) == len("Привет".encode()) == 12
    assert came("tokens.count", text="unhappiness", vocab_size=256) == 11
    assert 1 < came("tokens.count", text="unhappiness", vocab_size=1024) < 11


def test_the_first_merge_is_the_most_frequent_pair() -> None:
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    counts: Counter[str] = Counter()
    for word, n in words.items():
        counts.update({"".join(pair): n for pair in pairwise(word)})
    assert came("tokens.first-merge", words=words) == "es"
    assert counts.most_common(1)[0][1] == counts["es"] == counts["st"] == 9
    assert (counts["lo"], counts["we"], counts["ne"]) == (7, 8, 6)  # what the lesson says of the other options


def test_tokens_by_doubling_begin_with_bytes_and_fall() -> None:
    from core.data import corpora

    tokens = curve("tokens.by-doubling")
    unread = corpora.split(corpora.load("python-topics").text)[1][:100_000]
    assert tokens[0] == pytest.approx(1000 * len(unread.encode()) / len(unread))
    assert (np.diff(tokens) < 0).all()
    assert (np.diff(tokens, 2) > 0).all()  # each doubling saves less


def test_the_table_gives_a_word_the_same_row_twice() -> None:
    assert came("tokens.twice-the-same", text="Tom and Mia played. Mia hid.", word="Mia") == "same"
    # The first word of a text has no space before it: another token.
    assert isinstance(ANSWERS["tokens.twice-the-same"](text="Tom saw Tom.", word="Tom"), NotYet)


def test_red_is_nearest_to_a_color() -> None:
    table = models.load(models.shipped_key("stories")).model.get_parameter("tok_emb.weight").detach().double()
    known = models.vocabulary(models.shipped_key("stories"))
    red, *others = (table[known.index(word)] for word in (" red", " blue", " ball", " box"))
    cosines = [float(torch.cosine_similarity(red, other, 0)) for other in others]
    assert max(cosines) == cosines[0]
    assert came("tokens.nearest", token=" red", among=["ball", "blue", "box"]) == "blue"


def test_tokens_need_fewer_bits_for_the_same_text() -> None:
    assert came("tokens.bits-of-a-hundred") == 38


@pytest.mark.parametrize(("scheme", "outcome"), [("none", "same"), ("sinusoidal", "other"), ("alibi", "same")])
def test_reversed_words(scheme: str, outcome: str) -> None:
    assert came("positions.shuffled", sentence=SENTENCE, scheme=scheme) == outcome


@pytest.mark.parametrize("seed", range(3))
def test_the_past_is_noticed_from_two_layers_on(seed: int) -> None:
    assert came("positions.past-shuffled", seed=seed) == "two"
    assert came("positions.mirror", seed=seed) == "alibi"


def test_dot_products_are_sums_of_cosines() -> None:
    apart = np.arange(0, 25, 2)
    by_hand = sum(np.cos(apart / 10000 ** (2 * i / 16)) for i in range(8))
    np.testing.assert_allclose(curve("positions.dot-products", distances=apart.tolist(), width=16), by_hand, atol=1e-12)


def test_the_slip_is_nearly_as_large_as_can_be() -> None:
    p, i = np.arange(64)[:, None], np.arange(4)
    off = np.cos(p / 10000 ** ((2 * i + 1) / 8)) - np.cos(p / 10000 ** (2 * i / 8))
    assert came("positions.slip") == pytest.approx(np.abs(off).max())


def test_position_0_is_zeros_and_ones() -> None:
    assert came("positions.at-zero") == "ones"


def test_learned_neighbors_are_alike() -> None:
    table = models.load(models.shipped_key("stories-learned")).model.get_parameter("pos_emb.weight").detach().double()
    cosines = torch.cosine_similarity(table[:-1], table[1:], -1)
    assert came("positions.learned-neighbors") == pytest.approx(float(cosines.mean()), abs=1e-6)


def test_a_rotary_score_knows_the_distance_alone() -> None:
    for seed in range(5):
        assert came("positions.both-moved", seed=seed) == "same"


def test_the_best_entry_gets_less_than_half() -> None:
    e = [math.exp(s) for s in (0.8, 0.6, -0.8, -0.6)]
    assert came("look-up.best-weight") == pytest.approx(e[0] / sum(e), abs=1e-9)
    assert came("look-up.best-weight", temperature=0.02) > 0.99


def test_a_longer_key_wins_and_heat_gives_the_mean() -> None:
    assert came("look-up.longer-key", entry="north", factor=3.0) == "north"
    assert came("look-up.longer-key", entry="north", factor=1.0) == "east"
    assert came("look-up.hot", temperature=50.0) == "mean"
    assert came("look-up.hot", temperature=0.02) == "best"


def test_the_hard_answer_changes_at_four_borders() -> None:
    assert came("look-up.jumps") == 4
    found = ANSWERS["look-up.jumps"]()
    assert isinstance(found, Answer)
    assert "the soft one 360 times" in found.sentence


def test_no_gradient_goes_through_arg_max() -> None:
    assert came("look-up.argmax-gradient") == "none"


def test_a_word_twice_is_told_apart_by_positions_or_a_mask_only() -> None:
    given = {"sentence": "the cat sat on the mat", "word": "the"}
    assert came("scores.same-word-twice", **given) == "same"
    assert came("scores.same-word-twice", **given, positions=True) == "other"
    assert came("scores.same-word-twice", **given, causal=True) == "other"


def test_the_softmax_sees_differences_only() -> None:
    assert came("scores.all-higher", scores=[1, 2, 3, 0], by=10) == "same"


def test_wide_vectors_give_all_to_one_key_without_the_root() -> None:
    shares = curve("scores.top-by-doubling")
    generator = torch.Generator().manual_seed(1)
    for i, share in enumerate(shares):
        q, k = (torch.randn(n, 4 * 2**i, generator=generator, dtype=torch.float64) for n in (2000, 64))
        assert share == pytest.approx(float((q @ k.T).softmax(-1).amax(-1).mean()), abs=0.12)  # other draws
    assert (np.diff(shares) > 0).all()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_without_the_root_most_queries_of_wide_vectors_get_less_and_a_few_more(seed: int) -> None:
    assert came("scores.gradient", d_k=16, seed=seed) == "more"
    assert came("scores.gradient", d_k=512, seed=seed) == "few"


def test_the_root_outside_shortens_every_row() -> None:
    assert came("scores.root-outside", d_k=64) == pytest.approx(1 / 8)
    assert came("scores.root-outside", d_k=16) == pytest.approx(1 / 4)


def test_twice_as_long_is_between_twice_and_four_times_the_work() -> None:
    short, long = (12 * n * 64**2 + 2 * n**2 * 64 for n in (512, 1024))
    assert came("scores.twice-as-long", n_token=512, d_model=64) == pytest.approx(long / short)


def test_open_cells_are_counted() -> None:
    assert came("masks.open-cells", n=6) == 1 + 2 + 3 + 4 + 5 + 6
    assert came("masks.open-cells", n=6, kind="full") == 36
    assert came("masks.and-or", n_token=14, n_padding=3) == "more"
    assert came("masks.and-or", n_token=14, n_padding=0) == "more"


def test_a_score_of_zero_lets_the_future_in() -> None:
    from core.rooms.masks.inputs import SENTENCE as text

    key = models.shipped_key("stories")
    own = float(models.attention(key, models.encode(key, text).packed).scores[0, 3, 0, 0])
    assert came("masks.zero-before") == pytest.approx(100 * 13 / (math.exp(own) + 13), abs=1e-3)


@pytest.mark.parametrize(
    ("number", "kind", "outcome"),
    [("−1e9", "float32", "even"), ("−1e9", "float16", "nan"), ("−∞", "float32", "nan"),
     ("masked_softmax", "float32", "zeros")],
)  # fmt: skip
def test_an_empty_row(number: str, kind: str, outcome: str) -> None:
    assert came("masks.empty-row", number=number, kind=kind) == outcome


@pytest.mark.parametrize("n_layer", [1, 2, 4])
def test_windows_reach_further_layer_by_layer(n_layer: int) -> None:
    assert came("masks.reach", window=3, n_layer=n_layer) == 2 * n_layer


def test_a_decoder_does_not_notice_padding_on_the_right() -> None:
    assert came("masks.padding-noticed", causal=True, masked=False) == "kept"
    assert came("masks.padding-noticed", causal=False, masked=False) == "moved"
    assert came("masks.padding-noticed", causal=False, masked=True) == "kept"


def test_at_the_end_of_a_text_the_cheat_is_worse() -> None:
    assert came("masks.at-the-end") == "higher"
