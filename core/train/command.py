"""Train without the web app: a recipe, or a text of your own.

    python -m core.train my.txt --out my-model         learn from a text of your own
    python -m core.train python-topics --out my-model  train a recipe
    python -m core.train my.txt --kind t5              learn to fill spans, as T5 does
    python -m core.train task:sort --set length=12     learn to answer questions
    python -m core.train my-model                      continue a run that was stopped
    python -m core.generate my-model "Once upon"       let the model write

A run saves itself every few seconds, and whenever it is stopped (Ctrl-C, kill, a closed terminal or pipe), so that it
can continue as if it had never stopped: its numbers are the same, bit for bit.
"""

import argparse
import os
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from core.data import corpora
from core.data.command_line_flags import CLIFlag, FlagParser, FlagRange, message_with_cli_flags
from core.data.name_suggestions import suggest_names
from core.data.output_paths import output_folder, quote_path
from core.data.progress import TerminalProgressBar, TerminationSignalListener, estimated_seconds_left
from core.data.synthetic.tasks import TASK_PREFIX, TASKS, find_task
from core.train import checkpoint
from core.train.estimate import estimate_cost
from core.train.malloc_settings import keep_freed_memory
from core.train.objectives import ngram_losses
from core.train.recipes import RECIPES, TOKENIZERS, Recipe
from core.train.run import TrainingDiverged, TrainRun
from core.train.tasks import defaults
from core.train.tasks.answer_objective import AnswerObjective, constant_answer_accuracy
from core.train.tasks.defaults import KINDS, SIZES, VOCABULARIES, ModelSize
from core.train.tasks.recipe import task_recipe
from core.train.watch.behavior_snapshots import sample_text, snapshot_probe_ids, write_continuation

