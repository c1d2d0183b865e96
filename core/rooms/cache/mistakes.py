"""Cached decoding with a mistake in it: positions that are forgotten, and keys of a text that was edited since."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core import ui
from core.exhibit import Control, NothingToShow, Result, segmented, text_input
from core.generate.cache import CachedModel
from core.generate.keys_values import KeyValues, Place
from core.inspect.loss import token_loss
from core.inspect.reading.model_and_text import ModelAndText, encode, sample_of, vocabulary
from core.inspect.reading.model_key import ModelKey
from core.models.gpt import GPT
from core.rooms.cache.inputs import MOST_PROMPT, Looked, prompt_of, say_cut

LEARNED, DISTANCES = "stories", "stories-alibi"  # shipped: positions that can be forgotten, and that cannot
MISTAKES = {
    "zero": "Every new token gets position 0",
    "restart": "Positions start again after the prompt",
    "stale": "The prompt is edited, the cache is not",
}
EDITS = (("Mia", "Ben"), ("bottle", "cup"), ("exception", "error"), ("name", "value"), ("light", "night"))
Mistake = Literal["zero", "restart"]
SUFFERS = ("learned", "sinusoidal", "rotary")  # schemes that need the number of a token's position


class WrongPositions(KeyValues):
    """Keys and values of a loop that forgets how many tokens it has read before.

    Args:
        model: a causal GPT.
        mistake: "zero": every new token is told that it is the first, position 0. "restart": the new tokens are
            counted from 0 again, from the end of the prompt on.
        n_prompt: tokens of the prompt; they are read in one pass, where nothing can go wrong.
    """

    def __init__(self, model: GPT, mistake: Mistake, n_prompt: int):
        super().__init__(model)
        self.mistake, self.n_prompt = mistake, n_prompt

    def at(self, by_position: Tensor, place: Place) -> Tensor:
        """What a position brings with it, taken from the wrong position."""
        if place.start < self.n_prompt:
            return super().at(by_position, place)
        return by_position[0 if self.mistake == "zero" else place.start - self.n_prompt]


class Derailed(Result):
    """Two texts from one prompt, both greedy; arrays (N,), one number for each new token."""

    right: NDArray[np.int64]  # right, wrong: the new tokens
    wrong: NDArray[np.int64]
    right_loss: NDArray[np.float64]  # right_loss, wrong_loss: how surprised the right model is by each of them, nats
    wrong_loss: NDArray[np.float64]
    first: int | None  # the first place where the tokens differ; None: they are the same
    n_prompt: int  # tokens of the prompt
    right_tokens: tuple[str, ...] = ()  # right_tokens, wrong_tokens: printable
    wrong_tokens: tuple[str, ...] = ()
    edits: tuple[tuple[str, str], ...] = ()  # (old, new) tokens of a prompt that was edited
    scheme: str = ""  # the model's positions

    def table(self) -> dict[str, list[Any]]:
        """One line for each new token."""
        return {
            "position": list(range(self.n_prompt, self.n_prompt + len(self.right))),
            "right token": [*self.right_tokens],
            "its loss": self.right_loss.tolist(),
            "broken token": [*self.wrong_tokens],
            "loss of the broken token": self.wrong_loss.tolist(),
        }


def forget_positions(model: GPT, ids: Sequence[int], n_new: int, mistake: Mistake) -> Derailed:
    """Write on with the right positions and with wrong ones.

    Args:
        n_new: how many tokens; prompt and new tokens must fit the context.
    """
    kept = WrongPositions(model, mistake, len(ids))
    return _compare(model, list(ids), _write(CachedModel(model), ids, n_new), _write_with(kept, ids, n_new))


def keep_stale_keys(model: GPT, before: Sequence[int], ids: Sequence[int], n_new: int) -> Derailed:
    """Write on after an edit of the prompt: with everything read anew, and with what was kept of the old prompt.

    Of the edited prompt, the second one reads the last token alone.

    Args:
        before: (T,) the prompt that was read.
        ids: (T,) the edited prompt, of the same length.
        n_new: how many tokens; prompt and new tokens must fit the context.
    """
    stale = KeyValues(model)
    with torch.inference_mode():
        stale.choose([0], [0], 0)
        stale.read([list(before)], [0])
    right = _write(CachedModel(model), ids, n_new)
    return _compare(model, list(ids), right, _write_with(stale, ids, n_new, n_read=len(ids) - 1))


def _write(cached: CachedModel, ids: Sequence[int], n_new: int) -> list[int]:
    text = list(ids)
    for _ in range(n_new):
        text.append(int(cached.next_logits([text]).argmax()))
    return text[len(ids) :]


@torch.inference_mode()
def _write_with(kept: KeyValues, ids: Sequence[int], n_new: int, n_read: int = 0) -> list[int]:
    """Greedy tokens from what is kept of the first n_read tokens."""
    text = list(ids)
    if n_read == 0:
        kept.choose([0], [0], 0)
    for _ in range(n_new):
        logits = kept.read([text[n_read:]], [n_read])
        n_read = len(text)
        text.append(int(logits.argmax()))
    return text[len(ids) :]


def _compare(model: GPT, ids: list[int], right: list[int], wrong: list[int]) -> Derailed:
    differ = [n for n, (one, other) in enumerate(zip(right, wrong, strict=True)) if one != other]
    right_loss, wrong_loss = (token_loss(model, ids + new).loss[-len(new) :] for new in (right, wrong))
    return Derailed(
        right=np.array(right),
        wrong=np.array(wrong),
        right_loss=right_loss,
        wrong_loss=wrong_loss,
        first=differ[0] if differ else None,
        n_prompt=len(ids),
    )


CODE = (WrongPositions, forget_positions, keep_stale_keys)


def _suffers(inputs: Any) -> bool:
    return str(inputs.given.config.positions) in SUFFERS


def _edited(inputs: Any) -> str:
    """The prompt with a word in place of another one, where both are one token."""
    prompt, tokenizer = prompt_of(inputs.given)[0], inputs.given.tokenizer
    text: str = tokenizer.decode(list(prompt.ids))
    edits = (text.replace(old, new) for old, new in EDITS)
    return next((one for one in edits if one != text and len(tokenizer.encode(one)) == prompt.n_token), text)


def begin_anew(control: Control, inputs: Any) -> None:
    """Another prompt, another edit."""
    if ui.picks.has_changed("cache.edit", inputs.given.content):
        ui.reset(str(control.name), control.default)


class Inputs(Looked, prefix="break_"):
    """The mistake; and either a model, the chosen one or a shipped one of the other kind, or an edit of the prompt."""

    mistake: str = segmented("The mistake", MISTAKES, "zero")
    model: str = segmented(
        "Model",
        lambda i: {
            "above": "The chosen model",
            "other": f"The shipped model with {'ALiBi' if _suffers(i) else 'learned positions'}",
        },
        lambda i: "above" if _suffers(i) else "other",
        when=lambda i: i.mistake != "stale",
    )
    text: str = text_input(
        "The prompt after the edit",
        _edited,
        max_chars=400,
        read_by="given",
        before="core.rooms.cache.mistakes:begin_anew",
        when=lambda i: i.mistake == "stale",
    )


def model_and_text(inputs: Inputs) -> ModelAndText:
    """The chosen model, or the other; one that was trained on other texts reads one of those."""
    given = inputs.given
    if inputs.mistake == "stale" or inputs.model == "above":
        return given
    key = ModelKey.at(DISTANCES if _suffers(inputs) else LEARNED)
    text = given.encoded.text if sample_of(key) == sample_of(given.key) else sample_of(key)
    return ModelAndText(key, encode(key, text, MOST_PROMPT))


def compute(inputs: Inputs) -> Derailed:
    """The right text and the broken one."""
    given = model_and_text(inputs)
    prompt, n_new = prompt_of(given)
    model, names = cast(Any, given.model), vocabulary(given.key)
    edits: tuple[tuple[str, str], ...] = ()
    if inputs.mistake == "stale":
        edited = given.other(inputs.text)
        if edited.n_token != prompt.n_token:
            raise NothingToShow(
                f"The prompt was read as {prompt.n_token} tokens; this text has {edited.n_token}. Swap words for "
                "others that are one token each, so that every other token keeps its position."
            )
        found = keep_stale_keys(model, prompt.ids, edited.ids, n_new)
        pairs = zip(prompt.ids, edited.ids, strict=True)
        edits = tuple((names[old].strip(), names[new].strip()) for old, new in pairs if old != new)
    else:
        found = forget_positions(model, prompt.ids, n_new, cast(Mistake, inputs.mistake))
    return replace(
        found,
        right_tokens=tuple(names[token] for token in found.right),
        wrong_tokens=tuple(names[token] for token in found.wrong),
        edits=edits,
        scheme=str(given.config.positions),
    )


def draw(result: Derailed, inputs: Inputs) -> None:
    """Both texts below one another."""
    say_cut(model_and_text(inputs))
    highest = max(4.0, float(result.right_loss.max()), float(result.wrong_loss.max()))
    unit, mistake = ui.unit("nats"), MISTAKES[inputs.mistake]
    for n, (title, tokens, loss) in enumerate(
        (
            ("The right text", result.right_tokens, result.right_loss),
            (f"With the mistake: {mistake[0].lower()}{mistake[1:]}", result.wrong_tokens, result.wrong_loss),
        )
    ):
        ui.token_row(
            tokens,
            key=f"break-{n}-{inputs.given.content}-{inputs.mistake}",
            values=loss,
            kind="value",
            limits=(0.0, highest),
            value_title=ui.measured("surprisal of the right model", "nats"),
            details=[f"{one:.2f}{unit}" for one in loss],
            title=title,
            takeaway=f"{title}: mean surprisal {loss.mean():.2f}{unit}.",
        )
