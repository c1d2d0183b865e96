"""The update at strengths from none to full: the next-token probabilities, and the losses on lines and stories."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    MAX_TRACES,
    NOT_YET,
    Column,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    ViewChoice,
    guess_control,
    memoize,
    segmented_control,
    text_input,
)
from core.inspect.model_inputs.model_and_text import model_vocabulary
from core.inspect.model_inputs.model_key import ModelKey
from core.models.lora import lora_update, merge_updates
from core.rooms.adapters.compute.merged_model import (
    continue_line,
    merged_model,
    merging_error,
    next_token_probabilities,
)
from core.rooms.adapters.experiments.adapters import evaluation_windows, mean_window_loss
from core.rooms.adapters.inputs import RANK, STRENGTHS
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
TRAINED = "adapters"
N_TOKEN = 3  # the most probable tokens without the update, and this many with it
NONE, HALF, WHOLE = (STRENGTHS.index(strength) for strength in (0.0, 0.5, 1.0))
CODE = (merge_updates, lora_update)


class Inputs(Base, prefix="lora_on_"):
    guess: str = guess_control(
        ("new", "old", "both", "neither"),
    )
    rank: int = segmented_control(RANK, 4, depth="numbers")
    beginning: str = text_input("A cake was hungry. It", max_chars=60, depth="numbers")
    strength: float = segmented_control(STRENGTHS, 1.0, view=ViewChoice())


class Strengths(Result):
    """The model at each of S strengths of the update."""

    is_told: bool
    tokens: tuple[str, ...]  # the N most probable next tokens, without and with the whole update
    probabilities: NDArray[np.float64]  # (S, N)
    losses: NDArray[np.float64]  # (S, 2) on held-out lines, and on stories
    texts: tuple[str, ...]  # the line it writes
    half: tuple[float, float]  # effect of half the update relative to the whole: learned, and forgotten
    lost: float  # by how much the loss on the stories is higher with the update
    merging: float  # the largest difference in a logit between separate and merged updates
    outcome: GuessOutcome

    def table(self) -> Table:
        """Return one row for each strength."""
        new, old = self.losses.T.round(4).tolist()
        found: dict[str, Column] = {
            LABELS["table.strength"]: [*STRENGTHS],
            LABELS["table.new"]: new,
            LABELS["table.old"]: old,
        }
        return found | {token: self.probabilities[:, i].round(5).tolist() for i, token in enumerate(self.tokens)}


@memoize(MAX_TRACES)
def _losses_by_strength(run: ExperimentRun, rank: int) -> NDArray[np.float64]:
    """Return the losses on held-out lines and on stories at each strength (S, 2)."""
    models = [merged_model(run, rank, strength) for strength in STRENGTHS]
    length = models[0].config.context_length
    pieces = evaluation_windows(models[0].text_tokenizer, length, str(run.options["text"]))
    return np.array([[mean_window_loss(one.model, some) for some in pieces] for one in models])


def compute(inputs: Inputs, run: ExperimentRun) -> Strengths:
    """Run the model with the same update added at each strength."""
    models = [merged_model(run, inputs.rank, strength) for strength in STRENGTHS]
    p = np.stack([next_token_probabilities(one, inputs.beginning) for one in models])
    best = dict.fromkeys(int(i) for at in (NONE, WHOLE) for i in np.argsort(-p[at], kind="stable")[:N_TOKEN])
    names, losses = model_vocabulary(ModelKey.at("stories")), _losses_by_strength(run, inputs.rank)
    start, half, whole = losses[[NONE, HALF, WHOLE]]
    learned, forgotten = np.divide(start - half, start - whole, out=np.ones(2), where=start != whole).tolist()
    knows = {(True, True): "both", (True, False): "new", (False, True): "old", (False, False): "neither"}
    said = LABELS("half_has", learned=learned, forgotten=forgotten)
    return Strengths(
        is_told=inputs.guess != NOT_YET,
        tokens=tuple(names[i] for i in best),
        probabilities=p[:, list(best)],
        losses=losses,
        texts=tuple(continue_line(one, inputs.beginning, run.seed) for one in models),
        half=(learned, forgotten),
        lost=float(whole[1] - start[1]),
        merging=merging_error(run, inputs.rank, inputs.beginning),
        outcome=GuessOutcome(knows[learned > 0.5, forgotten < 0.5], said),
    )


def draw(result: Strengths, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the next-token probabilities at the chosen strength, and both losses at each strength."""
    ui.show_text_section(
        "writes", at=ui.for_each_option(float, inputs.strength), text=ui.select_by_choice(result.texts, inputs.strength)
    )
    left, right = ui.two_columns("lora-strength")
    with left:
        pairs = np.stack([np.stack([result.probabilities[0], p], axis=-1) for p in result.probabilities])  # (S, N, 2)
        ui.matrix(
            ui.select_by_choice(pairs, inputs.strength),
            rows=result.tokens,
            columns=(LABELS["off"], LABELS["on"]),
            row_title=LABELS["next_token"],
            column_title=LABELS["update"],
            value_title=LABELS["probability"],
            key=f"lora-next-{inputs.rank}",
            label=ui.section_text("next"),
        )
    with right:
        known = slice(None) if result.is_told else [NONE, WHOLE]
        steps, losses = np.array(STRENGTHS)[known], result.losses[known]
        ui.curves(
            {LABELS["new_lines"]: (steps, losses[:, 0]), LABELS["stories"]: (steps, losses[:, 1])},
            x=ui.Axis(LABELS["strength_axis"], (0, STRENGTHS[-1]), format=".2f"),
            y=ui.Axis(ui.quantity_label(LABELS["loss_axis"], LABELS["loss_unit"]), has_zero=True),
        )