SLICE_SECONDS = 0.2  # the longest time without checking for signals, unless a single step takes longer
SAVE_SECONDS = 3.0
SAVE_SHARE = 0.1  # of the time may go into saving, so a model that takes long to save is saved less often
LINE_SECONDS = 2.0
SIGPIPE = 13  # not known to Windows
OWN_TEXT = "own-text"  # the name of every recipe made here
_CUT_BY = {"char": "letters", "word": "words", "bpe": "word pieces"}
_SIZES = ", ".join(f"{name} ({one.n_layer} layers, width {one.d_model})" for name, one in SIZES.items())
_VOCABULARIES = ", ".join(f"{kind} {size}" for kind, size in VOCABULARIES.items())
FLAGS = {
    "": (
        CLIFlag("WHAT", "a text file of your own, a recipe, a task, or the folder of a stopped run"),
        CLIFlag("out", "for the model and the run, new or empty; default: a new folder", more={"metavar": "FOLDER"}),
        CLIFlag("overwrite", "start again, although FOLDER holds a model or a run of this program",
                more={"action": "store_true"}),
        CLIFlag("steps", "length of the whole run; the learning rate falls to its end", FlagRange(1, 10**7), "n_step"),
        CLIFlag("seconds", "stop after this time; the saved run can continue", FlagRange(0, is_open=True),
                is_whole=False),
        CLIFlag("seed", "the same seed gives the same model (default 0)", FlagRange(0, 2**32 - 1), "seed"),
        CLIFlag("device", "default: a GPU if there is one", sets="device", choices=("cpu", "cuda", "mps")),
        CLIFlag("kind", "of model, for a task or a text of your own (default gpt)", choices=KINDS),
    ),
    "for a task": (
        CLIFlag("set", "an option of the task, such as length=12", more={"action": "append", "metavar": "NAME=NUMBER"}),
    ),
    "for a text of your own, and sizes and batch for a task": (
        CLIFlag("size", f"{_SIZES}; default small", choices=SIZES),
        CLIFlag("tokenizer", "letters, words, or pieces that can spell any text (default bpe)", sets="tokenizer",
             choices=TOKENIZERS),
        CLIFlag("vocab", f"different tokens at most (default: {_VOCABULARIES}, char all there are)",
             FlagRange(2, 10_000_000), "tokenizer_vocab"),
        CLIFlag("layers", "blocks, instead of the size's", FlagRange(1, 1_000), "n_layer"),
        CLIFlag("heads", "heads in each block", FlagRange(1, 10_000), "n_head"),
        CLIFlag("width", "numbers that describe a token", FlagRange(1, 1_000_000), "d_model"),
        CLIFlag("context", "how many tokens it looks back", FlagRange(4, 1_000_000), "context_length"),
        CLIFlag("batch", "pieces of text in each step (default 20)", FlagRange(1, 1_000_000), "batch_size"),
    ),
}  # fmt: skip
# The flags for a text of your own, with the field of the recipe or of its model that each one sets.
CHOICES = {flag.name: flag.sets for flag in [*FLAGS.values()][-1] if flag.sets}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code: 0, 1 after a one-line message, or 128 + the signal that stopped it."""
    parser = _parser()
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    keep_freed_memory()
    try:
        parser.check(options)
        run, folder = _begin(options)
        _save(run, folder)
        return _train(run, folder, options.seconds)
    except BrokenPipeError:
        _hush()
        return 128 + SIGPIPE
    except (ValueError, OSError, corpora.CorpusRefused, TrainingDiverged) as error:
        message = message_with_cli_flags(parser.in_flags(str(error)), {"vocab_size": "vocab"})
        _complain(message.replace("a context of ", "--context "))
        return 1


def _parser() -> FlagParser:
    recipes = "\n".join(f"  {name:<22}{recipe.title}" for name, recipe in RECIPES.items())
    tasks = "\n".join(f"  {TASK_PREFIX + name:<22}{task.says}" for name, task in TASKS.items())
    hint = "A run learns from one text: join several files into one first"
    epilog = f"recipes:\n{recipes}\n\ntasks:\n{tasks}"
    return FlagParser("python -m core.train", "WHAT", hint, FLAGS, description=__doc__, epilog=epilog)


def _begin(options: argparse.Namespace) -> tuple[TrainRun, Path]:
    """Return the run, new or resumed, and its folder, which is free for it."""
    what = Path(options.what)
    out = None if options.out is None else output_folder(options.out, checkpoint.is_own_model_folder)
    if options.what not in RECIPES and options.what and what.is_dir():
        return _go_on(options, what, out)
    own_text = None
    if options.what not in RECIPES and find_task(options.what) is None:
        if not what.is_file():
            raise ValueError(
                f"there is no file, folder, recipe or task {options.what!r} here."
                f"{suggest_names(options.what, RECIPES)} Name a text file to learn from, such as my.txt, or a recipe: "
                f"{', '.join(RECIPES)}. --help says what each one trains"
            )
        own_text = corpora.clean_training_text(what.read_bytes(), least=1)  # the least length depends on the context
    folder = out or output_folder(
        _free(f"{what.stem.removeprefix(TASK_PREFIX)}-model"), checkpoint.is_own_model_folder, "the folder"
    )
    found = checkpoint.checkpoint_folder_kind(folder)
    if found != "nothing" and not options.overwrite:
        if found == "model":
            raise ValueError(
                f"--out {quote_path(str(folder))} holds a finished model: choose another --out, or train it again with "
                "--overwrite"
            )
        return _go_on(options, folder, None, own_text)
    return _new(options, own_text), folder


def _new(options: argparse.Namespace, own_text: str | None) -> TrainRun:
    vocab_size = None
    task = find_task(options.what)
    if task is None and options.set:
        raise ValueError("--set is for a task, such as task:sort")
    if task is not None:
        recipe = _task_recipe(options)
    elif own_text is None:
        recipe = RECIPES[options.what]
        if given := [f"--{name}" for name in ("kind", "size", *CHOICES) if getattr(options, name) is not None]:
            raise ValueError(f"{', '.join(given)} can be chosen for a text of your own; {options.what!r} is a recipe")
    else:
        recipe = _own_recipe(options)
        vocab_size = recipe.train_tokenizer(own_text).vocab_size
    if options.steps is not None:
        recipe = replace(recipe, n_step=options.steps, n_warmup=min(recipe.n_warmup, options.steps))
    expected = estimate_cost(recipe, vocab_size, options.device)
    n_byte = expected.memory_bytes + 8 * recipe.n_step * recipe.batch_size  # where each window begins
    if n_byte > _memory():
        raise ValueError(
            f"this run would need about {n_byte / 1e9:,.1f} GB of memory, and this machine has "
            f"{_memory() / 1e9:.1f} GB: choose a smaller --width, --layers, --context, --batch, --vocab or --steps"
        )
    run = TrainRun(recipe, options.seed or 0, options.device, text=own_text)
    _say(f"{recipe.title}: {expected.n_parameter:,} parameters, about {expected.seconds:.0f} s on one CPU core")
    return run


def _own_recipe(options: argparse.Namespace) -> Recipe:
    """Return the recipe that learns fastest on one core, in the chosen sizes."""
    base = RECIPES["python-topics"]
    tokenizer = options.tokenizer or "bpe"
    chosen = {CHOICES[name]: getattr(options, name) for name in CHOICES if getattr(options, name) is not None}
    model = base.model | asdict(SIZES[options.size or "small"]) | {k: v for k, v in chosen.items() if k in base.model}
    if model["n_head"] != base.model["n_head"]:
        model.pop("slopes", None)
    more: dict[str, Any] = {}
    _check_width(options, model["d_model"], model["n_head"])
    if options.kind not in (None, "gpt"):
        size = ModelSize(**{name: model[name] for name in asdict(SIZES["small"])})
        model, more = defaults.text_recipe_fields(options.kind, size)
    return replace(
        base,
        name=OWN_TEXT,
        title=f"{Path(options.what).name}, by {_CUT_BY[tokenizer]}",
        corpus=Path(options.what).name,
        tokenizer=tokenizer,
        tokenizer_vocab=chosen.get("tokenizer_vocab", VOCABULARIES.get(tokenizer)),
        model=model,
        batch_size=chosen.get("batch_size", 20),
        **more,
    )


def _task_recipe(options: argparse.Namespace) -> Recipe:
    """Return a recipe that suits the task, in the chosen sizes. Raises ValueError if an option is invalid."""
    given = {}
    for one in options.set or ():
        name, _, number = one.partition("=")
        if not number.isdecimal() or len(number) > 9:
            raise ValueError(f"--set {one[:40]!r} is not NAME=NUMBER, such as length=12")
        given[name] = int(number)
    if foreign := [name for name in ("tokenizer", "vocab", "context") if getattr(options, name) is not None]:
        raise ValueError(f"--{foreign[0]} is for a text of your own; a task brings its own tokens")
    size = asdict(SIZES[options.size or defaults.SIZE])
    size |= {CHOICES[n]: getattr(options, n) for n in ("layers", "heads", "width") if getattr(options, n) is not None}
    _check_width(options, size["d_model"], size["n_head"])
    batch_size = options.batch or defaults.BATCH_SIZE
    kind = options.kind or "gpt"
    try:
        return task_recipe(options.what, kind, given, size=ModelSize(**size), batch_size=batch_size)
    except ValueError as error:
        typed = [f"--set {name}={value}" for name, value in given.items() if name in str(error)]
        if not typed and "=" not in str(error):  # otherwise the message is about a size, and names it
            typed = [f"--kind {kind}"]
        raise ValueError(": ".join([*typed[:1], str(error)])) from error


def _check_width(options: argparse.Namespace, width: int, n_head: int) -> None:
    """Raise ValueError if the heads can't share the width; a recurrent network has no heads."""
    if width % n_head and options.kind not in ("rnn", "seq2seq"):
        near = n_head * max(1, round(width / n_head))
        raise ValueError(
            f"--width {width} can't be split evenly among {n_head} heads (--heads): choose a multiple of {n_head}, "
            f"such as --width {near}, or another --heads"
        )


