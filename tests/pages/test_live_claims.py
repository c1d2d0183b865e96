"""What the texts of the contest and of the cheating model say is true of the examples that ship."""

from types import MappingProxyType

import numpy as np

from core.nn.positions import POSITION_SCHEMES
from core.rooms.positions import contest
from core.rooms.positions.experiments.contest import NAMES
from core.train.experiment import EXAMPLE_FOLDER, parse_experiment_options, unpack_record
from core.train.experiments.experiment_run_state import ExperimentRun


def example(name: str) -> ExperimentRun:
    record, about = unpack_record((EXAMPLE_FOLDER / f"{name}.safetensors").read_bytes())
    parse_experiment_options(name, about["options"])
    assert about["step"] == about["n_step"] and about["seed"] == 0
    return ExperimentRun(record, MappingProxyType(about["options"]), 0, about["step"], about["n_step"], False, True)


def test_who_fetches_beyond_the_trained_length() -> None:
    means = contest.compute(contest.Inputs(guess="show"), example("contest")).means
    found = {name: means[NAMES[name]] for name in POSITION_SCHEMES}
    inside = {name: values[0] for name, values in found.items()}
    assert {name for name in POSITION_SCHEMES if inside[name] > 0.97} == {"learned", "sinusoidal", "rotary", "relative"}
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
    for path in sorted(EXAMPLE_FOLDER.glob("*.safetensors")):
        assert path.stat().st_size < 1_000_000, path.name
        record, about = unpack_record(path.read_bytes())
        assert about["name"] == path.stem
        assert parse_experiment_options(path.stem, about["options"]) == parse_experiment_options(path.stem, {})
        assert record
