"""Experiments: short training runs for live exhibits, with a known answer, some variants of a model, and few seconds.

python -m core.train.experiment three-switches --seed 0        (remakes the example that ships)

An experiment trains all of its variants in parallel, one step of each at a time, so that visitors can compare them as
they learn. Its state at any moment is its record: arrays by name. These include the trained weights, so that a page can
compute everything it shows from the very models that were trained. The same options and seed give the same record,
except for the measured times ("seconds.<what>").
"""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from core.data import tokenizers
from core.data.command_line_flags import CLIFlag, FlagParser, FlagRange
from core.data.files import write_atomic
from core.data.localization.labels import module_labels
from core.data.name_suggestions import suggest_names
from core.data.output_paths import folder_entries, output_folder
from core.data.tokenizers import Tokenizer
from core.exhibit import custom_control
from core.models import registry
from core.train.device import single_torch_thread
from core.train.experiments import EXPERIMENTS as EXPERIMENTS, experiment_module as experiment_module
from core.train.experiments.base import Experiment as Experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)


Record = Mapping[str, NDArray[Any]]

EXAMPLE_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "experiments"


def _experiment_class(name: str) -> type[Experiment]:
    """Return the subclass of `Experiment` of this name. Raises ValueError if it doesn't exist."""
    return getattr(experiment_module(name), name.title().replace("-", ""))


def parse_experiment_options(name: str, values: Mapping[str, object]) -> Any:
    """Make the experiment's options from plain values, and check them.

    Raises ValueError: if there is no such experiment or an option is not allowed.
    """
    try:
        return experiment_module(name).Options(**values)
    except TypeError as error:
        raise ValueError(str(error)) from error


def make_experiment(name: str, values: Mapping[str, object], seed: int) -> Experiment:
    """Return an experiment at its step 0.

    Raises ValueError: as `parse_experiment_options` does, or if the task can't be made.
    """
    options = parse_experiment_options(name, values)
    made: Experiment = _experiment_class(name)(options, seed)
    return made


def experiment_title(name: str) -> str:
    """Return the title of an experiment. Raises ValueError if there is no experiment of this name."""
    return _experiment_class(name).title


def pack_record(experiment: Experiment, about: Mapping[str, object]) -> bytes:
    """Write the record as one safetensors file, with `about`: name, options and seed as JSON values."""
    told = json.dumps({**about, "step": experiment.step, "n_step": experiment.n_step})
    arrays = {key: np.require(array, requirements="C") for key, array in experiment.record().items()}
    return safetensors.numpy.save(arrays, {"about": told})


def unpack_record(data: bytes) -> tuple[dict[str, NDArray[np.generic]], dict[str, Any]]:
    """Read the result of `pack_record`: the record and its `about`.

    Raises ValueError if the bytes aren't a record.
    """
    try:
        n_header = int.from_bytes(data[:8], "little")
        about = json.loads(json.loads(data[8 : 8 + n_header])["__metadata__"]["about"])
        return dict(sorted(safetensors.numpy.load(data).items())), about  # it loads them in any order
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"these {len(data)} bytes aren't a record of an experiment") from error


def experiment_record(name: str, *, seed: int = 0, until: int | None = None, **options: object) -> Record:
    """Return the record of an experiment: the one that ships if it has these options and seed, else trained here.

    For example `experiment_record("induction", seed=1, n_step=300)`. With `until`, it is the record after that step.
    Raises ValueError if there is no such experiment or an option is not allowed.
    """
    path = EXAMPLE_FOLDER / f"{name}.safetensors"
    wanted = json.loads(json.dumps(asdict(parse_experiment_options(name, options))))
    if until is None and path.is_file():
        record, about = unpack_record(path.read_bytes())
        if about["options"] == wanted and about["seed"] == seed:
            return record
    return _trained(name, options, seed, until)[0].record()


def run_experiment(name: str, *, seed: int = 0, until: int | None = None, **options: object) -> ExperimentRun:
    """Return the same record as a run, which is the input of an exhibit."""
    record = experiment_record(name, seed=seed, until=until, **options)
    wanted = asdict(parse_experiment_options(name, options))
    return ExperimentRun(
        record, wanted, seed, wanted["n_step"] if until is None else until, wanted["n_step"], name=name
    )


def declare_newest_run_input(name: str) -> Any:
    """Declare an input of `core.exhibit`: the newest run of another experiment, as far as it is trained."""
    return custom_control("core.ui.training.live_experiments:shown_run", lambda _: run_experiment(name), name=name)


