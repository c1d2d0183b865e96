"""The dependence of lesson answers on the seed: each computed with three seeds, as a Markdown table.

    python -m benchmarks.seeds --out FOLDER                       # most of an hour; runs are stored in FOLDER
    python -m benchmarks.seeds --out FOLDER bert three-switches   # the questions of these lessons

If an answer uses a live experiment, seed 0 is the shipped example, and the other seeds are trained with its options. A
learner's run for a question is trained here, too, and a question that samples its own numbers is resampled. Everything
else is computed once from the shipped models, unless FOLDER/<seed>/ contains one with a different seed:

    python -m core.train stories --seed 1 --device cpu --out FOLDER/1/stories
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from core.data.files import write_atomic
from core.data.output_paths import OutputPathRefused, folder_entries, output_folder
from core.lessons.computed_answers import ComputedAnswer, compute_answer
from core.lessons.format import catalog
from core.lessons.format.forms import readable_number
from core.lessons.format.lesson import AnswerForm, ChoiceForm, CurveAnswerForm, NumberForm, PredictQuestion
from core.rooms import all_exhibits
from core.train import experiment
from core.train.device import single_torch_thread
from core.ui.models import model_folders
from core.ui.training import live_experiments

ONLY = "only model"  # the mark for answers from the one shipped seed


def place(name: str, options: Mapping[str, Any], seed: int, folder: Path) -> Path:
    """Return the path of an experiment's record; seed 0 without options is the shipped example."""
    if seed == 0 and not options:
        return experiment.EXAMPLE_FOLDER / f"{name}.safetensors"
    return folder / str(seed) / f"{'-'.join([name, *(f'{key}={value}' for key, value in options.items())])}.safetensors"


def trained(name: str, options: Mapping[str, Any], seed: int, folder: Path) -> live_experiments.ExperimentRun:
    """Return the record of an experiment after its last step; train it now if it is not in the folder."""
    path = place(name, options, seed, folder)
    if not path.is_file():
        print(f"training {name} {dict(options) or ''} with seed {seed}", file=sys.stderr, flush=True)
        with single_torch_thread():
            running = experiment.make_experiment(name, options, seed)
            while running.step < running.n_step:
                running.advance()
        path.parent.mkdir(parents=True, exist_ok=True)
        about = {"name": name, "options": asdict(experiment.parse_experiment_options(name, options)), "seed": seed}
        write_atomic(path, experiment.pack_record(running, about))
    record, about = experiment.unpack_record(path.read_bytes())
    return live_experiments.ExperimentRun(
        record, about["options"], seed, about["step"], about["n_step"], False, is_example=not options
    )


@contextmanager
def luck(seed: int, folder: Path) -> Iterator[set[str]]:
    """Make answers inside use runs with this seed; yield the list of runs that they use."""
    asked: set[str] = set()
    shipped = model_folders.shipped_model_folder

    def look(name: str, options: Mapping[str, Any] | None = None) -> live_experiments.ExperimentRun:
        asked.add(f"own {name}" if options is not None else name)
        return trained(name, options or {}, seed, folder)

    def model(name: str) -> Path:
        asked.add(f"model {name}" if any(folder.glob(f"*/{name}/config.json")) else f"{ONLY} {name}")
        return other if (other := folder / str(seed) / name).is_dir() else shipped(name)

    places = patch.object(model_folders, "shipped_model_folder", model)
    with (
        patch.object(live_experiments, "example_run", look),
        patch.object(live_experiments, "own_experiment_run", look),
        places,
    ):
        yield asked


def answers(question: PredictQuestion, seeds: list[int], folder: Path) -> tuple[list[Any], set[str]]:
    """Return the question's answer with each seed (or one, if it depends on none), and the runs that it uses."""
    if question.answer is None:
        return [question.right] * len(seeds), {"the author"}
    found, rests, drawn = [], set(), draw_of(question)
    for seed in seeds:
        given = {**question.given, **({drawn: seed} if drawn else {})}
        with luck(seed, folder) as asked:
            came = compute_answer(replace(question, given=given))
        assert isinstance(came, ComputedAnswer), f"{question.ask}: {came.sentence}"
        found.append(came.value)
        rests |= asked
        if not drawn and all(one.startswith(ONLY) for one in asked):
            break
    return found, rests | ({"its own draw"} if drawn else set())


def draw_of(question: PredictQuestion) -> str:
    """Return the seed input with which a question samples its own numbers; "" if it samples none or trains."""
    if question.compute:
        return "seed" if "seed" in question.given else ""
    module = all_exhibits()[question.exhibit].exhibit().module
    names = [name for name, control in module.Inputs.controls() if control.kind == "seed"]
    return "" if hasattr(module, "EXPERIMENT") or not names else names[-1]


def differs(form: AnswerForm, found: list[Any]) -> str:
    """Return whether a different seed gives a different option; for a number, the distance relative to the range."""
    if isinstance(form, ChoiceForm):
        return "**yes**" if len({str(one) for one in found}) > 1 else ""
    rows = [[float(y) for y in one] if isinstance(form, CurveAnswerForm) else [float(one)] for one in found]
    apart = max(max(ys) - min(ys) for ys in zip(*rows, strict=True))
    return f"{apart / (form.high - form.low):.0%}" if apart else ""


def row(slug: str, question: PredictQuestion, seeds: list[int], folder: Path) -> str:
    """Format one line of the table."""
    found, rests = answers(question, seeds, folder)
    form = question.form
    asked = (
        " / ".join(form.options)
        if isinstance(form, ChoiceForm)
        else f"{readable_number(form.low)} to {readable_number(form.high)}"
    )
    told = [", ".join(readable_number(float(y)) for y in one) if isinstance(form, CurveAnswerForm)
            else readable_number(float(one)) if isinstance(form, NumberForm) else str(one)
            for one in found]  # fmt: skip
    shown = told if len(told) > 1 else told + ["not trained" if rests else "same"] * (len(seeds) - 1)
    words = " ".join(question.ask.split()).replace("|", "\\|")
    return f"| {' | '.join([slug, words, asked, *shown, differs(form, found), ', '.join(sorted(rests)) or 'fixed'])} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="by the name in their address; all, if none")
    parser.add_argument("--out", required=True, help="folder for the training runs, new, empty or from before")
    parser.add_argument("--seeds", type=int, default=3, help="how many, from 0 on")
    given = parser.parse_args()
    try:
        folder = output_folder(given.out, lambda folder: all(map(str.isdecimal, folder_entries(folder))))
    except OutputPathRefused as refused:
        parser.error(str(refused))
    seeds = list(range(given.seeds))
    print(f"| lesson | question | options or range | {' | '.join(f'seed {s}' for s in seeds)} | differs | rests on |")
    print("|" + " --- |" * (5 + len(seeds)))
    for slug, lesson in catalog.catalog_lessons().items():
        for part in (part for step in lesson.steps for part in step.parts if isinstance(part, PredictQuestion)):
            if not given.lessons or slug in given.lessons:
                print(row(slug, part, seeds, folder), flush=True)


if __name__ == "__main__":
    main()
