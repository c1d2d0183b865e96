"""Ways to read long texts: clocks as Hugging Face turns them, windows and sinks by hand, losses and bytes anew."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from core.models import registry
from core.rooms.long_texts import by_position, cache_size, clocks
from core.rooms.long_texts.cache_size import RollingCache
from core.rooms.long_texts.compute.reading_ways import (
    N_SINK,
    WAY_NAMES,
    SinkGPT,
    long_text_reader,
    scaled_rotary as rotary,
)
from core.rooms.long_texts.experiments.long_texts import (
    LENGTH_FACTOR,
    MAX_LENGTH,
    N_STEP,
    TRAINED_LENGTH,
    NeedleTexts,
    bin_losses,
    config,
    letter_losses,
    split_steps,
)
from core.train.experiment import run_experiment
from tests.configs import changed
from tests.library.contracts.promises import lively

# Of Hugging Face, by our names. Its "dynamic" scaling with factor 1 is the NTK-aware base for the length that is read.
THEIRS = {
    "plain": {"rope_type": "default"},
    "interpolation": {"rope_type": "linear", "factor": float(LENGTH_FACTOR)},
    "ntk": {"rope_type": "dynamic", "factor": 1.0},
    "yarn": {"rope_type": "yarn", "factor": float(LENGTH_FACTOR), "original_max_position_embeddings": TRAINED_LENGTH},
}


@pytest.fixture(scope="module")
def texts() -> NeedleTexts:
    return NeedleTexts()


@pytest.mark.parametrize("way", list(THEIRS))
def test_clocks_turn_as_hugging_face_turns_them(way: str) -> None:
    """A slip in a formula would still look like a curve that falls."""
    transformers = pytest.importorskip("transformers")
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    theirs = transformers.LlamaConfig(
        hidden_size=64, num_attention_heads=2, head_dim=32, max_position_embeddings=TRAINED_LENGTH,
        rope_parameters={"rope_theta": 10_000.0, **THEIRS[way]},
    )  # fmt: skip
    ours = rotary(way, LENGTH_FACTOR, TRAINED_LENGTH, 32)
    if way == "plain":
        want, gain = 10_000.0 ** -(torch.arange(16) / 16), 1.0
    else:
        want, gain = ROPE_INIT_FUNCTIONS[str(THEIRS[way]["rope_type"])](theirs, torch.device("cpu"), seq_len=MAX_LENGTH)
    torch.testing.assert_close(ours.speeds(32), want, rtol=1e-5, atol=0)
    assert ours.gain == pytest.approx(gain)


def model(**settings: Any) -> Any:
    """A tiny model of this room's kind, every weight random."""
    return lively(changed(config(20), d_model=16, context_length=8, **settings))


def test_a_window_and_sinks_by_hand() -> None:
    mask = SinkGPT(model(window=6, windowed=()).config).mask(9)
    rows = [
        "#........",
        "##.......",
        "###......",
        "####.....",
        "#####....",
        "######...",
        "####.##..",
        "####..##.",
        "####...##",
    ]
    assert ["".join(".#"[int(cell)] for cell in row) for row in mask] == rows


@pytest.mark.parametrize(("way", "n_sink"), [("window", 0), ("sinks", N_SINK)])
def test_reading_at_once_is_reading_token_by_token_with_a_cache_that_lets_go(way: str, n_sink: int) -> None:
    """A mask that hides the wrong tokens, or first tokens whose positions were not counted anew, would differ."""
    one, ids = model(n_kv_head=1), torch.randint(39, (30,), generator=torch.Generator().manual_seed(0))
    cache = RollingCache(one, 8, n_sink)
    with torch.no_grad():
        at_once = long_text_reader(one, way, LENGTH_FACTOR, 8)(ids[None])[0]
        plain = one(ids[None])[0]
    torch.testing.assert_close(cache.read(ids), at_once, atol=1e-9, rtol=0)
    assert cache.keys[0].shape[2] == 8
    torch.testing.assert_close(at_once[:8], plain[:8], atol=1e-9, rtol=0)
    assert (at_once[9:] - plain[9:]).abs().max() > 1e-3


def test_other_ways_of_reading_change_no_weight() -> None:
    one = model()
    for way in WAY_NAMES:
        other = long_text_reader(one, way, LENGTH_FACTOR, 8)
        assert all(a.data_ptr() == b.data_ptr() for a, b in zip(one.parameters(), other.parameters(), strict=True))
        assert type(other) is (SinkGPT if way == "sinks" else type(one))


