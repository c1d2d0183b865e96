"""The short Python program that an exhibit gives away: it prints the exhibit's numbers without the app.

    script(
        '''
        from core.data.csv_table import print_table
        from core.rooms.step_by_step.compute import score_scaling

        print_table(score_scaling.root_inside_and_out(d_k=$width, seed=$seed).table())
        ''',
        width=d_k,
        seed=seed,
    )

What stands on the page goes into it as Python literals, so that a visitor's text stays a text.
"""

import ast
import textwrap
from string import Template
from typing import Any

import numpy as np

from core.inspect.reading.model_and_text import ModelAndText
from core.inspect.reading.model_key import ModelKey
from core.ui.models import models

_RUN = "# You trained this model in the studio. Get “Everything (zip)” there, unpack it, and name its folder here."
_OPENED = "# You opened this model from your own files. Name the folder that holds them here."
_ADDED = "# Whoever runs the server has put this model there. Name a folder that holds it here."


class Code(str):
    """A piece of a program, made here and nowhere else: it goes into a script as it stands."""

    __slots__ = ()


def script(template: str, **values: Any) -> str:
    """A program from a template, in which `$name` stands for a value.

    Args:
        template: indented as the function that holds it. Imports only from `core` and what `core` needs, neither
            Streamlit nor `core.ui` nor `core.rooms`; its last act is `print_table(...)`.
        values: plain values and arrays, written as literals; or `Code`, from the functions of this module.

    Raises:
        TypeError: for a value that has no literal.
        KeyError: for a name without a value.
    """
    lines = textwrap.dedent(template).strip()
    return Template(lines).substitute({name: literal(value) for name, value in values.items()}) + "\n"


def literal(value: Any) -> str:
    """A value as Python reads it. Raises TypeError where there is no such text."""
    if isinstance(value, Code):
        return value
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
    """`repr`, with double quotes where they need no backslash, as the rest of the script has them."""
    if isinstance(value, str) and '"' not in value and "'" not in value:
        return f'"{repr(value)[1:-1]}"'
    if type(value) in (list, tuple):
        inside = ", ".join(map(_quoted, value)) + ("," if type(value) is tuple and len(value) == 1 else "")
        return f"[{inside}]" if type(value) is list else f"({inside})"
    return repr(value)


def folder(key: ModelKey) -> Code:
    """Where the script finds the model: `FOLDER = "assets/models/stories"`, a statement of its own.

    A model of the visitor's own lies in no place that a script could know, so a comment says how to get it.
    """
    place = key.folder
    if place.parent == models.SHIPPED:
        return Code(f'FOLDER = "assets/models/{place.name}"')
    where = _RUN if key.is_run else _OPENED if key.is_opened else _ADDED
    return Code(f'{where}\nFOLDER = "path/to/the/model"')


def ids(looked: ModelAndText) -> Code:
    """The tokens of the text: `tokenizer.encode("…")`, with `[-24:]` where the room has cut it."""
    tokenizer: Any = models.load(looked.key).tokenizer
    whole, used = tokenizer.encode(looked.encoded.text), list(looked.encoded.ids)
    n, first = len(used), max(0, len(whole) - len(used))
    starts = (at for at in (0, first, *range(len(whole))) if whole[at : at + n] == used)
    start = next(starts, None)
    if start is None:  # cut in the middle: a BERT keeps its [CLS]
        return Code(repr(used))
    if whole == used:
        part = ""
    else:
        part = f"[:{n}]" if start == 0 else f"[-{n}:]" if start == first else f"[{start}:{start + n}]"
    return Code(f"tokenizer.encode({literal(looked.encoded.text)}){part}")
