"""Generate text with a model, without the web app.

    python -m core.generate my-model "Once upon a time"          sample, at temperature 0.8
    python -m core.generate stories "One day" --greedy           always the most probable token
    python -m core.generate stories "One day" --top-p 0.9 --temperature 1.2 --seed 7
    python -m core.generate stories "One day" --beam 4 --tokens 30 --stop "\\n"

MODEL is a folder (from `python -m core.train`, or in Hugging Face's layout), or the name of a model that ships. The
text appears token by token, and ends when the model ends it. The same seed gives the same text.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from torch import Tensor

from core.data.command_line_flags import (
    FlagParser,
    FlagRange,
    check_flag_ranges,
    message_with_cli_flags,
    parse_number,
    parse_whole,
)
from core.data.name_suggestions import suggest_names
from core.data.tokenizers import Tokenizer
from core.data.tokenizers.incremental_decoding import stream_decoded_text as _pieces
from core.generate import filters
from core.generate.beam import cached_beam_search
from core.generate.decode import generate
from core.models.imports.wrong_folder_advice import add_folder_to_message, missing_folder_advice
from core.models.pretrained import Pretrained, load
from core.models.registry import family_of

SHIPPED_MODELS = Path(__file__).resolve().parents[2] / "assets" / "models"
DEFAULT_TEMPERATURE = 0.8
# name -> (filter, name and type of its setting, help), in the order in which they are applied (Hugging Face's)
_FILTERS: dict[str, tuple[Callable[..., Tensor], str, Callable[[str], float], str]] = {
    "repetition-penalty": (
        filters.repetition_penalty,
        "penalty",
        parse_number,
        "above 1, make earlier tokens less likely",
    ),
    "no-repeat-ngram": (filters.no_repeat_ngram, "n", parse_whole, "never repeat a run of N tokens"),
    "temperature": (
        filters.temperature,
        "t",
        parse_number,
        f"below 1 safer, above 1 wilder; 0 is greedy ({DEFAULT_TEMPERATURE})",
    ),
    "top-k": (filters.top_k, "k", parse_whole, "keep the N most probable tokens"),
    "top-p": (filters.top_p, "p", parse_number, "keep the most probable tokens that together reach this probability"),
    "min-p": (filters.min_p, "p", parse_number, "keep tokens of at least this fraction of the highest probability"),
    "typical-p": (filters.typical_p, "p", parse_number, "keep the most typical tokens, up to this total probability"),
    "epsilon": (filters.epsilon, "e", parse_number, "keep tokens of at least this probability"),
    "eta": (filters.eta, "e", parse_number, "the same, with a threshold that falls when the model is unsure"),
}
_WITHOUT_DRAWING = ("repetition-penalty", "no-repeat-ngram")
_LIMITS = {
    "tokens": FlagRange(1, 1_000_000),
    "seed": FlagRange(0, 2**63 - 1),
    "beam": FlagRange(1, 1_000),
    "length-penalty": FlagRange(-100, 100),
    "repetition-penalty": FlagRange(0, 1e6, is_open=True),
    "no-repeat-ngram": FlagRange(1),
    "temperature": FlagRange(0, 1e6),
    "top-k": FlagRange(1),
    "top-p": FlagRange(0, 1),
    "min-p": FlagRange(0, 1),
    "typical-p": FlagRange(0, 1, is_open=True),
    "epsilon": FlagRange(0, 1, is_open=True),
    "eta": FlagRange(0, 1, is_open=True),
}
# The library's argument names, as in its messages -> the flags that set them.
_ARGUMENTS = {
    "n_beam": "beam", "max_new_tokens": "tokens", "eos_id": "stop", "seed": "seed",
    **{name.replace("-", "_"): name for name in ("length-penalty", "early-stopping", *_FILTERS)},
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0, or 1 after printing a one-line message."""
    options = _parser().parse_args(arguments)
    try:
        check_flag_ranges(options, _LIMITS)
        model = _writer(options.model)
        ids = _encoded(model, options.prompt)
        stop = [*model.end_ids, *([] if options.stop is None else [_stop_id(model, options.stop)])]
        new = _drawn(model, ids, stop, options) if options.beam is None else _beam(model, ids, stop, options)
        pieces = _pieces(_tokenizer(model), new, ids)
        print(options.prompt + next(pieces, ""), end="", flush=True)  # a setting is refused before anything is written
        for piece in pieces:
            print(piece, end="", flush=True)
        print()
    except (ValueError, TypeError, OSError) as error:
        print(add_folder_to_message(message_with_cli_flags(str(error), _ARGUMENTS), options.model), file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = FlagParser(
        "python -m core.generate",
        "MODEL PROMPT",
        'Put a prompt of several words between quotes: "Once upon a time"',
        description=__doc__,
        epilog=f"models that ship: {', '.join(_shipped())}",
    )
    parser.add_argument("model", metavar="MODEL", help="a folder, or the name of a model that ships")
    parser.add_argument("prompt", metavar="PROMPT", help="the text to continue")
    parser.add_argument(
        "--tokens", type=parse_whole, default=200, metavar="N", help="most tokens to generate (default 200)"
    )
    parser.add_argument("--seed", type=parse_whole, metavar="N", help="random seed (default 0)")
    parser.add_argument("--stop", metavar="TEXT", help=r"stop before this token; \n is the end of a line")
    how = parser.add_argument_group("strategy (default: sampling)").add_mutually_exclusive_group()
    how.add_argument("--greedy", action="store_true", help="always the most probable token, without sampling")
    how.add_argument(
        "--beam", type=parse_whole, metavar="B", help="beam search: extend the B most probable texts at once"
    )
    sampling = parser.add_argument_group("sampling, applied in this order")
    for name, (_, _, kind, what) in _FILTERS.items():
        sampling.add_argument(f"--{name}", type=kind, metavar="N" if kind is parse_whole else "X", help=what)
    beam = parser.add_argument_group("beam search")
    beam.add_argument("--length-penalty", type=parse_number, metavar="X", help="above 0 favors long texts (default 1)")
    beam.add_argument("--early-stopping", action="store_true", help="stop as soon as B texts are finished")
    return parser


def _writer(name: str) -> Pretrained:
    """Load the model of a folder or of a name. Raises ValueError if there is none, or if it does not continue texts."""
    folder = next(
        (path for path in (Path(name), SHIPPED_MODELS / name) if (path / "config.json").is_file()), Path(name)
    )
    if not folder.is_dir():
        if folder.exists() or "/" in name:
            raise ValueError(missing_folder_advice(name))
        raise ValueError(
            f"{name!r} is no folder here, and none of the models that ship: {', '.join(_shipped())}."
            f"{suggest_names(name, _shipped())} A model of the Hugging Face hub is downloaded first, with `hf download "
            "OWNER/MODEL --local-dir FOLDER`"
        )
    model = load(folder)
    family = family_of(model.config)
    if not (family.writes and family.predicts(model.config) == "next"):
        raise ValueError(
            f"{name} does not continue texts: it fills gaps, classifies or rewrites texts, or reads pictures. Open it "
            "in the app, in the room Pretrained"
        )
    if model.tokenizer is None:
        raise ValueError(
            f"{name} has no tokenizer that can be read, so it cannot be given a text: put the model's tokenizer.json "
            "into the folder (a tokenizer.model alone isn't read)"
        )
    return model


def _tokenizer(model: Pretrained) -> Tokenizer:
    assert model.tokenizer is not None  # see `_writer`
    return model.tokenizer


def _shipped() -> list[str]:
    return sorted(path.parent.name for path in SHIPPED_MODELS.glob("*/config.json"))


def _encoded(model: Pretrained, prompt: str) -> list[int]:
    """Return the prompt's ids. Raises ValueError if it is empty, or has a piece that the model doesn't know."""
    tokenizer = _tokenizer(model)
    ids = tokenizer.encode(prompt)
    if not ids:
        raise ValueError("the prompt is empty: give the model at least one token to continue")
    unknown = getattr(tokenizer, "unknown_id", None)
    if unknown not in ids or unknown is None:
        return ids
    split = getattr(tokenizer, "split", str.split)
    pieces = [piece for piece in dict.fromkeys(split(prompt)) if tokenizer.encode(piece) == [unknown]]
    words = list(dict.fromkeys(token.strip() for token in model.vocabulary if token.strip()))
    near = [word for piece in pieces for word in get_close_matches(piece.strip(), words, n=3)]
    known = near or [word for word in words if word.isalnum()][:12]
    hint = f"; it knows {', '.join(known)}" + ("" if near else " and more")
    raise ValueError(f"the model does not know {', '.join(repr(piece.strip() or piece) for piece in pieces)}{hint}")


def _stop_id(model: Pretrained, text: str) -> int:
    tokenizer = _tokenizer(model)
    ids = tokenizer.encode(text.replace("\\n", "\n"))
    if len(ids) != 1:
        raise ValueError(f"--stop {text!r} is {len(ids)} tokens of this model: one token is needed, such as \\n or .")
    if ids[0] == getattr(tokenizer, "unknown_id", None):
        raise ValueError(f"--stop {text!r} is unknown to this model: name one of its tokens, such as \\n or .")
    return ids[0]


def _drawn(model: Pretrained, ids: list[int], stop: list[int], options: argparse.Namespace) -> Iterator[int]:
    """Sample and yield one token after another."""
    given = {name: value for name in _FILTERS if (value := _given(options, name)) is not None}
    greedy = options.greedy or given.get("temperature") == 0
    if greedy:
        if not options.greedy:
            del given["temperature"]
        _refuse(options, "greedy decoding", ["seed", *(name for name in given if name not in _WITHOUT_DRAWING)])
    else:
        given.setdefault("temperature", DEFAULT_TEMPERATURE)
    _refuse(options, "sampling", ["length-penalty", "early-stopping"])
    steps = ((name, function, setting) for name, (function, setting, *_) in _FILTERS.items() if name in given)
    chain = [partial(function, **{setting: given[name]}) for name, function, setting in steps]
    seed = options.seed or 0
    for step in generate(model.model, ids, options.tokens, filters=chain, greedy=greedy, seed=seed, eos_id=stop):
        if int(step.token) in stop:
            return
        yield int(step.token)


def _beam(model: Pretrained, ids: list[int], stop: list[int], options: argparse.Namespace) -> Iterable[int]:
    """Return the new tokens of the best text that beam search finds."""
    _refuse(options, "beam search", ["seed", *_FILTERS])
    penalty = 1.0 if options.length_penalty is None else options.length_penalty
    how = {"eos_id": stop, "length_penalty": penalty, "early_stopping": options.early_stopping}
    new = cached_beam_search(model.model, ids, options.beam, options.tokens, **how).hypotheses[0].ids[len(ids) :]
    return new[:-1] if new and new[-1] in stop else new


def _refuse(options: argparse.Namespace, strategy: str, names: Iterable[str]) -> None:
    """Raise ValueError if an option was given that the strategy does not use."""
    if given := [f"--{name}" for name in names if _given(options, name) not in (None, False)]:
        raise ValueError(f"{', '.join(given)} would change nothing, because {strategy} doesn't use it: leave it out")


def _given(options: argparse.Namespace, name: str) -> float | None:
    value: float | None = getattr(options, name.replace("-", "_"))
    return value
