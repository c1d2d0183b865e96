"""From the values of a fenced block to a part of a lesson."""

import re
from collections.abc import Callable, Mapping

from core.lessons.format.block import Block
from core.lessons.format.forms import distractors_of, form_of, options_of, right_of
from core.lessons.format.lesson import Check, Code, Do, Part, Piece, Predict, Prose
from core.ui.frame.depth import DEPTHS, FORMER

_COMPUTE = re.compile(r"core\.rooms\.\w+\.compute(\.\w+)+:\w+", re.ASCII)  # pure: it changes nothing
_EXHIBIT = re.compile(r"\S.{0,79}")  # whether there is one of this name is asked later, of all exhibits at once


def _exhibit(block: Block, name: str) -> Piece:
    if _EXHIBIT.fullmatch(name) is None:
        block.problem("Name the exhibit: ```exhibit masks.draw-your-own")
    values = {key: value for key, value in block.mapping("set").items() if block.is_control(key, "set")}
    lock, hide = block.control_names("lock"), block.control_names("hide")
    return Piece(name=name, values=values, lock=lock, hide=hide, line=block.line)


def _predict(block: Block, _rest: str) -> Predict:
    answer = block.words("answer", "") or None
    right = block.values.pop("right", None)
    if (answer is None) == (right is None):
        block.problem("A prediction has either answer: (computed) or right: (written down by the author).")
    form = form_of(block)
    compute, own = block.words("compute", ""), block.values.get("own")
    if compute and _COMPUTE.fullmatch(compute) is None:
        block.problem("compute: name a function of a room's compute/: core.rooms.masks.compute.reach:reach", "compute")
    return Predict(
        ask=block.words("ask"),
        form=form,
        answer=answer,
        found=block.words("found", ""),
        exhibit=block.words("exhibit", ""),
        compute=compute,
        given=block.mapping("with"),
        own=block.words("own") if isinstance(own, str) else None if own is None else block.mapping("own"),
        right=None if right is None else right_of(block, form, right),
        because=block.words("because", ""),
        line=block.line,
        distractors=distractors_of(block, form),
    )


def _check(block: Block, _rest: str) -> Check:
    options, right = options_of(block), block.words("right")
    if right not in options:
        block.problem(f"right: {right!r} is none of the options: {', '.join(options)}.", "right")
    why = {name: str(text) for name, text in block.mapping("why").items()}
    for name in why:
        if name not in options:
            block.problem(f"why: {name!r} is none of the options.", "why")
    because = block.words("because", "")
    return Check(ask=block.words("ask"), options=options, right=right, why=why, because=because, line=block.line)


def _do(block: Block, _rest: str) -> Do:
    return Do(say=block.words("say"), when=block.words("when"), line=block.line)


def _code(block: Block, place: str) -> Code:
    if re.fullmatch(r"core(\.\w+)+:\w+(\.\w+)?", place, re.ASCII) is None:
        block.problem("Name the code: ```code core.nn.masks:causal")
    return Code(place=place, line=block.line)


def deeper(block: Block, depth: str, text: str) -> Prose:
    """A block whose body is Markdown, and not YAML."""
    for known in DEPTHS:
        if FORMER.get(depth, depth) == known:
            return Prose(text=text.strip(), depth=known)
    block.problem(f"deeper needs one of {', '.join(DEPTHS)}.")
    return Prose(text=text)


BLOCKS: Mapping[str, Callable[[Block, str], Part]] = {
    "exhibit": _exhibit,
    "predict": _predict,
    "check": _check,
    "do": _do,
    "code": _code,
}