def test_the_loss_by_position_is_a_plain_cross_entropy(texts: NeedleTexts) -> None:
    one = registry.build(config(texts.n_letter), 3)
    ids, known = texts.draw(3, 32, torch.Generator().manual_seed(1), held_out=True)
    found = letter_losses(one, ids, texts.n_letter)
    for t in (0, 7, 31):
        letters = [row for row in ids if row[t + 1] < texts.n_letter]
        with torch.no_grad():
            want = [float(F.cross_entropy(one(row[None, : t + 1])[0, -1], row[t + 1])) for row in letters]
        assert float(found[t]) == pytest.approx(sum(want) / len(want), abs=1e-5) if want else bool(found[t].isnan())
    assert bin_losses(torch.arange(32.0)).tolist() == [7.5, 23.5]
    assert bool((~known).sum(1).eq(1).all()), "each text tells its secret once"


def test_the_letters_are_the_inverse_of_the_geometric_mean_of_the_probabilities() -> None:
    """Catches a perplexity that averages in the wrong place, and YaRN's line in the table before the guess."""
    run = run_experiment("long-texts")
    found = by_position.compute(by_position.Inputs(guess="most"), run)
    for way in WAY_NAMES:
        probabilities = np.exp(-run.record[f"position.{way}"].astype(float)).reshape(8, 4)  # four points to a part
        assert found.letters(way) == pytest.approx(1 / probabilities.prod(1) ** (1 / 4))
        assert found.end[way] == pytest.approx(np.log(found.letters(way)[-1]))
    assert found.places[0] == "1–64" and found.places[-1] == "449–512"
    hidden = by_position.compute(by_position.Inputs(), run)
    assert not hidden.is_told and WAY_NAMES["yarn"] not in hidden.table() and WAY_NAMES["yarn"] in found.table()


@pytest.mark.parametrize(
    ("inside", "plain", "repaired", "answer"),
    [(6, 20, 8, "most"), (6, 20, 15, "some"), (6, 20, 20.5, "same"), (6, 20, 30, "worse"), (6, 6.2, 6, "same")],
)
def test_what_a_repair_brings_back(inside: float, plain: float, repaired: float, answer: str) -> None:
    assert by_position.classify_repair(inside, plain, repaired) == answer


def test_a_secret_is_told_before_it_is_asked_for_and_is_always_the_same(texts: NeedleTexts) -> None:
    ids, known = texts.draw(64, TRAINED_LENGTH, torch.Generator().manual_seed(0))
    for row, is_known in zip(ids.tolist(), known.tolist(), strict=True):
        asked = [t for t, token in enumerate(row[:-1]) if token == texts.ask]
        told = row.index(texts.tell)
        assert len(asked) == 3 and told < min(asked) and not is_known[told]
        assert {row[t + 1] for t in (told, *asked)} == {row[told + 1]} and row[told + 1] >= texts.sign
        assert row[0] == texts.begin
    ids, secret = texts.needle(8, 128, 0.5, torch.Generator().manual_seed(0))
    assert bool((ids[:, 64] == texts.tell).all() & (ids[:, 65] == secret).all() & (ids[:, -1] == texts.ask).all())
    assert int((ids == secret[:, None]).sum()) == 8


def test_all_steps_are_shared_out() -> None:
    assert split_steps(N_STEP) == (500, 40)
    assert all(main + 4 * more <= n or n < 5 for n in (5, 19, 100) for main, more in [split_steps(n)])


def test_slow_clocks_come_no_farther_than_in_training() -> None:
    found = clocks.compute(clocks.Inputs())
    assert found.n_round == 5 and found.turns[4] > 1 > found.turns[5]
    assert found.reach["plain"].tolist() == [LENGTH_FACTOR] * 16
    assert found.reach["interpolation"] == pytest.approx([1] * 16)
    assert found.reach["ntk"][[0, -1]] == pytest.approx([LENGTH_FACTOR, 1])
    assert found.reach["yarn"][0] == LENGTH_FACTOR and found.reach["yarn"][5:] == pytest.approx([1] * 11)


@pytest.mark.slow
def test_bytes_by_formula_are_bytes_counted() -> None:
    ours = cache_size.compute(cache_size.Inputs(size="ours"))
    assert ours.measured == ours.computed and ours.agrees
    assert ours.end == {
        "full": 2 * 2 * 2 * 32 * 512 * 4,
        "one": 2 * 2 * 32 * 512 * 4,
        "window": 2 * 2 * 2 * 32 * 64 * 4,
    }
    large = cache_size.compute(cache_size.Inputs())
    assert large.end["grouped"] == 2 * 32 * 8 * 128 * 32_768 * 2
    assert large.end["grouped"] == 8 * large.end["window"], "Jiang and others say so for 32k tokens"
