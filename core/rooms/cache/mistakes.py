"""Cached decoding with a mistake in it: positions that are forgotten, and keys of a text that was edited since."""

from dataclasses import replace
from typing import Any, cast

from core import ui
from core.inputs import Control, NothingToShow, segmented, text_input
from core.inspect.reading.model_and_text import ModelAndText, encode, sample_of, vocabulary
from core.inspect.reading.model_key import ModelKey
from core.rooms.cache.compute import cache_mistakes
from core.rooms.cache.compute.cache_mistakes import SUFFERS, Derailed, Mistake
from core.rooms.cache.inputs import MOST_PROMPT, Looked, prompt_of, say_cut

LEARNED, DISTANCES = "stories", "stories-alibi"  # shipped: positions that can be forgotten, and that cannot
MISTAKES = {
    "zero": "Every new token gets position 0",
    "restart": "Positions start again after the prompt",
    "stale": "The prompt is edited, the cache is not",
}
EDITS = (("Mia", "Ben"), ("bottle", "cup"), ("exception", "error"), ("name", "value"), ("light", "night"))
CODE = (cache_mistakes.WrongPositions, cache_mistakes.forget_positions, cache_mistakes.keep_stale_keys)


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
    model, mistake, names = cast(Any, given.model), cast(Mistake, inputs.mistake), vocabulary(given.key)
    if inputs.mistake != "stale":
        found = cache_mistakes.forget_positions(model, prompt.ids, n_new, mistake)
        return replace(found, vocabulary=names)
    edited = given.other(inputs.text)
    if edited.n_token != prompt.n_token:
        raise NothingToShow(
            f"The prompt was read as {prompt.n_token} tokens; this text has {edited.n_token}. Swap words for others "
            "that are one token each, so that every other token keeps its position."
        )
    found = cache_mistakes.keep_stale_keys(model, prompt.ids, edited.ids, n_new)
    pairs = zip(prompt.ids, edited.ids, strict=True)
    edits = tuple((names[old].strip(), names[new].strip()) for old, new in pairs if old != new)
    return replace(found, vocabulary=names, edits=edits)


def draw(result: Derailed, inputs: Inputs) -> None:
    """What the mistake does, and both texts below one another."""
    say_cut(model_and_text(inputs))
    if inputs.mistake == "stale":
        ui.say("changed")
    else:
        ui.say("positions", scheme=model_and_text(inputs).config.positions)
    if inputs.mistake != "stale" or result.edits:
        ui.say("same" if result.first is None else "part")
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
