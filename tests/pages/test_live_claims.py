"""What the texts of the contest and of the cheating model say is true of the examples that ship."""

from types import MappingProxyType

import numpy as np

from core.nn.positions import POSITIONS
from core.rooms.positions import contest
from core.rooms.positions.experiments.contest import NAMES
from core.train.experiment import EXAMPLES, options_of, unpack
from core.train.experiments.live import Live


def example(name: str) -> Live:
    record, about = unpack((EXAMPLES / f"{name}.safetensors").read_bytes())
    options_of(name, about["options"])
    assert about["step"] == about["n_step"] and about["seed"] == 0
    return Live(record, MappingProxyType(about["options"]), 0, about["step"], about["n_step"], False, True)


def test_who_fetches_beyond_the_trained_length() -> None:
    means = contest.compute(contest.Inputs(guess="show"), example("contest")).means
    found = {name: means[NAMES[name]] for name in POSITIONS}
    inside = {name: values[0] for name, values in found.items()}
    assert {name for name in POSITIONS if inside[name] > 0.97} == {"learned", "sinusoidal", "rotary", "relative"}
    assert np.isnan(found["learned"][1])
    assert 0.15 < found["sinusoidal"][1] < 0.27  # about one in five
    assert 0.75 < found["rotary"][1] < 0.86  # about four in five
    assert found["relative"][1] > 0.97
    assert inside["none"] > 2 / 16 and found["alibi"][0] < 0.4


def test_without_the_mask_the_loss_dives_and_is_worth_nothing() -> None:
    record = example("cheating").record
    masked, unmasked = (float(record[f"val_loss.{v}"]) for v in ("masked", "unmasked"))
    assert unmasked < 0.1 < masked / 2
    assert float(record["end_loss.unmasked"]) > float(record["end_loss.masked"]) + 0.5
    share = record["look.unmasked.ahead"][-1]
    assert share.min() > 0.85 and share.max() < 0.97  # about nine tenths
    written = {v: bytes(record[f"sample.{v}"]).decode().split(" ", 1)[1] for v in ("masked", "unmasked")}
    assert len(written["masked"].split()) >= 4  # something like words
    assert len(set(written["unmasked"][-20:])) <= 4  # the same few letters again and again


def test_every_example_that_ships_is_of_an_experiment_with_its_default_options() -> None:
    for path in sorted(EXAMPLES.glob("*.safetensors")):
        assert path.stat().st_size < 1_000_000, path.name
        record, about = unpack(path.read_bytes())
        assert about["name"] == path.stem
        assert options_of(path.stem, about["options"]) == options_of(path.stem, {})
        assert record
