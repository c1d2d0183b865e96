"""An induction head forms: two heads in consecutive layers learn together to continue what occurred before."""

import math
from collections.abc import Iterable
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    custom_control,
    guess_control,
    multi_select,
    seed,
)
from core.inspect import patch
from core.inspect.head_scores import induction_scores, previous_token_scores
from core.models.gpt import GPT
from core.rooms.heads_at_work.experiments import induction as task
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
EXPERIMENT = "induction"
NEGLIGIBLE_RISE = 0.2  # nats
UNIFORM_LOSS = math.log(task.VOCAB_SIZE)
TOKEN_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"  # for 32 tokens that mean nothing
CODE = (task.Induction, task.repeat_loss, previous_token_scores, induction_scores, patch.ablate_heads)


class Inputs(Base, prefix="born_"):
    guess: str = guess_control(("none", "between", "blind"), label=LABELS("guess", uniform_loss=UNIFORM_LOSS))
    seed: int = seed()
    n_head: int = task.Options.control("n_head")
    off: tuple[str, ...] = custom_control(f"{__name__}:ask_heads_off", (), heading="")


def _heads_off_control(n_head: int) -> tuple[str, ...]:
    """Return the control that switches heads off: there is one for each number of heads."""
    return multi_select(
        [f"{layer}.{head}" for layer in range(2) for head in range(n_head)],
        label=LABELS["heads_off"],
        help=LABELS["heads_off_help"],
        name=f"born_off.{n_head}",
    )


def ask_heads_off() -> tuple[str, ...]:
    """Render the control for the model that is shown, which may have more or fewer heads than the next one."""
    from core.ui.controls import controls
    from core.ui.training import live_experiments

    run = live_experiments.shown_run(EXPERIMENT)
    control = _heads_off_control(Inputs().n_head if run is None else int(run.options["n_head"]))
    if not controls.is_hidden(control):
        ui.st.markdown(LABELS["off_heading"])
    return controls.render_control(control)


class InductionScores(Result):
    """Scores of the heads of two layers during training."""

    previous: NDArray[np.float64]  # (F, 2, H) previous-token scores
    induction: NDArray[np.float64]  # (F, 2, H) induction scores
    writer: int  # the head of layer 0 with the highest previous-token score at the end
    reader: int  # the head of layer 1 with the highest induction score at the end


class InductionBirth(Result):
    """Both models at the newest step of their training, and the two-layer one with some heads off."""

    run: ExperimentRun
    outcome: GuessOutcome
    variants: tuple[str, ...]  # the models that may be shown: the one-layer model only after the guess
    heads: InductionScores
    scores: dict[str, NDArray[np.float64]]  # (F,) of writer and reader, and the single layer's best induction score
    writes: float  # the latest score of the writer
    reads: float  # the latest score of the reader
    losses: dict[str, float]  # the latest loss of each model on the repeat, nats per token
    blind: float = UNIFORM_LOSS  # loss of a uniform guess
    bag: float  # loss of a model that knows the period's tokens: mean of ln(period) over all positions that count
    rises: NDArray[np.float64]  # (2, H) rise of the loss on the repeat without each head alone, nats
    before: float  # loss on the repeat with all heads
    after: float  # loss on the repeat without the heads that are off
    left: Literal["same", "half", "blind", "worse"]  # what remains of copying without them; "blind": as bad as guessing
    expected: NDArray[np.float64]  # (T - 1,) probability then assigned to each next token of the probe
    n_probe: int = task.N_PROBE
    second_time: float  # mean of `expected` over the second occurrences

    def table(self) -> Table:
        return (
            {LABELS["step"]: self.run.record["step"]}
            | {
                LABELS("loss_of", variant=name): loss
                for name, loss in task.repeat_losses(self.run.record, self.variants).items()
            }
            | self.scores
        )


def ablated_loss(run: ExperimentRun, heads: Iterable[tuple[int, int]] = ()) -> float:
    """Return the two-layer model's loss on the repeat with these heads switched off, nats per token."""
    ids, periods = task.held_out_sequences(run.seed)
    return float(task.repeat_loss(patch.ablate_heads(model_of(run), ids, heads), ids, periods))


def model_of(run: ExperimentRun) -> GPT:
    """Rebuild the trained two-layer model."""
    return rebuild_model(run.record, "two", task.config(2, int(run.options["n_head"])))


def _score_heads(run: ExperimentRun) -> tuple[InductionScores, NDArray[np.float64]]:
    """Return the scores of the two layers' heads, and (F,) the best induction score of the one-layer model."""
    two, one = (run.record[f"frames.{variant}.weights"] / 255 for variant in ("two", "one"))  # (F, L, H, 24, 24)
    previous, reading = previous_token_scores(two, task.N_PROBE), induction_scores(two, task.N_PROBE)
    writer, reader = int(previous[-1, 0].argmax()), int(reading[-1, 1].argmax())
    heads = InductionScores(previous=previous, induction=reading, writer=writer, reader=reader)
    return heads, induction_scores(one, task.N_PROBE)[:, 0].max(-1)


def _classify_copying(before: float, after: float) -> Literal["same", "half", "blind", "worse"]:
    """Classify what remains of copying, by the losses with and without some heads."""
    if after - before < NEGLIGIBLE_RISE:
        return "same"
    if after > UNIFORM_LOSS + NEGLIGIBLE_RISE:
        return "worse"
    return "blind" if after > UNIFORM_LOSS - NEGLIGIBLE_RISE else "half"


