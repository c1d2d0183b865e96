"""Effects of an edit on the next token and on the loss of the text: the pictures of both experiments."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.inspect.model_inputs.model_and_text import model_vocabulary
from core.rooms.heads.compute.ablation import Intervention

LABELS = module_labels(__name__)


def effect_values(effect: Intervention, inputs: Any, *, changed: bool) -> dict[str, object]:
    """Return the values to show; `assets/widgets/computed/effects.js` computes the same in the browser."""
    tokens = model_vocabulary(inputs.given.key)
    before, after = (one[-1].astype(float) for one in (effect.probabilities_before, effect.probabilities_after))
    top, rise = ui.top_ids_before_or_after(before, after), effect.loss_change
    change = effect.loss_after.loss - effect.loss_before.loss
    limit = max(0.5, float(np.abs(np.nan_to_num(change)).max()))  # noise must not look like an effect
    return {
        "first": tokens[effect.expected],
        "then": tokens[effect.now],
        "had": float(before[effect.expected]),
        "left": effect.left,
        "likeliest": float(after[effect.now]),
        "outcome": "nothing" if not changed else "stays" if effect.expected == effect.now else "moved",
        "labels": [tokens[i] for i in top],
        "before": before[top].tolist(),
        "after": after[top].tolist(),
        "loss": effect.loss_after.mean,
        "rise": rise if abs(rise) >= 5e-4 else 0.0,
        "moved": float(effect.kl[-1]),
        "change": change,
        "low": -limit,
        "high": limit,
    }


def draw_next_token(effect: Mapping[str, object], *, key: str) -> None:
    """Draw the next token before and after the edit, with a text for the outcome: "stays", "moved" or "nothing"."""
    told = {name: effect[name] for name in ("first", "then", "had", "left", "likeliest")}
    ui.show_text_section(ui.with_possible_section_names(effect["outcome"], "nothing", "stays", "moved"), **told)
    bars = effect["labels"], effect["before"], effect["after"]
    ui.before_after_bars(*bars, key=f"{key}-bars", label=LABELS["next_token"])


def draw_loss_changes(effect: Mapping[str, Any], inputs: Any, *, key: str) -> None:
    """Draw the change of loss of each token of the text."""
    ui.token_row(
        inputs.given.tokens,
        key=f"{key}-losses",
        values=effect["change"],
        kind="signed",
        limits=(effect["low"], effect["high"]),
        value_title=LABELS["loss_change"],
        title=LABELS["harder_tokens"],
    )
