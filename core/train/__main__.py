"""Train without the web app.

`python -m core.train python-topics --seed 0 --out my-model` trains a recipe and saves the model;
`python -m core.train my-model --out my-model` goes on with a run that was cut off by --seconds.
"""

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

from core.data.corpora import CorpusRefused
from core.nn.memory import keep_freed_memory
from core.train import checkpoint
from core.train.baselines import ngram_losses
from core.train.estimate import estimate
from core.train.frames import probe, sample, write
from core.train.recipes import RECIPES
from core.train.run import TrainingDiverged, TrainRun


def main(arguments: list[str] | None = None) -> int:
    """Train and report; 0 if all went well, else 1 with one line of plain words."""
    options = _parser().parse_args(arguments)
    torch.set_num_threads(1)
    keep_freed_memory()
    try:
        run = _begin(options)
        _train(run, options.seconds)
    except (ValueError, OSError, CorpusRefused, TrainingDiverged) as error:
        print(error, file=sys.stderr)
        return 1
    _report(run)
    if options.out:
        run.export(options.out) if run.done else run.save(options.out)  # a finished run has nowhere to go on to
        print(f"saved in {options.out}" + ("" if run.done else ", to go on with"))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.train", description="Train a recipe without the web app.")
    recipes = "; ".join(f"{name}: {recipe.title}" for name, recipe in RECIPES.items())
    parser.add_argument("recipe", help=f"a recipe, or the folder of a saved run to go on with. {recipes}")
    parser.add_argument("--steps", type=int, help="length of the whole run; the learning rate falls to its end")
    parser.add_argument("--seconds", type=float, help="stop after so many seconds; the saved run can go on")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", choices=("cpu", "cuda", "mps"), help="default: a GPU if there is one")
    parser.add_argument("--out", type=Path, help="folder for the model and the run")
    return parser


def _begin(options: argparse.Namespace) -> TrainRun:
    if options.recipe not in RECIPES:
        if (Path(options.recipe) / checkpoint.FILE).exists():
            return TrainRun.resume(options.recipe, options.device)
        raise ValueError(f"{options.recipe!r} is neither a saved run nor one of the recipes {', '.join(RECIPES)}")
    recipe = RECIPES[options.recipe]
    if options.steps is not None:
        recipe = replace(recipe, n_step=options.steps, n_warmup=min(recipe.n_warmup, options.steps))
    expected = estimate(recipe)
    if expected.refused:
        raise ValueError(expected.refused)
    print(f"{recipe.title}: {expected.n_parameter:,} parameters, about {expected.seconds:.0f} seconds on one CPU core")
    return TrainRun(recipe, options.seed, options.device)


def _train(run: TrainRun, seconds: float | None) -> None:
    """To the end, with a line every two seconds."""
    began = time.monotonic()
    per_step = run.recipe.batch_size * run.context_length
    print(f"on {run.placement.device} in {run.placement.dtype}, {len(run.train_ids):,} tokens of {run.recipe.corpus}")
    while not run.done:
        left = None if seconds is None else seconds - (time.monotonic() - began)
        if left is not None and left <= 0:
            break
        slice_began, before = time.monotonic(), run.step
        run.advance(seconds=2.0 if left is None else min(2.0, left))
        speed = (run.step - before) * per_step / (time.monotonic() - slice_began)
        last = next(point for point in reversed(run.history) if point.val_loss is not None)
        print(
            f"step {run.step:>5} of {run.recipe.n_step}  loss {run.history[-1].loss:.3f}  "
            f"validation {last.val_loss:.3f} (step {last.step})  {speed:,.0f} tokens/s",
            flush=True,
        )


def _report(run: TrainRun) -> None:
    """The final loss beside what guessing and counting reach, and a sample."""
    val_loss = run.final_val_loss if run.final_val_loss is not None else run.validate()
    print(f"validation loss {val_loss:.3f} nats per token, over {run.n_val_token:,} tokens")
    print(f"guessing blindly {run.blind_loss:.3f} (ln {run.vocab_size})")
    if run.recipe.fills_gaps:
        print("it fills gaps:\n" + sample(run, probe(run)))
        return
    for order, loss in ngram_losses(run.train_ids, run.val_ids, run.vocab_size).items():
        print(f"{order}-gram {loss:.3f}")
    print("it writes:\n" + write(run, probe(run)[:8], n_token=200))


if __name__ == "__main__":
    sys.exit(main())