def _go_on(
    options: argparse.Namespace, folder: Path, out: Path | None, own_text: str | None = None
) -> tuple[TrainRun, Path]:
    """Resume the run of a folder. Raises ValueError if it isn't the run that was asked for."""
    found = checkpoint.checkpoint_folder_kind(folder)
    if found != "run":
        raise ValueError(f"{folder} holds no run to continue" + (
            f": its model is finished. Let it write: python -m core.generate {shlex.quote(str(folder))} \"...\""
            if found == "model" else
            ". To start one, name a text: python -m core.train my.txt --out my-model"))  # fmt: skip
    out = out or output_folder(str(folder), checkpoint.is_own_model_folder, "the folder")
    if out.resolve() != folder.resolve() and checkpoint.checkpoint_folder_kind(out) != "nothing":
        raise ValueError(
            f"--out {quote_path(str(out))} holds a model already: leave out --out, and the run continues in its own "
            "folder, or name a new one"
        )
    for half_written in folder.glob(".write-*.tmp"):  # by a run that was killed while it saved
        half_written.unlink(missing_ok=True)
    run = TrainRun.resume(folder, options.device)
    if other := _contradictions(options, run, own_text):
        raise ValueError(
            f"{folder} holds a run with {'; '.join(other)}. Continue without that, or start again with another --out"
        )
    _say(f"continues {run.recipe.title!r} in {folder}, at step {run.step:,} of {run.recipe.n_step:,}")
    return run, out