def rebuild_model(record: Record, variant: str, config: object) -> Any:
    """Build a variant's model with the weights of the record ("model.<variant>.<parameter>"), frozen.

    The config is the variant's, from the experiment's module.
    """
    model = registry.build_empty(config)
    place = f"model.{variant}."
    weights = {name.removeprefix(place): array for name, array in record.items() if name.startswith(place)}
    registry.fill_weights(model, {name: torch.from_numpy(np.array(array)) for name, array in weights.items()})
    return model.eval().requires_grad_(False)


def step_table(record: Record, entries: Mapping[str, str], digits: int | None = None) -> dict[str, list[float]]:
    """Make a table with one row per evaluation: its step, and entries of the record under their titles, rounded."""
    columns = {
        title: record[entry] if digits is None else record[entry].round(digits) for title, entry in entries.items()
    }
    return {title: column.tolist() for title, column in {LABELS["step"]: record["step"], **columns}.items()}


def pack_tokenizer(tokenizer: Tokenizer) -> NDArray[np.uint8]:
    """Return a tokenizer in the form for a record, under "tokenizer".

    A tokenizer that was trained on a text of this machine, such as Python's own documentation, can differ on another
    machine, so the trained weights would be useless without it.
    """
    return np.frombuffer(tokenizers.tokenizer_to_bytes(tokenizer), dtype=np.uint8)


def tokenizer_of(record: Record) -> Tokenizer:
    """Return the tokenizer stored in a record. Raises ValueError if it is damaged."""
    return tokenizers.tokenizer_from_bytes(record["tokenizer"].tobytes())


def _remake_example(name: str, seed: int, folder: Path = EXAMPLE_FOLDER) -> float:
    """Run an experiment with its default options and store its record in the folder. Returns the CPU seconds."""
    folder.mkdir(parents=True, exist_ok=True)  # before the training, not after it
    experiment, seconds = _trained(name, {}, seed)
    about = {"name": name, "options": asdict(parse_experiment_options(name, {})), "seed": seed}
    path = folder / f"{name}.safetensors"
    write_atomic(path, pack_record(experiment, about))
    path.chmod(0o644)  # it ships, so that everyone may read it; what `write_atomic` makes is private
    return seconds


def _holds_records(folder: Path) -> bool:
    """Return whether each file of a folder is a record of an experiment."""
    return all(_is_record(folder / name) for name in folder_entries(folder))


def _is_record(path: Path) -> bool:
    try:
        with safe_open(str(path), framework="np") as file:
            return path.suffix == ".safetensors" and "about" in (file.metadata() or {})
    except (SafetensorError, OSError):
        return False


def _trained(name: str, values: Mapping[str, object], seed: int, until: int | None = None) -> tuple[Experiment, float]:
    """Train an experiment to its last step, or to step `until`; returns it with the CPU seconds that it took."""
    started = time.process_time()
    with single_torch_thread():
        experiment = make_experiment(name, values, seed)
        last = experiment.n_step if until is None else min(until, experiment.n_step)
        while experiment.step < last:
            experiment.advance()
    return experiment, time.process_time() - started


def main() -> None:
    """Run the experiment that is named on the command line and store its record as the example that ships."""
    declared = (
        CLIFlag("NAME", "of the experiment; all are listed below"),
        CLIFlag("seed", "of all random numbers (default 0)", FlagRange(0, 2**63 - 1), more={"default": 0}),
        CLIFlag("out", "folder for the record; default: the examples that ship", more={"default": str(EXAMPLE_FOLDER)}),
    )
    about: dict[str, Any] = {"description": main.__doc__, "epilog": f"names: {', '.join(EXPERIMENTS)}"}
    parser = FlagParser("python -m core.train.experiment", "NAME", groups={"": declared}, **about)
    asked = parser.parse_args()
    try:
        parser.check(asked)
        if asked.name not in EXPERIMENTS:
            hint = suggest_names(asked.name, EXPERIMENTS)
            raise ValueError(f"there is no experiment {asked.name!r}.{hint} --help lists all {len(EXPERIMENTS)}")
        seconds = _remake_example(asked.name, asked.seed, output_folder(asked.out, _holds_records))
    except ValueError as refused:
        parser.error(str(refused))
    except OSError as error:
        parser.error(f"{asked.out} cannot be written: {error.strerror or error}")
    print(f"{asked.name}, seed {asked.seed}: {seconds:.1f} CPU seconds")


if __name__ == "__main__":
    main()
