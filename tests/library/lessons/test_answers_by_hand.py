"""The computed answers to predictions in lessons, compared with values by hand or computed differently."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from core.inspect.model_inputs.model_and_text import ModelAndText, load_model_and_text
from core.nn.tap import Trace
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.training import live_experiments
from tests.library.lessons.asked import came, of

# What the answers become with other inputs than the lesson's: the same expression, another outcome.
OTHERWISE: list[tuple[str, dict[str, Any], Any]] = [
    ("scaled-dot-product/1", {"positions": True}, "other"),
    ("scaled-dot-product/1", {"mask": "causal"}, "other"),
    ("scaled-dot-product/6", {"d_k": 16}, "more"),
    ("scaled-dot-product/7", {"d_k": 16}, 1 / 4),
    ("positions/1", {"scheme": "sinusoidal"}, "other"),
    ("positions/1", {"scheme": "alibi"}, "same"),
    ("positions/3", {"weights": 1}, "two"),
    ("positions/8", {"seed": 2}, "same"),
    ("positions/9", {"weights": 2}, "alibi"),
    ("masks/1", {"kinds": ["full"]}, 36),
    ("many-heads/2", {"d_model": 8, "n_head": 1}, 8),
    ("many-heads/3", {"d_model": 32, "n_head": 8}, 4),
    ("the-block/1", {"layer": 0}, "alike"),
    ("the-block/1", {"layer": 1}, "longer"),
    ("the-block/6", {"residual": True}, "most"),
    ("counting-to-attention/2", {"own": "Tom and Mia"}, "likely"),
    ("gpt/8", {"reversal": "quick"}, "alike"),
    ("gpt/10", {"rate": 0.01}, "alike"),
    ("decoding/2", {"n_beam": 1}, "same"),
    ("decoding/5", {"t": 1}, "same"),
    ("t5/2", {}, 90),
    ("t5/4", {"at": 7}, "n"),  # the first verb is written by then
    ("t5/5", {"sentences": "usual"}, "same"),  # up to its first mistake both read the same
    ("t5/7", {}, round(math.exp(1 - 8 / 7), 3)),
    ("t5/8", {"sentiment": "The soup was lovely but the waiter was rude."}, "blame"),
    ("three-switches/4", {"model": "full"}, "turns"),
    ("lecture-notes/2", {"d_k": 4}, 1),
    ("lecture-notes/10", {"text": "abc", "padding": 0}, 3),
]


@pytest.mark.parametrize(("place", "inputs", "value"), OTHERWISE)
def test_other_inputs(place: str, inputs: dict[str, Any], value: Any) -> None:
    assert came(place, **inputs) == value


def example(name: str) -> ExperimentRun:
    found = live_experiments.example_run(name)
    assert found is not None
    return found


def heights(place: str, **inputs: Any) -> np.ndarray:
    return np.array(came(place, **inputs))


@pytest.fixture(scope="module")
def given() -> ModelAndText:
    """The model of little stories and the text that most rooms open with."""
    from core.rooms.heads.inputs import PredictionInputs

    return PredictionInputs().given


@pytest.fixture(scope="module")
def ids(given: ModelAndText) -> torch.Tensor:
    return torch.tensor([given.ids])


@pytest.fixture(scope="module")
def trace(given: ModelAndText, ids: torch.Tensor) -> Any:
    with torch.no_grad(), Trace(given.model) as seen:
        given.model(ids)
    return seen


# Tokens, look-up, scores


@pytest.mark.measured("01-tokens", "The word “Привет”")
def test_a_word_of_unseen_letters_costs_its_bytes() -> None:
    assert came("tokens/2") == len("Привет".encode())
    assert came("tokens/2.2", given={"text": "unhappiness", "vocab_size": 256}) == 11


def test_the_first_merge_is_the_most_frequent_pair() -> None:
    counts: Counter[str] = Counter()
    for word, n in {"low": 5, "lower": 2, "newest": 6, "widest": 3}.items():
        counts.update({"".join(pair): n for pair in pairwise(word)})
    assert counts.most_common(1)[0][1] == counts["es"] == 9
    assert (counts["lo"], counts["we"], counts["ne"]) == (7, 8, 6)  # what the lesson says of the other options
    assert came("tokens/3") == "es" and "9 times" in of("tokens/3").sentence


@pytest.mark.measured("01-tokens", "Draw it. A vocabulary")
def test_tokens_by_doubling_begin_with_bytes_and_fall() -> None:
    from core.data import corpora

    tokens = heights("tokens/4")
    unread = corpora.split_validation(corpora.load("python-topics").text)[1][:100_000]
    assert tokens[0] == pytest.approx(1000 * len(unread.encode()) / len(unread))
    assert (np.diff(tokens) < 0).all() and (np.diff(tokens, 2) > 0).all()  # each doubling saves less


def test_the_look_up_by_hand() -> None:
    e = [math.exp(s) for s in (0.8, 0.6, -0.8, -0.6)]
    assert came("soft-dictionary/2") == pytest.approx(e[0] / sum(e), abs=1e-9)
    numbers = "~0.8~0.6~1~0~0~1~-1~0~0~-1~2~0.5~0.5~2~-2~1~-1~-1.5"
    assert came("soft-dictionary/5", numbers=f"1{numbers}") == "east"
    assert came("soft-dictionary/3", numbers=f"0.02{numbers}") == "best"
    assert "the soft one 360 times" in of("soft-dictionary/7").sentence
    found = {way: example("choosing").record[f"curve.{way}.found"][-1] for way in ("soft", "sampled", "argmax")}
    assert min(found["soft"], found["sampled"]) > 0.9 > 0.2 > found["argmax"]


def test_scores_by_hand() -> None:
    shares, generator = heights("scaled-dot-product/5"), torch.Generator().manual_seed(1)
    for i, share in enumerate(shares):
        q, k = (torch.randn(n, 4 * 2**i, generator=generator, dtype=torch.float64) for n in (2000, 64))
        assert share == pytest.approx(float((q @ k.T).softmax(-1).amax(-1).mean()), abs=0.12)  # other draws
    short, long = (12 * n * 64**2 + 2 * n**2 * 64 for n in (512, 1024))
    assert came("scaled-dot-product/8") == pytest.approx(long / short)


# Positions, masks


def test_positions_by_hand() -> None:
    apart = np.arange(0, 25, 2)
    np.testing.assert_allclose(
        heights("positions/5"), sum(np.cos(apart / 10000 ** (2 * i / 16)) for i in range(8)), atol=1e-12
    )
    p, i = np.arange(64)[:, None], np.arange(4)
    off = np.cos(p / 10000 ** ((2 * i + 1) / 8)) - np.cos(p / 10000 ** (2 * i / 8))
    assert came("positions/6") == pytest.approx(np.abs(off).max())
    assert came("lecture-notes/4", width=8) == round(float(np.abs(off).max()), 2)
    table = load_model_and_text("stories-learned", "Tom").model.get_parameter("pos_emb.weight").detach().double()
    cosines = torch.cosine_similarity(table[:-1], table[1:], -1)
    assert came("positions/7") == pytest.approx(float(cosines.mean()), abs=1e-6)


def test_masks_by_hand(given: ModelAndText) -> None:
    from core.rooms.masks.inputs import DEFAULT_SENTENCE

    own = float(load_model_and_text("stories", DEFAULT_SENTENCE).attention.scores[0, 3, 0, 0])
    assert came("masks/4", layer=0, head=3) == pytest.approx(100 * 13 / (math.exp(own) + 13), abs=1e-3)


# Many heads, the block


def test_previous_token_heads_are_counted_from_the_weights(given: ModelAndText) -> None:
    means = given.attention.weights.diagonal(-1, -2, -1).mean(-1)
    for threshold in (0.2, 0.65):
        assert came("many-heads/4", threshold=threshold) == int((means >= threshold).sum())


@pytest.mark.parametrize("source", ["uniform", "normal"])
def test_skew_stays(source: str) -> None:
    from core.rooms.block.compute import moments

    x = moments.sample_vector(source, 768, 0)
    skew = float((((x - x.mean()) / x.std()) ** 3).mean())
    assert came("the-block/2", source=source, width=768) == pytest.approx(skew, abs=0.006)


def test_layers_in_a_row() -> None:
    assert came("the-block/5", width=8, hidden=4) == "one" and "off by" in of("the-block/5").sentence
    feed_forward, blocks = 12 * (8 * 768**2 + 5 * 768), 12 * (12 * 768**2 + 13 * 768)
    total = blocks + (50_257 + 1_024) * 768 + 2 * 768
    assert came("the-block/9") == round(100 * feed_forward / total, 1)
    assert heights("the-block/7") == pytest.approx(example("depth").record["diversity.none_8"][0], abs=6e-4)


# From counting to attention, GPT


def test_pairs_and_longer_n_grams_by_sets() -> None:
    from core.rooms.ngrams.inputs import CountedText

    text = CountedText("stories", "word")
    train, val = text.train.tolist(), text.val.tolist()
    assert came("counting-to-attention/1") == round(100 * len(set(pairwise(train))) / len(set(train)) ** 2, 1)
    seen = {tuple(train[i : i + 6]) for i in range(len(train) - 5)}
    new = [tuple(val[i : i + 6]) for i in range(len(val) - 5)]
    assert came("counting-to-attention/3") == pytest.approx(100 * np.mean([one not in seen for one in new]), abs=0.1)
    assert "“dog hid” never occurs" in of("counting-to-attention/2").sentence


def test_the_bottleneck_is_measured_as_the_training_measured_it() -> None:
    trained = example("bottleneck").record
    at = [trained["lengths"].tolist().index(length) for length in (4, 8, 12, 16, 20, 25, 30)]
    expected = trained["curve.without.forced"][-1][at]
    assert heights("counting-to-attention/6") == pytest.approx(expected, abs=0.06)


def test_the_best_value_by_the_record() -> None:
    found = example("budget-stories").record
    bits = {net: found[f"curve.10k.{net}"][-1] for net in ("gru", "gpt")} | {"ngram": found["ngram.10k"].min()}
    assert came("counting-to-attention/9", text="stories") == min(bits, key=bits.__getitem__)


def test_an_untrained_model_guesses_nearly_blindly() -> None:
    for vocab_size, seed in ((453, 0), (50_257, 1)):
        assert abs(came("gpt/3.2", vocab_size=vocab_size, seed=seed) - math.log(vocab_size)) < 0.06


def test_steps_and_strings() -> None:
    found, losses = example("lens").record, heights("gpt/5")
    assert losses[0] == pytest.approx(found["curve.loss"][0], abs=1e-3)
    assert losses[5] == pytest.approx(found["curve.loss"][244:255].mean(), abs=1e-3)


# Decoding


@pytest.fixture(scope="module")
def next_row(given: ModelAndText, ids: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        found: torch.Tensor = given.model(ids[:, :2])[0, -1].double()
    return found


def test_favorite_and_temperature_by_the_formula(next_row: torch.Tensor) -> None:
    assert came("decoding/1") == pytest.approx(100 * float(next_row.softmax(-1).max()), abs=0.06)
    by_hand = [float((next_row / t).softmax(-1).max()) for t in (0.25, 0.5, 1, 1.5, 2, 3, 4)]
    assert heights("decoding/3") == pytest.approx(by_hand, abs=6e-4)
    assert came("decoding/3.2", t=2) == int(((next_row / 2).softmax(-1) > 0).sum()) == len(next_row)


@pytest.mark.parametrize("hundredths", [1, 49, 50, 51, 74, 76, 87, 88, 94, 100])
def test_top_p_in_exact_arithmetic(hundredths: int) -> None:
    shares = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 16), Fraction(1, 16)]
    n = next(n for n in range(1, 6) if sum(shares[:n]) >= Fraction(hundredths, 100))
    assert came("decoding/4", p=hundredths / 100) == n


def test_draws_follow_the_probability(next_row: torch.Tensor) -> None:
    p = float(next_row.softmax(-1).max())
    counts = [came("decoding/6", seed=seed) for seed in range(6)]
    assert len(set(counts)) > 3
    assert all(abs(count - 1000 * p) < 4 * math.sqrt(1000 * p * (1 - p)) for count in counts)


# From BERT to the notes


def test_gaps_and_the_best_classified_kind() -> None:
    assert came("bert/2") == pytest.approx(1000 * 0.15 * 0.8, abs=5)
    held = {way: float(example("finetune").record[f"fine.{way}.held"][-1][1]) for way in ("scratch", "frozen", "full")}
    assert came("bert/8") == max(held, key=lambda way: held[way])


def test_patches_that_are_hidden() -> None:
    from core.data import images

    right = heights("vision/4")
    assert right[0] == pytest.approx(100 * float(example("digits").record["curve.vit.accuracy"][-1]))
    assert (np.diff(right[:5]) < 0).all() and right[6] < 10
    # With nothing left to read it says the same of every picture.
    assert round(right[-1] * 3.6) in np.bincount(images.held_out_digits().labels).tolist()


def test_positions_of_patches() -> None:
    table = example("digits").record["model.vit.pos_emb.weight"].astype(np.float64)[1:]
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosine, places = unit @ unit.T, np.stack(np.divmod(np.arange(16), 4), 1)
    across, down = (np.abs(places[:, None, i] - places[None, :, i]) for i in (1, 0))
    beside, above = cosine[(across == 1) & (down == 0)].mean(), cosine[(across == 0) & (down == 1)].mean()
    assert f"left or right of it {beside:.2f}, above or below it {above:.2f}" in of("vision/5").sentence


def test_pixels_and_captions() -> None:
    from core.data import images
    from core.rooms.captions.experiments import captions

    assert came("pixels-and-captions/1", n_color=2) in ("even", "other")
    assert came("pixels-and-captions/3", rows=7) == "8"  # hardly anything is left to write
    some = images.held_out_digits().some(np.arange(40))
    written = captions.write_captions(
        captions.trained_captioner(example("captions-class"), "class"), torch.from_numpy(some.shades)
    )
    assert (written == example("captions-class").record["written"][:40]).all()
    exact = float(example("captions-class").record["curve.exact"][-1])
    assert came("pixels-and-captions/7") == round(360 * exact) < 349


def test_the_loss_of_two_layers_at_the_steps_asked_for() -> None:
    record = example("induction").record
    curve = np.interp(np.arange(0, 301, 25), record["step"], record["curve.two.loss"])
    assert heights("induction/4") == pytest.approx(curve)
