"""The short Python program of an exhibit: it makes the same call as the app and prints the numbers."""

import ast
import textwrap
from dataclasses import asdict, fields, is_dataclass
from typing import Any

import numpy as np

from core.data.localization.labels import module_labels
from core.exhibit import Inputs
from core.inspect.model_inputs.input_pictures import InputPicture
from core.inspect.model_inputs.model_and_text import ModelAndText
from core.inspect.model_inputs.model_key import SHIPPED_MODELS, ModelKey
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.training.text_facts import OWN_KEY

LABELS = module_labels(__name__)

_ELSEWHERE = LABELS.options("elsewhere", "run", "folder", "opened", "shipped")
_OWN_TEXT = f"# {LABELS['own_text']}"


def program_source(name: str, inputs: Inputs, experiment: str = "", run: ExperimentRun | None = None) -> str:
    """Return a script that computes an exhibit's numbers without the app, and prints them.

    Args:
        name: room and exhibit, "masks.kinds-of-masks".
        inputs: the values of its controls; those at their default are left out.
        experiment: the name of the experiment that it computes from, if any, and `run`, the run shown.
    """
    imports, comments = {"from core import run_exhibit", "from core.data.csv_export import print_table"}, []
    arguments, made = [f"    {_literal(name)},"], []
    for field, value in inputs.non_default_values().items():
        written, needs, comment = _as_code(value)
        imports |= needs
        comments += [*comment, *([_OWN_TEXT] if OWN_KEY.search(written) else [])]
        arguments.append(f"    {field}={written},")
    if run is not None:
        imports.add("from core import run_experiment")
        made = [f"run = {_run_of(experiment, run)}"]
        arguments.append("    experiment_run=run,")
    call = ["result = run_exhibit(", *arguments, ")"] if arguments[1:] else [f"result = run_exhibit({_literal(name)})"]
    lines = [*sorted(imports), "", *dict.fromkeys(comments), *made, *call, "print_table(result.table())"]
    return "\n".join(lines) + "\n"


def options_from_inputs(experiment: str, inputs: Inputs) -> dict[str, object]:
    """Return the inputs that are options of the experiment."""
    return {name: getattr(inputs, name) for name in experiment_setting_names(experiment)[1:] if hasattr(inputs, name)}


def experiment_setting_names(experiment: str) -> list[str]:
    """Return the names of an experiment's settings: the seed, then its options; empty without an experiment."""
    from core.train.experiment import experiment_module

    return ["seed", *(one.name for one in fields(experiment_module(experiment).Options))] if experiment else []


def _as_code(value: object) -> tuple[str, set[str], list[str]]:
    """Return a value as code, the imports that it needs, and comment lines."""
    if isinstance(value, ModelAndText):
        where, comment = _folder(value.key)
        most = "" if value.encoded.most is None else f", most={value.encoded.most}"
        text = _literal(value.encoded.text)
        module = "chat" if value.encoded.is_chat else "model_and_text"
        read = f"load_model_and_{'chat' if value.encoded.is_chat else 'text'}"
        return f"{read}({where}, {text}{most})", {f"from core.inspect.model_inputs.{module} import {read}"}, comment
    if isinstance(value, ModelKey):
        where, comment = _folder(value)
        return f"ModelKey.at({where})", {"from core.inspect.model_inputs.model_key import ModelKey"}, comment
    if isinstance(value, InputPicture):
        file = [f"# {LABELS['own_picture']}"] if "picture_from_file" in value.code else []
        return value.code, {"from core.inspect.model_inputs import input_pictures"}, file
    if isinstance(value, ExperimentRun):
        return _run_of(value.name, value), {"from core import run_experiment"}, []
    if is_dataclass(value):
        kind = type(value)
        return repr(value), {f"from {kind.__module__} import {kind.__name__}"}, []
    return _literal(value), set(), []


def _folder(key: ModelKey) -> tuple[str, list[str]]:
    """Return where the program finds a model; for the visitor's own model, a comment says how to get it."""
    if key.folder.parent == SHIPPED_MODELS:
        return _literal(f"assets/models/{key.folder.name}"), []
    return _literal("path/to/the/model"), textwrap.wrap(
        _ELSEWHERE[key.source], 110, initial_indent="# ", subsequent_indent="# "
    )


def _run_of(name: str, run: ExperimentRun) -> str:
    """The call that trains this run again: `run_experiment("induction", seed=0)`, without options at their default."""
    from core.train.experiment import parse_experiment_options

    usual = asdict(parse_experiment_options(name, {}))
    moved = {option: value for option, value in run.options.items() if _plain(usual.get(option)) != _plain(value)}
    asked = {"seed": run.seed} | moved | ({} if run.is_done else {"until": run.step})
    return (
        f"run_experiment({', '.join([_literal(name), *(f'{key}={_literal(value)}' for key, value in asked.items())])})"
    )


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _literal(value: object) -> str:
    """Return a value as a Python literal; a visitor's text stays a string. Raises TypeError if there is no literal."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    text = _quoted(value)
    try:
        same = ast.literal_eval(text) == value
    except (ValueError, SyntaxError):
        same = False
    if not same:
        raise TypeError(f"a value of a script must be a literal, not {text[:60]}")
    return text


def _quoted(value: Any) -> str:
    """Return `repr` with double quotes where they need no backslash, as in the rest of the script."""
    if isinstance(value, str) and '"' not in value and "'" not in value:
        return f'"{repr(value)[1:-1]}"'
    if type(value) in (list, tuple):
        inside = ", ".join(map(_quoted, value)) + ("," if type(value) is tuple and len(value) == 1 else "")
        return f"[{inside}]" if type(value) is list else f"({inside})"
    return repr(value)
