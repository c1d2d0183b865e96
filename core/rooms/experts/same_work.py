"""A dense model and two mixtures with the same work per token: which learns more, which keeps its experts in use."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control
from core.inspect.costs import model_cost
from core.inspect.costs.parameters import count_config_parameters
from core.rooms.experts.compute.published import count_idle_parameters
from core.rooms.experts.compute.routing import effective_number, load_balance
from core.rooms.experts.experiments import routing as experiment
from core.rooms.experts.experiments.routing import LENGTH, MIXTURES, VARIANT_NAMES, config_of
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "routing"
COLLAPSED_BELOW, BALANCED_ABOVE = 1 / 3, 0.85  # fraction of experts in use
STARVING_BELOW = 0.02  # fraction of the tokens; an expert that gets less counts as starving
CODE = (load_balance, experiment.routing_objective, experiment.config_of, effective_number)


class Inputs(Base, prefix="work_"):
    guess: str = guess_control(
        ("one", "some", "same"),
    )


class SameWork(Result):
    """The three models at the newest step of their training."""

    run: ExperimentRun
    is_hidden: bool  # True before the guess: the router without a balancing loss is hidden
    n_expert: int
    parameters: dict[str, tuple[int, int]]  # dense, experts: active on one token, total
    work: dict[str, int]  # dense, experts: multiply-adds for one text
    losses: dict[str, float]  # nats per character on held-out text, newest
    gain: float  # the dense model's loss minus the balanced experts' loss
    by_balance: float  # how much balancing lowers the loss
    in_use: dict[str, NDArray[np.float64]]  # mixture -> (n,) the effective number of experts, mean of the layers
    used: dict[str, float]  # the newest of in_use
    starving: dict[str, int]  # number of experts, in both layers, with hardly any tokens
    outcome: GuessOutcome | None

    def table(self) -> Table:
        """Return the losses and the experts in use at each step."""
        record, shown = self.run.record, [name for name in VARIANT_NAMES if not (self.is_hidden and name == "free")]
        return {
            LABELS["step"]: record["step"],
            **{LABELS("loss_of", variant=VARIANT_NAMES[name]): record[f"curve.{name}.loss"].round(4) for name in shown},
            **{
                LABELS("in_use_of", variant=VARIANT_NAMES[name]): self.in_use[name].round(3)
                for name in shown
                if name in MIXTURES
            },
        }


def compute(inputs: Inputs, run: ExperimentRun) -> SameWork:
    """Return the record's curves, and the parameters and work of the models."""
    n_expert = int(run.options["n_expert"])
    options = (n_expert, int(run.options["n_active"]), len(run.record["vocabulary"]))
    configs = {"dense": config_of("dense", *options), "experts": config_of("balanced", *options)}
    totals = {name: count_config_parameters(one).total for name, one in configs.items()}
    losses = {name: float(run.record[f"curve.{name}.loss"][-1]) for name in VARIANT_NAMES}
    sent = {name: run.record[f"frames.{name}.kinds"].sum(2).astype(float) for name in MIXTURES}  # (n, L, E) tokens
    in_use = {name: effective_number(one).mean(-1) for name, one in sent.items()}
    last = {name: one[-1] / one[-1].sum(-1, keepdims=True) for name, one in sent.items()}
    used = {name: float(one[-1]) for name, one in in_use.items()}
    share = used["free"] / n_expert
    answer = "one" if share < COLLAPSED_BELOW else "some" if share < BALANCED_ABOVE else "same"
    return SameWork(
        run=run,
        is_hidden=inputs.guess == NOT_YET,
        n_expert=n_expert,
        parameters={name: (totals[name] - count_idle_parameters(one), totals[name]) for name, one in configs.items()},
        work={name: model_cost.forward_cost(one, LENGTH).total for name, one in configs.items()},
        losses=losses,
        gain=losses["dense"] - losses["balanced"],
        by_balance=losses["free"] - losses["balanced"],
        in_use=in_use,
        used=used,
        starving={name: int((shares < STARVING_BELOW).sum()) for name, shares in last.items()},
        outcome=GuessOutcome(answer, LABELS("in_use", used=used["free"], n=n_expert)) if run.is_done else None,
    )


def draw(result: SameWork, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the losses, and the experts in use."""
    record, hidden = run.record, [VARIANT_NAMES["free"]] if result.is_hidden else []
    order = (*MIXTURES, "dense")  # each mixture has one color in both pictures
    low = min(float(record[f"curve.{name}.loss"].min()) for name in VARIANT_NAMES)
    # The first steps would flatten the rest of the curve.
    shown = record["step"] >= min(run.n_step // 5, record["step"][-1])
    high = float(record["curve.dense.loss"][shown].max())
    left, right = ui.two_columns("work-curves")
    with left:
        ui.curves(
            {VARIANT_NAMES[name]: (record["step"], record[f"curve.{name}.loss"]) for name in order},
            title=LABELS["losses"],
            y=ui.Axis(
                ui.quantity_label(LABELS["loss"], LABELS["nats_per_character"]),
                (low - 0.05 * (high - low) - 1e-3, high + 1e-3),
            ),
            n_step=run.n_step,
            hidden=hidden,
        )
    with right:
        ui.curves(
            {VARIANT_NAMES[name]: (record["step"], result.in_use[name]) for name in MIXTURES},
            title=LABELS["experts_in_use"],
            y=ui.Axis(LABELS["effective_number"], (0, 1.15 * result.n_expert)),
            n_step=run.n_step,
            references={LABELS["all_alike"]: result.n_expert},
            hidden=hidden,
        )