def compute(inputs: Inputs, run: ExperimentRun) -> InductionBirth:
    """Score all heads during the training of both models, and measure the loss without some of them."""
    model, probe, (ids, periods) = model_of(run), torch.tensor(run.record["probe"]), task.held_out_sequences(run.seed)
    off = [(int(layer), int(head)) for layer, head in (name.split(".") for name in inputs.off)]
    (heads, single), before, after = _score_heads(run), ablated_loss(run), ablated_loss(run, off)
    writes, reads = heads.previous[:, 0, heads.writer], heads.induction[:, 1, heads.reader]
    losses = {variant: float(run.record[f"curve.{variant}.loss"][-1]) for variant in task.VARIANT_NAMES}
    answer = "blind" if losses["one"] > UNIFORM_LOSS - NEGLIGIBLE_RISE else "between"
    if losses["one"] < 2 * NEGLIGIBLE_RISE:
        answer = "none"
    logits = patch.ablate_heads(model, probe[None], off)[0, :-1]
    expected = logits.double().softmax(-1).gather(1, probe[1:, None])[:, 0].numpy()
    return InductionBirth(
        run=run,
        outcome=GuessOutcome(answer, f"{losses['one']:.2f}"),
        variants=("two",) if inputs.guess == NOT_YET else tuple(task.VARIANT_NAMES),
        heads=heads,
        scores={
            LABELS("previous_of", head=heads.writer): writes,
            LABELS("induction_of", head=heads.reader): reads,
            LABELS["induction_of_one"]: single,
        },
        writes=float(writes[-1]),
        reads=float(reads[-1]),
        losses=losses,
        bag=task.known_tokens_loss(periods),
        rises=patch.loss_rise_per_head(model, ids, lambda logits: task.repeat_loss(logits, ids, periods)),
        before=before,
        after=after,
        left=_classify_copying(before, after),
        expected=expected,
        second_time=float(expected[task.N_PROBE :].mean()),
    )


def draw(result: InductionBirth, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the film, the two losses, the two scores, and the effect of heads switched off."""
    signs = [TOKEN_SIGNS[i] for i in run.record["probe"]]
    is_asked = not ui.is_hidden(_heads_off_control(len(result.rises[0])))
    ui.add_template_values(is_asked=is_asked)
    if is_asked:
        with ui.exhibit_text_container():
            ui.show_metric(
                LABELS["loss_metric"],
                f"{result.after:.2f}{ui.unit_suffix(LABELS['nats'])}",
                f"{result.after - result.before:+.2f}" if inputs.off else None,
                delta_color="inverse",
                help=ui.section_text("loss"),
            )
    _film(result, signs)
    if not ui.depth_at_least("numbers"):
        return
    if is_asked:
        left, right = ui.two_columns("born-off")
        with left:
            ui.token_row(
                signs,
                key="born-row",
                values=np.array([np.nan, *result.expected]),
                kind="probability",
                value_title=LABELS["token_probability"],
                title=LABELS["expected_tokens"],
                takeaway=LABELS("second_time", probability=result.second_time),
            )
        with right:
            _rises(result, inputs.off)
    _curves(result)


def _film(result: InductionBirth, signs: list[str]) -> None:
    """Draw the attention on the probe during training, scrubbed in the browser."""
    record, reader = result.run.record, result.heads.reader
    looks = zip(record["step"], record["curve.two.loss"], record["frames.two.weights"], strict=True)
    ui.scrubber(
        [
            {"step": int(step), "loss": None, "val_loss": float(loss), "tokens": signs, "attention": weights}
            for step, loss, weights in looks
        ],
        key="born-film",
        chance=UNIFORM_LOSS,
        head=(1, reader),
        held_out=LABELS["on_repeat"],
        label=LABELS["film_title"],
        takeaway=LABELS("film_takeaway", n=len(record["step"]), head=reader),
    )


def _rises(result: InductionBirth, off: tuple[str, ...]) -> None:
    """Draw the rise of the loss without each head alone."""
    starred = f"0.{result.heads.writer}", f"1.{result.heads.reader}"
    rises = {f"{layer}.{head}": float(rise) for (layer, head), rise in np.ndenumerate(result.rises)}
    ui.bars(
        {
            "★ " * (name in starred) + LABELS("head_off" if name in off else "head", head=name): rise
            for name, rise in rises.items()
        },
        x=ui.quantity_label(LABELS["loss_rise"], LABELS["nats"]),
        marked=[name in off for name in rises],
    )


def _curves(result: InductionBirth) -> None:
    """Draw the losses, and the scores next to them."""
    run, step = result.run, result.run.record["step"]
    left, right = ui.two_columns("born-curves")
    with right:
        ui.curves(
            {name: (step, values) for name, values in result.scores.items()},
            y=ui.Axis(LABELS["score_axis"], (0, 1.05)),
            n_step=run.n_step,
        )
    with left:
        ui.curves(
            {name: (step, losses) for name, losses in task.repeat_losses(run.record).items()},
            y=ui.quantity_label(LABELS["repeat_loss"], LABELS["nats_per_token"]),
            n_step=run.n_step,
            references={LABELS["blind_guessing"]: UNIFORM_LOSS, LABELS["known_tokens"]: result.bag},
            hidden=[name for variant, name in task.VARIANT_NAMES.items() if variant not in result.variants],
        )
