"""Answers on many heads: what they cost, what each can see, what they look at, and which of them matters."""

from core.cache import MAX_FIGURES, memoize
from core.lessons.answers.answer import Answer, answer
from core.lessons.answers.stories import stories
from core.lessons.answers.trainings import shown

MORE, ALIKE, LESS = "more", "same", "less"


@memoize(MAX_FIGURES)
def n_weight(d_model: int, n_head: int) -> int:
    """All weights of an attention layer, its output matrix included, without biases."""
    import torch

    from core.nn.attention import MultiHeadAttention

    with torch.device("meta"):  # counted, not allocated
        layer = MultiHeadAttention(d_model, n_head, bias=False)
    return sum(parameter.numel() for parameter in layer.parameters())


@answer("heads.cost-of-more")
def cost_of_more(d_model: int, n_head: int) -> Answer:
    """Whether an attention layer of the same width has more weights when it has more heads."""
    from core.nn.attention import MultiHeadAttention

    one, many = n_weight(d_model, 1), n_weight(d_model, n_head)
    value = MORE if many > one else LESS if many < one else ALIKE
    return Answer(
        value,
        f"An attention layer of width {d_model} has {one:,} weights with 1 head and {many:,} with {n_head}.",
        MultiHeadAttention,
    )


@answer("heads.reach")
def reach(d_model: int, n_head: int) -> Answer:
    """To how many numbers of a token a head's query answers, in the standard layer."""
    from core.rooms.step_by_step.compute import split_heads

    found = (split_heads.compare(d_model, n_head, 0).reach != 0).sum(-1)  # (2, H)
    return Answer(
        int(found[0].min()),
        f"We raised each number of a token by 1 in turn: every head's query changed with {int(found[0].min())} of "
        f"{d_model}. In a layer that splits the vector first, it changed with {int(found[1].max())}.",
        split_heads.compare,
    )


@answer("heads.without-w-o")
def without_w_o(d_model: int, n_head: int) -> Answer:
    """How many numbers of the output change with one head off, when the heads only stand side by side."""
    from core.rooms.step_by_step.compute import split_heads

    found = (split_heads.compare(d_model, n_head, 0).mixed != 0).sum(-1)  # (2, H)
    return Answer(
        int(found[1].max()),
        f"With one head off, {int(found[1].max())} of {d_model} numbers change without the output matrix, and "
        f"{int(found[0].min())} with it.",
        split_heads.compare,
    )


@answer("heads.previous-token")
def previous_token(threshold: float) -> Answer:
    """How many heads of the stories model read the token right before with at least this weight."""
    from core.rooms.heads import all_heads

    found = all_heads.compute(all_heads.Inputs(given=stories().given, threshold=threshold))
    ranked, n = found.ranked, len(found.reached)
    return Answer(
        n,
        f"On average over the text, {n} of {len(ranked)} heads give at least {threshold:.2f} of their weight to the "
        f"token just before; the highest share is {ranked[0].value:.2f}.",
        all_heads.heads.rank,
    )


@answer("heads.missed")
def missed(layer: int, one: int, other: int, text: str = "") -> Answer:
    """Which of two heads the next token of a text needs more: the option is the head's number, or "same"."""
    from core.rooms.heads.compute import ablation

    here = stories(text)
    results = [ablation.knock_out(here.given.model, here.given.ids, [(layer, head)]) for head in (one, other)]
    expected = int(results[0].probabilities_before[-1].argmax())
    left = [float(result.probabilities_after[-1, expected]) for result in results]
    value = "same" if abs(left[0] - left[1]) < 0.05 else str((one, other)[left[0] > left[1]])
    token = _token(here.key, expected)
    return Answer(
        value,
        f"With head {layer}.{one} off, the model gives “{token}” {left[0]:.1%}; with head {layer}.{other} off, "
        f"{left[1]:.1%}.",
        ablation.knock_out,
    )


@answer("heads.both-off")
def both_off(heads: list[list[int]]) -> Answer:
    """The probability, in percent, of the token that the whole model expects, with these heads off."""
    from core.rooms.heads.compute import ablation

    here = stories()
    off = [(layer, head) for layer, head in heads]
    result = ablation.knock_out(here.given.model, here.given.ids, off)
    expected = int(result.probabilities_before[-1].argmax())
    percent = 100 * float(result.probabilities_after[-1, expected])
    names = " and ".join(f"{layer}.{head}" for layer, head in off)
    return Answer(
        round(percent, 1),
        f"With {names} off the model gives “{_token(here.key, expected)}” {percent:.1f}%.",
        ablation.knock_out,
    )


@answer("heads.made-to-read")
def made_to_read(layer: int, head: int, token: int) -> Answer:
    """What the model expects when the last row of a head is set to read one token only: "read", "own" or "else"."""
    from core.rooms.heads.compute import ablation

    here = stories()
    last = len(here.tokens) - 1
    row = [float(place == token) for place in range(last + 1)]
    result = ablation.edit_row(here.given.model, here.given.ids, layer, head, last, row)
    was, now = (int(p[-1].argmax()) for p in (result.probabilities_before, result.probabilities_after))
    names = _token(here.key, was), _token(here.key, now)
    read = here.tokens[token].strip()
    value = "own" if was == now else "read" if names[1] == read else "else"
    return Answer(
        value,
        f"With its own weights the model expects “{names[0]}”; made to read “{read}” there, it expects “{names[1]}” "
        f"with {float(result.probabilities_after[-1, now]):.1%}.",
        ablation.edit_row,
    )


@answer("heads.missed-most")
def missed_most() -> Answer:
    """Of three models that name "it": whether the head that is missed most reads the right noun most."""
    from core.rooms.heads_at_work import explanation
    from core.rooms.heads_at_work.compute import naming

    found = explanation.compute(explanation.Inputs(), shown("explanation"))
    right, rise = found.all("right"), found.all("rise")
    worst = int(rise.argmax())
    value = "none" if rise.max() < 0.05 else "weight" if right[worst] > 0.9 else "other"
    return Answer(
        value,
        f"The head missed most gives the right noun {right[worst]:.2f} of its weight: without it the loss rises "
        f"by {rise[worst]:.2f}. {int((right > 0.9).sum())} of {len(right)} heads give it more than 0.9; without any "
        f"one of these it rises by at most {max(float(rise[right > 0.9].max(initial=0.0)), 0.0):.2f}.",
        naming.weigh,
    )


def _token(key: object, i: int) -> str:
    from core.ui.models import models

    return models.vocabulary(key)[i].strip()  # type: ignore[arg-type]
