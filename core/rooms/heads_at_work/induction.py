"""An induction head is born: two heads, one above the other, learn together to continue what was there before."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Reference
from core.charts.race import race
from core.exhibit import NOT_YET, Came, Guessed, custom, guess, seed
from core.exhibit import Inputs as Base
from core.inspect import patch
from core.inspect.head_scores import induction_scores, previous_scores
from core.rooms.heads_at_work.compute.induction import Birth
from core.rooms.heads_at_work.experiments import induction as task
from core.rooms.heads_at_work.ranking_chart import ranking
from core.train.experiment import rebuild
from core.train.experiments.live import Live

EXPERIMENT = "induction"
LITTLE = 0.2  # nats: a rise below it is hardly one
BLIND = math.log(task.VOCAB_SIZE)
GUESSES = {"none": "near 0", "between": "in between", "blind": "as bad as guessing blindly"}
SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"  # for 32 tokens that mean nothing
CODE = (task.Induction, task.repeat_loss, previous_scores, induction_scores, patch.ablate_heads)


class Inputs(Base, prefix="born_"):
    """A guess, the training, and heads to switch off (layer.head)."""

    guess: str = guess(f"Before you look: where will one layer end? A blind guess has a loss of {BLIND:.2f}.", GUESSES)
    seed: int = seed()
    n_head: int = task.Options.control("n_head")
    off: tuple[str, ...] = custom(f"{__name__}:ask_off", (), heading="")


def ask_off() -> tuple[str, ...]:
    """Ask for heads of the model that is shown, which may have more or fewer than the next one is to have."""
    from core import exhibit
    from core.ui.controls import controls
    from core.ui.training import live

    run = live.current(EXPERIMENT)
    n_head = Inputs().n_head if run is None else int(run.options["n_head"])
    if not controls.is_hidden(f"born_off.{n_head}"):
        ui.st.markdown("**Switch heads off**")
    return controls.ask(
        exhibit.several(
            "Heads of the two-layer model (layer.head)",
            [f"{layer}.{head}" for layer in range(2) for head in range(n_head)],
            help="1.0 is head 0 of layer 1. Press again to switch it back on.",
            name=f"born_off.{n_head}",
        )
    )


@dataclass(frozen=True)
class Result(Guessed):
    """Both models as far as they are trained, and the one of two layers with some heads off."""

    guesses = GUESSES
    run: Live
    guess: str  # `NOT_YET` hides the model of one layer
    heads: Birth  # their scores over the training
    rises: NDArray[np.float64]  # (2, H) by how much the loss on the repeat rises without each head alone, nats
    before: float  # before, after: that loss with all heads, and without those that are off
    after: float
    # (T - 1,) probability that is then given to each token of the probe that really comes
    expected: NDArray[np.float64]

    @property
    def variants(self) -> tuple[str, ...]:
        """Those that may be seen."""
        return ("two",) if self.guess == NOT_YET else tuple(task.NAMES)

    @property
    def losses(self) -> dict[str, float]:
        """The loss on the repeat of both models by now."""
        return {variant: float(self.run.record[f"curve.{variant}.loss"][-1]) for variant in task.NAMES}

    @property
    def blind(self) -> float:
        """What it costs to hold all tokens for equally likely."""
        return BLIND

    @property
    def came(self) -> Came:
        loss = self.losses["one"]
        answer = "none" if loss < 2 * LITTLE else "blind" if loss > BLIND - LITTLE else "between"
        return Came(answer, f"{loss:.2f}")

    @property
    def left(self) -> Literal["same", "half", "blind", "worse"]:
        """What is left without the heads that are off: the "same", "half", as "blind" as guessing, or "worse"."""
        if self.after - self.before < LITTLE:
            return "same"
        return "worse" if self.after > BLIND + LITTLE else "blind" if self.after > BLIND - LITTLE else "half"

    @property
    def bag(self) -> float:
        """What it costs to guess among the tokens of the period: the mean of ln(period) over all places that count."""
        return task.bag_loss(task.held_out(self.run.seed)[1])

    @property
    def second_time(self) -> float:
        """The mean probability of the tokens of the probe that come again."""
        return float(self.expected[task.N_PROBE :].mean())

    def table(self) -> dict[str, Any]:
        """Losses and scores, one line for each look."""
        return self.heads.table(task.losses(self.run.record, self.variants))


def model_of(run: Live) -> Any:
    """The trained model of two layers."""
    return rebuild(run.record, "two", task.config(2, int(run.options["n_head"])))


def loss_without(run: Live, heads: Iterable[tuple[int, int]] = ()) -> float:
    """Its loss on the repeat, nats per token, with these heads switched off."""
    ids, periods = task.held_out(run.seed)
    return float(task.repeat_loss(patch.ablate_heads(model_of(run), ids, heads), ids, periods))


def compute(inputs: Inputs, run: Live) -> Result:
    """The scores of all heads while both models learned, and what is lost without some."""
    model, probe, (ids, periods) = model_of(run), torch.tensor(run.record["probe"]), task.held_out(run.seed)
    off = [(int(layer), int(head)) for layer, head in (name.split(".") for name in inputs.off)]
    # Attention to twelve random tokens that come twice, at each look: (looks, layers, heads, 24, 24).
    two, one = (run.record[f"frames.{variant}.weights"] / 255 for variant in ("two", "one"))
    logits = patch.ablate_heads(model, probe[None], off)[0, :-1]
    return Result(
        run,
        inputs.guess,
        Birth(
            run.record["step"],
            previous_scores(two, task.N_PROBE),
            induction_scores(two, task.N_PROBE),
            induction_scores(one, task.N_PROBE)[:, 0].max(-1),
        ),
        patch.rise_without_each(model, ids, lambda logits: task.repeat_loss(logits, ids, periods)),
        loss_without(run),
        loss_without(run, off),
        logits.double().softmax(-1).gather(1, probe[1:, None])[:, 0].numpy(),
    )


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The film, the race, the two scores, and heads switched off."""
    heads = result.heads
    signs = [SIGNS[i] for i in run.record["probe"]]
    writes, reads = heads.previous[-1, 0, heads.writer], heads.induction[-1, 1, heads.reader]
    is_asked = not ui.is_hidden(f"born_off.{heads.previous.shape[-1]}")
    if is_asked:
        _loss(result, inputs)
    ui.say("verdict", writes=writes, reads=reads)
    ui.say("one", writes=writes, reads=reads)
    _film(result, signs)
    if not ui.at_least("numbers"):
        return
    if is_asked:
        left, right = ui.pair("born-off")
        with left:
            ui.token_row(
                signs,
                key="born-row",
                values=np.array([np.nan, *result.expected]),
                kind="probability",
                value_title="probability given to it",
                title="How well each token was expected",
                takeaway=f"Second time: {result.second_time:.2f} on average.",
            )
            ui.say("expected", n_probe=task.N_PROBE)
        with right:
            _rises(result, inputs.off)
            ui.say("star")
    _curves(result)