def _contradictions(options: argparse.Namespace, run: TrainRun, own_text: str | None) -> list[str]:
    """Describe the settings in which the run differs from what was asked for."""
    recipe = run.recipe
    asked = {name: getattr(options, name) for name in CHOICES}
    if options.size is not None:
        sizes = asdict(SIZES[options.size])
        asked |= {name: sizes[key] for name, key in CHOICES.items() if key in sizes and asked[name] is None}
    has = {name: recipe.model.get(key, getattr(recipe, key, None)) for name, key in CHOICES.items()}
    asked |= {"steps": options.steps, "seed": options.seed}
    has |= {"steps": recipe.n_step, "seed": run.seed}
    other = [f"--{name} {has[name]}, not {value}" for name, value in asked.items() if value not in (None, has[name])]
    name = OWN_TEXT if own_text is not None else options.what if options.what in RECIPES else recipe.name
    if name != recipe.name:
        what = {OWN_TEXT: "a text of its own"}
        other.insert(0, f"{what.get(recipe.name, recipe.name)}, not {what.get(name, name)}")
    elif own_text is not None and own_text != run.own_text:
        other.insert(0, "another text than this one")
    return other


def _free(name: str) -> str:
    """Return a folder of this name that doesn't exist yet."""
    return next(one for n in range(1, 10_000) if not os.path.lexists(one := name if n == 1 else f"{name}-{n}"))


