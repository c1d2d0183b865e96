"""Does it work? A text through the opened model, and whether its guesses are better than blind ones."""

from typing import Any

import numpy as np

from core import ui
from core.charts.neighbor_bars import neighbor_bars
from core.data.printable import visible
from core.inputs import Control, custom, slider
from core.inspect.readers import predicts
from core.inspect.reading.model_and_text import ModelAndText, encode, load, sample_of
from core.rooms.pretrained.compute import tryout
from core.rooms.pretrained.compute.tryout import Guess, Labels, Tokens
from core.rooms.pretrained.inputs import Looked, kind_of

MOST_TOKENS = 48  # each token of an encoder's text is hidden once: a pass of the model for each
N_BARS = 5
GAPS = "The <extra_id_0> walks in the park with her <extra_id_1>."  # T5's own task: it writes what stood in the gaps
CODE = (tryout.next_token, tryout.gaps, tryout.written)


def has_gaps(i: Any) -> bool:
    """Whether the model is a T5 that learned to fill gaps."""
    return kind_of(i.key) == "t5" and "<extra_id_0>" in load(i.key).vocabulary


def sample(i: Any) -> ModelAndText:
    """A text that the model should understand."""
    return ModelAndText(i.key, encode(i.key, GAPS if has_gaps(i) else sample_of(i.key), MOST_TOKENS))


def places(i: Any) -> list[int]:
    """Places that can be hidden: all but what the tokenizer lays around a text, and gaps that are there already."""
    found = load(i.key)
    if not tryout.can_fill(found.model, found.tokenizer):
        return []
    around = {getattr(found.tokenizer, name, None) for name in ("class_id", "end_id", "mask_id", "pad_id")}
    return [place for place, id in enumerate(i.given.ids) if id not in around]


def follow_clicks(control: Control, i: Any) -> None:
    """A click on a token hides it; another text begins at its last one."""
    if ui.picks.has_changed("try.text", i.given.encoded.packed):
        ui.reset("try_gap", control.default)
    if (pick := ui.picks.news("try.tokens", i.given.content)) is not None:
        ui.put("try_gap", pick)


class Inputs(Looked):
    """The text, and for a model that fills gaps which token is hidden."""

    given: ModelAndText = custom(
        "core.rooms.pretrained.shelf:ask_text",
        sample,
        key=lambda i: i.key,
        text=lambda i: GAPS if has_gaps(i) else "",
        most=MOST_TOKENS,
    )
    at: int = slider(
        "Token to hide",
        lambda i: min(places(i), default=0),
        lambda i: max(places(i), default=0),
        lambda i: max(places(i), default=0),
        name="try_gap",
        when=places,
        before=f"{__name__}:follow_clicks",
    )


def compute(inputs: Inputs) -> Guess | Labels | Tokens:
    """What the model can be asked: what comes next, what stands in a gap, a translation, or its labels."""
    found, given, ids = load(inputs.key), inputs.given, list(inputs.given.ids)
    model, tokenizer = found.model, found.tokenizer
    why = "no-word"
    if predicts(model) == "next":
        return tryout.next_token(model, ids, given.vocabulary)
    if tryout.can_fill(model, tokenizer):
        if hidden := places(inputs):
            return tryout.gaps(model, ids, given.tokenizer.mask_id, inputs.at, hidden, given.vocabulary)
    elif hasattr(model, "decoder"):
        if ends := tryout.start_and_end(model, tokenizer):
            answer = tryout.written(model, ids, *ends)
            return Tokens("written", answer, given.tokenizer.tokens(answer), given.tokenizer.decode(answer).strip())
        why = "no-ends"
    elif getattr(found.config, "head", "") == "none":
        why = "no-head"
    elif predicts(model) == "here":
        why = "no-gap"
    else:
        answers = tryout.label_probabilities(model, ids)
        return Labels(answers, tryout.answer_names(inputs.key.folder, answers.shape[-1]), given.tokens)
    return Tokens(why, given.ids, given.tokens)


def draw(result: Guess | Labels | Tokens, inputs: Inputs) -> None:
    """The tokens, and what the model makes of them."""
    given, at = inputs.given, inputs.at if places(inputs) else None
    ui.token_row(
        given.tokens,
        key=ui.picks.key("try.tokens", given.content, at),
        ids=given.ids,
        selected=at,
        title="What the model reads",
    )
    ui.say(result.section, token=visible(given.tokens[inputs.at]), most=tryout.MOST_WRITTEN)
    if not isinstance(result, Guess):
        return
    best = np.argsort(-result.probabilities, kind="stable")[:N_BARS]
    values = result.probabilities[best].tolist()
    names = [visible(result.vocabulary[i]) for i in best]
    spec = neighbor_bars(
        names, values, [""] * len(best), [i == result.true for i in best], title="probability", digits=3, limit=1.0,
        mode=ui.color_mode(),
    )  # fmt: skip
    said = ", ".join(f"{name} {p:.1%}" for name, p in zip(names, values, strict=True))
    ui.chart(spec, alt=f"First guesses: {said}", key="try-bars")