def _loss(result: Result, inputs: Inputs) -> None:
    with ui.reading():
        ui.metric(
            "Loss on the repeat",
            f"{result.after:.2f}{ui.unit('nats')}",
            f"{result.after - result.before:+.2f}" if inputs.off else None,
            delta_color="inverse",
            help=ui.words("loss"),
        )


def _curves(result: Result) -> None:
    """The losses, and beside them the scores."""
    run, heads = result.run, result.heads
    scores = {name: (heads.steps, values) for name, values in heads.curves.items()}
    shape: dict[str, Any] = {"n_step": run.n_step, "mode": ui.color_mode()}
    left, right = ui.pair("born-curves")
    with right:
        ui.chart(
            race(scores, y_title="score (mean weight)", y_limits=(0, 1.05), **shape),
            alt=f"Scores by training step. Now: {', '.join(f'{n} {v[-1]:.2f}' for n, v in heads.curves.items())}.",
            key="born-scores",
        )
    with left:
        now = ", ".join(f"{task.NAMES[variant]} {result.losses[variant]:.2f}" for variant in result.variants)
        ui.chart(
            race(
                {name: (run.record["step"], losses) for name, losses in task.losses(run.record).items()},
                [Reference(BLIND, "guessing blindly"), Reference(result.bag, "knowing which tokens there are")],
                y_title=ui.measured("loss on the repeat", "nats per token"),
                hidden=[name for variant, name in task.NAMES.items() if variant not in result.variants],
                **shape,
            ),
            alt=f"Loss on the repeat by training step. After step {run.step}: {now}; guessing blindly: {BLIND:.2f}.",
            key="born-losses",
        )


def _film(result: Result, signs: list[str]) -> None:
    """The attention of the probe over the training, scrubbed in the browser."""
    record, reader = result.run.record, result.heads.reader
    looks = zip(record["step"], record["curve.two.loss"], record["frames.two.weights"], strict=True)
    ui.scrubber(
        [
            {"step": int(step), "loss": None, "val_loss": float(loss), "tokens": signs, "attention": weights}
            for step, loss, weights in looks
        ],
        key="born-film",
        chance=BLIND,
        head=(1, reader),
        held_out="on the repeat",
        label="Two layers: twelve random tokens, twice",
        takeaway=f"{len(record['step'])} frames of the attention of two layers while they learn. At the end, for each "
        f"token that comes again, head 1.{reader} reads the one that followed it the first time.",
    )


def _rises(result: Result, off: tuple[str, ...]) -> None:
    """What each head alone is needed for."""
    starred = f"0.{result.heads.writer}", f"1.{result.heads.reader}"
    names = [f"{layer}.{head}" for layer, head in np.ndindex(result.rises.shape)]
    rises = dict(zip(names, result.rises.ravel().tolist(), strict=True))
    ui.chart(
        ranking(
            [f"{'★ ' if name in starred else ''}head {name}{' (off)' if name in off else ''}" for name in names],
            [*rises.values()],
            mode=ui.color_mode(),
            value_title=ui.measured("rise of the loss without it", "nats"),
            marked=[name in off for name in names],
        ),
        alt=f"Rise of the loss without each head: {', '.join(f'{name} {rise:.2f}' for name, rise in rises.items())}",
        key="born-ranking",
    )
