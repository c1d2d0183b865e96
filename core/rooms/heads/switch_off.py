"""Heads switched off: the next token that the model then predicts, and which heads this text needs at all."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    MAX_TRACES,
    NothingToShow,
    Result,
    Table,
    ViewChoice,
    memoize,
    multi_select,
    segmented_control,
    toggle,
)
from core.inspect.model_inputs.model_and_text import load_text_model, model_vocabulary, parse_ids_key
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.heads.compute import ablation
from core.rooms.heads.compute.ablation import Intervention
from core.rooms.heads.effect import draw_loss_changes, draw_next_token, effect_values
from core.rooms.heads.inputs import PredictionInputs, default_head, why_no_effect

LABELS = module_labels(__name__)

# Each head costs one pass of the model; if there are more heads than this, they are measured only on request.
MAX_UNASKED_HEADS = 32
LARGE_D_MODEL = 512  # d_model from which a pass takes some tenths of a second
MOST_BARS = 24
ABLATION_MODES = ("zero", "mean")
CODE = (ablation.knock_out, ablation.intervene)


def _names(inputs: "Inputs") -> list[str]:
    return [f"{layer}.{head}" for layer, head in np.ndindex(inputs.given.config.n_layer, inputs.given.config.n_head)]


def _wait(inputs: "Inputs") -> str:
    is_large = inputs.given.config.d_model >= LARGE_D_MODEL
    return LABELS("measure_all_minutes" if is_large else "measure_all_seconds", n=len(_names(inputs)))


class Inputs(PredictionInputs):
    off: tuple[str, ...] = multi_select(
        _names,
        lambda i: ("{}.{}".format(*default_head(i.given.key)),),
        view=ViewChoice(),
    )
    instead: str = segmented_control(ABLATION_MODES, "zero", view=ViewChoice())
    all: bool = toggle(
        lambda i: len(_names(i)) <= MAX_UNASKED_HEADS,
        when=lambda i: len(_names(i)) > MAX_UNASKED_HEADS and i.given.n_token > 1,
        label=_wait,
    )


class AblationResult(Result):
    """A text with and without some heads."""

    effect: Intervention
    vocabulary: tuple[str, ...]
    # mode -> (L, H) rise of the mean loss without each head alone; for a large model only the chosen mode
    rises: dict[str, NDArray[np.float64]]
    expected: str  # the most probable next token with all heads

    def table(self) -> Table:
        before, after = (one[-1] for one in (self.effect.probabilities_before, self.effect.probabilities_after))
        return {
            "id": [*range(len(before))],
            LABELS["token"]: [*self.vocabulary],
            LABELS["before"]: before,
            LABELS["after"]: after,
        }


@memoize(MAX_TRACES)
def _cached_loss_rises(key: ModelKey, ids_key: str, mode: str) -> NDArray[np.float64]:
    """Return the rise of the text's mean loss when each head alone is switched off: (L, H), in nats per token."""
    return ablation.text_loss_rises(load_text_model(key).model, parse_ids_key(ids_key), mode)


def compute(inputs: Inputs) -> AblationResult:
    """Run the text twice, unchanged and with these heads ablated, and compare the predictions after it."""
    given, mode = inputs.given, inputs.instead
    if why := why_no_effect(given):
        raise NothingToShow(why)
    heads = [(int(layer), int(head)) for layer, head in (name.split(".") for name in inputs.off)]
    is_measured = inputs.all and given.n_token > 1
    modes = (mode,) if given.config.d_model >= LARGE_D_MODEL else ABLATION_MODES
    effect, tokens = (
        ablation.knock_out(given.model, given.ids, heads, mode, given.attention),
        model_vocabulary(given.key),
    )
    rises = {one: _cached_loss_rises(given.key, given.encoded.ids_key, one) for one in modes} if is_measured else {}
    return AblationResult(effect=effect, vocabulary=tokens, rises=rises, expected=tokens[effect.expected].strip())


def draw(result: AblationResult, inputs: Inputs) -> None:
    """Draw before and after for a set of heads, and the ranking of all heads."""
    given, names = inputs.given, _names(inputs)
    effect = ui.compute_in_browser(
        "knock_out",
        None if len(result.rises) == 1 else ui.offer_weights(given.key),
        effect_values(result.effect, inputs, changed=bool(inputs.off)),
        off=ui.choice_ref(inputs.off),
        instead=ui.choice_ref(inputs.instead),
        ids=[*map(int, given.ids)],
        vocabulary=result.vocabulary,
    )
    after, ranked = ui.two_columns("knockout")
    with after:
        draw_next_token(effect, key="knockout")
    ui.add_template_values(loss=effect["loss"], rise=effect["rise"], moved=effect["moved"], n_token=given.n_token)
    draw_loss_changes(effect, inputs, key="knockout")
    if not result.rises:
        return
    known = result.rises[inputs.instead]
    modes = [result.rises.get(one, known) for one in ABLATION_MODES]
    most_needed = [names[int(one.argmax())].split(".") for one in modes]
    ui.add_template_values(
        layer=ui.select_by_choice([layer for layer, _ in most_needed], inputs.instead),
        head=ui.select_by_choice([head for _, head in most_needed], inputs.instead),
        n_idle=ui.select_by_choice([int((np.abs(one) < 0.01).sum()) for one in modes], inputs.instead),
        n_head=len(names),
    )
    with ranked:
        ui.mount_widget(
            "head_ranking",
            key="knockout-ranking",
            heads=names,
            rises=ui.select_by_choice([one.ravel().tolist() for one in modes], inputs.instead),
            off=inputs.off,
            most=MOST_BARS,
            label=LABELS["ranking"],
            value_title=ui.quantity_label(LABELS["loss_rise"], LABELS["nats_per_token"]),
            click_sets={"off": inputs.off},
        )
