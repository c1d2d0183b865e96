"""Two bits: a model that is rounded after training, and one that is trained with rounded weights."""

import math

from core import ui
from core.data.localization.labels import module_labels
from core.data.printable import printable_text
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed
from core.rooms.fewer_bits.compute import quantize
from core.rooms.fewer_bits.experiments import fewer_bits as experiment
from core.rooms.fewer_bits.experiments.fewer_bits import NAMES
from core.train.experiment import tokenizer_of
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "fewer-bits"
EQUAL_WITHIN = 0.05  # nats; a model this close to the one without rounding counts as equally good
CODE = (experiment.FewerBits, quantize.quantize, quantize.quantize_by_mean, quantize.straight_through)


class Inputs(Base, prefix="train_"):
    guess: str = guess_control(
        ("no", "between", "yes"),
    )
    scale: str = experiment.Options.control("scale")
    seed: int = seed(depth="numbers")


class TwoBitTraining(Result):
    """The three models at the newest step of their training."""

    run: ExperimentRun
    shown: dict[str, str]  # variants and their names; before the guess, without the one trained with rounding
    is_hidden: bool
    losses: dict[str, float]  # newest, nats per token
    perplexity_rise: float  # relative increase of the perplexity through rounding in every step
    outcome: GuessOutcome | None

    def table(self) -> Table:
        """Return the losses that may be shown, by training step."""
        record = self.run.record
        curves = {name: record[f"curve.{variant}.loss"].round(4) for variant, name in self.shown.items()}
        return {LABELS["step"]: record["step"], **curves}


def compute(inputs: Inputs, run: ExperimentRun) -> TwoBitTraining:
    """Return the record, without what the guess still hides."""
    is_hidden = inputs.guess == NOT_YET
    losses = {variant: float(run.record[f"curve.{variant}.loss"][-1]) for variant in NAMES}
    plain, after, during = (losses[variant] for variant in ("float", "after", "during"))
    answer = "yes" if during < plain + EQUAL_WITHIN else "between" if during < (plain + after) / 2 else "no"
    return TwoBitTraining(
        run=run,
        shown={variant: name for variant, name in NAMES.items() if not (is_hidden and variant == "during")},
        is_hidden=is_hidden,
        losses=losses,
        perplexity_rise=math.expm1(during - plain),
        outcome=GuessOutcome(answer) if run.is_done else None,
    )


def draw(result: TwoBitTraining, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the losses by training step, and the newest text of each model."""
    record, tokenizer = run.record, tokenizer_of(run.record)
    ui.curves(
        {name: (record["step"], record[f"curve.{variant}.loss"]) for variant, name in NAMES.items()},
        y=ui.quantity_label(LABELS["new_stories"], LABELS["nats_per_token"]),
        n_step=run.n_step,
        hidden=[name for variant, name in NAMES.items() if variant not in result.shown],
        height=230,
    )
    for variant, name in result.shown.items():
        ids, title = (
            record[f"written.{variant}"].tolist(),
            LABELS("variant_loss", variant=LABELS.capitalize(name), loss=result.losses[variant]),
        )
        takeaway = LABELS("takeaway", title=title, text=printable_text(tokenizer.decode(ids)))
        ui.token_row(tokenizer.tokens(ids), key=f"train.text.{variant}", title=title, takeaway=takeaway)
