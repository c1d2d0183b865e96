"""The leak test: change one token, and see which positions' logits change, with the causal mask and without it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import MAX_TRACES, Result, Table, ViewChoice, memoize, slider, text_input
from core.inspect.attention_record import as_batch, has_token_independent_rounding, max_change_per_position
from core.inspect.loss import token_loss
from core.inspect.model_inputs.model_and_text import ModelAndText, model_vocabulary
from core.models import registry
from core.models.gpt import GPT
from core.rooms.decoder.inputs import DecoderInputs

LABELS = module_labels(__name__)

MASKED, UNMASKED = True, False


def set_mask(model: GPT, causal: bool) -> GPT:
    """Return a model with the same weights that hides the future, or (causal=False) nothing."""
    if model.config.causal == causal:
        return model
    other: GPT = registry.build_empty(replace(model.config, causal=causal))
    # The tensors are shared, not copied, so neither model may be trained.
    registry.fill_weights(other, {name: parameter.detach() for name, parameter in model.named_parameters()})
    other.tok_emb.is_widened = model.tok_emb.is_widened
    return other.eval().requires_grad_(False)


@torch.no_grad()
def logit_changes(model: GPT, ids: Sequence[int], replacement: int) -> Float[NDArray[np.float64], "T T"]:
    """Return the largest change in each position's logits when token t is replaced, as row t.

    In a causal model everything left of the diagonal is exactly 0 (bit for bit), unless it has experts, see
    `core.inspect.attention_record`. Where the token already is the replacement, the next token of the vocabulary is
    used.

    Raises:
        ValueError: if the text is too long.
    """
    text = as_batch(model, ids)  # (1, T)
    plain = model(text)[0]  # (T, V)
    config = model.config
    found = []
    # One text at a time instead of a batch: rounding depends on the position in a batch, and 0 should mean that no bit
    # differs.
    for t in range(text.shape[1]):
        changed = text.clone()
        changed[0, t] = replacement if replacement != int(text[0, t]) else (replacement + 1) % config.vocab_size
        found.append(max_change_per_position(model, model(changed)[0], plain))  # (T,)
    return torch.stack(found).double().cpu().numpy()


class Leak(Result):
    """The result of the leak test on a text."""

    changes: Float[NDArray[np.float64], "T T"]  # (T, T) see `logit_changes`
    loss: float  # mean over the text, nats per token
    before: float  # the largest change at a position before the changed token: a leak from the future
    here: list[float]  # (T,) the same, for each changed token
    n_noticed: list[int]  # (T,) the number of earlier positions that change at all


@memoize(MAX_TRACES)
def _measure_leak(given: ModelAndText, replacement: int, causal: bool) -> Leak:
    """Run the leak test with the causal mask or without it."""
    model = set_mask(given.model, causal)  # type: ignore[arg-type]
    found = logit_changes(model, given.ids, replacement)
    earlier = np.tril(found, -1)
    return Leak(
        changes=found,
        loss=token_loss(model, given.ids).mean,
        before=float(earlier.max(initial=0.0)),
        here=earlier.max(-1).tolist(),
        n_noticed=(earlier > 0).sum(-1).tolist(),
    )


CODE = (logit_changes, set_mask, GPT.mask)


class Inputs(DecoderInputs, prefix="leak_"):
    place: int = slider(
        0,
        lambda i: i.given.n_token - 1,
        lambda i: (i.given.n_token - 1) // 2,
        view=ViewChoice(),
    )
    into: str = text_input(lambda i: i.given.tokens[0].strip(), max_chars=40, read_by="given")


class LeakTest(Result):
    """The positions affected by a changed token, with the mask and without."""

    leaks: dict[bool, Leak]  # masked -> the test
    put_in: tuple[str, ...]  # (T,) the replacement of each token, printable
    is_exact: bool  # whether changes as small as rounding can be detected
    formula: str

    def table(self) -> Table:
        n = len(self.leaks[MASKED].changes)
        return {
            LABELS["changed"]: [t for t in range(n) for _ in range(n)],
            LABELS["position"]: list(range(n)) * n,
            LABELS["change_masked"]: self.leaks[MASKED].changes.ravel().tolist(),
            LABELS["change_unmasked"]: self.leaks[UNMASKED].changes.ravel().tolist(),
        }


def _format_change(value: float) -> str:
    """Return a change as text; 0.0 only if it is exactly 0."""
    return "0.0" if value == 0 else f"{value:.3g}" if value >= 1e-3 else ui.format_power_of_ten(value, 2)


def compute(inputs: Inputs) -> LeakTest:
    """Replace each token, one at a time, and measure the logits' changes with the causal mask and without."""
    given, typed = inputs.given, inputs.given.other(inputs.into)
    # The first token of the typed text that is more than a space.
    first = next((i for i, token in zip(typed.ids, typed.tokens, strict=True) if token.strip()), given.ids[0])
    leaks = {masked: _measure_leak(given, first, masked) for masked in (MASKED, UNMASKED)}
    names, n_name = model_vocabulary(given.key), given.config.vocab_size
    put_in = tuple(names[first if first != one else (first + 1) % n_name] for one in given.ids)
    place, here = inputs.place, [leaks[masked].here[inputs.place] for masked in (MASKED, UNMASKED)]
    change = rf"\max_{{s < {place}}} \Delta_{{{place} s}} = {_format_change(here[0])}"
    words = LABELS.options("formula", "with", "without")
    formula = rf"{change}\ \text{{{words['with']}}},\quad {here[1]:.3f}\ \text{{{words['without']}}}"
    return LeakTest(leaks=leaks, put_in=put_in, is_exact=has_token_independent_rounding(given.model), formula=formula)


def draw(result: LeakTest, inputs: Inputs) -> None:
    """Draw two maps of the changes, with the mask and without."""
    tokens, place = inputs.given.tokens, inputs.place
    deep = ui.depth_at_least("numbers")
    high = float(max(one.changes.max() for one in result.leaks.values())) or 1.0
    word = ui.select_by_choice([token.strip() for token in tokens], place)
    for side, (masked, one) in zip(ui.two_columns("leak-maps"), result.leaks.items(), strict=True):
        with side:
            ui.matrix(
                one.changes,
                rows=tokens,
                columns=tokens,
                key=f"leak.{'masked' if masked else 'unmasked'}:{inputs.content}",
                kind="value",
                limits=(0.0, high),
                row_title=LABELS["changed_axis"],
                column_title=LABELS["logits_axis"] if deep else LABELS["prediction_axis"],
                value_title=LABELS["logits_change"] if deep else LABELS["prediction_change"],
                selected=(ui.choice_ref(place), ui.choice_ref(place)),
                click_sets={"row": ui.choice_ref(place).name},
                height=380,
                label=LABELS["masked"] if masked else LABELS["unmasked"],
                takeaway=LABELS("takeaway", change=_format_change(one.before)),
            )
            here = ui.select_by_choice([_format_change(change) for change in one.here], place)
            ui.show_text_section(
                "side", masked=masked, word=word, here=here, leaked=_format_change(one.before), loss=one.loss
            )
    ui.add_template_values(
        word=word,
        new_word=ui.select_by_choice([one.strip() for one in result.put_in], place),
        place=ui.for_each_option(int, place),
        n_masked=ui.select_by_choice(result.leaks[MASKED].n_noticed, place),
        n_unmasked=ui.select_by_choice(result.leaks[UNMASKED].n_noticed, place),
    )