def _memory() -> float:
    """Return the bytes of memory that this machine has; infinity if that is unknown."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def _train(run: TrainRun, folder: Path, seconds: float | None) -> int:
    """Train to the end of the run or of the time, or until something stops it; in any case the run is saved."""
    with TerminationSignalListener() as stop:
        try:
            _advance(run, folder, seconds, stop)
        except BrokenPipeError:  # the reader has quit, as in `| head`
            _hush()
            stop.signal = SIGPIPE
        go_on = f"python -m core.train {shlex.quote(str(folder))}"
        _save(run, folder)
        if stop.signal:
            done = "finished" if run.done else f"stopped at step {run.step:,} of {run.recipe.n_step:,}"
            _complain(f"{done}, saved in {folder}" + ("" if run.done else f"; continue with: {go_on}"))
            return 128 + stop.signal
    _say(f"saved in {folder}" + ("" if run.done else f"; continue with: {go_on}"))
    _report(run)
    return 0


def _advance(run: TrainRun, folder: Path, seconds: float | None, stop: TerminationSignalListener) -> None:
    """Train, with a line every two seconds and a checkpoint every three."""
    began = said = saved = time.monotonic()
    save_every = SAVE_SECONDS
    n_began = n_said = run.step
    bar = TerminalProgressBar()
    what = "questions of" if run.recipe.posed else f"{len(run.train_ids):,} tokens of"
    _say(
        f"on {run.placement.device} in {run.placement.dtype}, {what} {run.recipe.corpus}; "
        f"Ctrl-C stops it and saves it in {folder}"
    )
    while not run.done and not stop.signal:
        left = SLICE_SECONDS if seconds is None else seconds - (time.monotonic() - began)
        if left <= 0:
            return
        run.advance(seconds=min(SLICE_SECONDS, left))
        now = time.monotonic()
        bar.clear()
        if now - said >= LINE_SECONDS or run.done:
            _say(_line(run, (run.step - n_said) / (now - said)))
            said, n_said = now, run.step
        if now - saved >= save_every and not run.done:
            _save(run, folder)
            saved = time.monotonic()
            save_every = max(SAVE_SECONDS, (saved - now) / SAVE_SHARE)
        if not run.done:
            n_step = run.recipe.n_step
            known = [estimated_seconds_left((run.step - n_began) / (n_step - n_began), now - began)]
            known += [] if seconds is None else [seconds - (now - began)]
            bar.show(run.step, n_step, min((one for one in known if one is not None), default=None))
    bar.clear()


def _save(run: TrainRun, folder: Path) -> None:
    """Write a checkpoint; a finished run writes only its model, because it can't continue."""
    try:
        if run.done:
            run.export(folder)
            (folder / checkpoint.CHECKPOINT_FILE).unlink(missing_ok=True)
        else:
            run.save(folder)
    except OSError as error:
        raise ValueError(
            f"{folder} cannot be written ({error.strerror or error}); what was saved there before is as it was"
        ) from error


def _line(run: TrainRun, steps_per_second: float) -> str:
    last = next(point for point in reversed(run.history) if point.val_loss is not None)
    speed = steps_per_second * run.recipe.batch_size * run.context_length
    right = "" if last.right_share is None else f"  right {last.right_share:.0%}"
    return (
        f"step {run.step:>5} of {run.recipe.n_step}  loss {run.history[-1].loss:.3f}  "
        f"validation {last.val_loss:.3f} (step {last.step}){right}  {speed:,.0f} tokens/s"
    )


def _report(run: TrainRun) -> None:
    """Print the final loss, compared with guessing and counting, and a sample."""
    val_loss = run.final_val_loss if run.final_val_loss is not None else run.validate()
    _say(f"validation loss {val_loss:.3f} nats per token, over {run.n_val_token:,} tokens")
    _say(f"guessing blindly {run.blind_loss:.3f} (ln {run.vocab_size})")
    if isinstance(run.objective, AnswerObjective):
        right = run.history[-1].right_share
        if right is not None:
            _say(
                f"right answers {right:.1%}; always the same answer {constant_answer_accuracy(run.objective.held):.1%}"
            )
        _say("it answers:\n" + sample_text(run, snapshot_probe_ids(run)))
        return
    if run.recipe.fills_gaps or run.recipe.fills_spans:
        _say("it fills gaps:\n" + sample_text(run, snapshot_probe_ids(run)))
        return
    for order, loss in ngram_losses(run.train_ids, run.val_ids, run.vocab_size).items():
        _say(f"{order}-gram {loss:.3f}")
    _say("it writes:\n" + write_continuation(run, snapshot_probe_ids(run)[:8], n_token=200))


def _say(line: str) -> None:
    print(line, flush=True)


def _hush() -> None:
    """Discard all further output, because nobody reads it any more and the exit would fail for the same reason."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(line: str) -> None:
    with suppress(OSError):  # of a pipe that nobody reads any more
        print(line, file=sys.stderr, flush=True)
