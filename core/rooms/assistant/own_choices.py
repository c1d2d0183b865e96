"""Pairs in which the learner chooses an answer, and what a reward model and DPO learn from these few choices."""

from math import comb
from typing import NamedTuple

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, seed, selection_in_picture
from core.rooms.assistant.compute import learning, objectives, reward_model
from core.rooms.assistant.compute.chat import STYLES
from core.rooms.assistant.experiments import own_choices as task
from core.rooms.assistant.experiments.own_choices import (
    COIN,
    FIRST,
    SECOND,
    check_choices,
    choices_by_rule,
    sample_answer_pairs,
)
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
EXPERIMENT = "own-choices"
IS_PARTIAL = True  # its buttons
RULES = LABELS.options("rule", "friendly", "short", COIN)
CODE = (objectives.bradley_terry, objectives.dpo, reward_model.reward_scores, learning.PreferencePairs, task.OwnChoices)


class Inputs(Base, prefix="own_"):
    """The seed that samples the pairs, and the choices."""

    seed: int = seed()
    clicks: str = selection_in_picture(
        task.PAIRS_KEY,
        "",
        text=lambda *_: None,
        check=lambda text, _: check_choices(text),
        content=lambda i: str(i.seed),
    )


class StyleEffect(NamedTuple):
    """A manner of answering, with its reward and the share of answers in it before and after training."""

    name: str
    reward: float
    before: float
    after: float


class ChoiceEffects(Result):
    """The next pair to choose from, and the effect of the choices in the training run."""

    run: ExperimentRun
    n_chosen: int
    question: str  # "" if a choice was made in all pairs
    truth: str
    answers: tuple[str, str]
    n_choice: int  # choices in the training run
    is_by_rule: bool  # whether the curves are from a rule (the friendlier answer), without choices by a user
    n_told: int  # choices predicted correctly by a reward model that hasn't seen them
    luck: float  # the probability that a coin predicts at least as many
    rows: list[StyleEffect]  # the highest reward first
    right: tuple[float, float]  # the share of right answers about things, before training and now

    def table(self) -> Table:
        """Return all curves by step."""
        record = self.run.record
        curves = {
            name.removeprefix("curve."): record[name].round(4) for name in sorted(record) if name.startswith("curve.")
        }
        return {LABELS["table.step"]: record["step"]} | curves


def compute(inputs: Inputs, run: ExperimentRun) -> ChoiceEffects:
    """Return the next pair and the results of the run; only the pairs are sampled."""
    shown, at, record = sample_answer_pairs(inputs.seed), len(inputs.clicks), run.record
    question = shown.questions[at] if at < len(shown.questions) else None
    n_choice, right = int(record["n_choice"]), record["curve.right"]
    n_told = round(float(record["curve.held"][-1]) * n_choice)
    ends = {style: (record[f"curve.likes.{style}"][-1], *record[f"curve.writes.{style}"][[0, -1]]) for style in STYLES}
    return ChoiceEffects(
        run=run,
        n_chosen=at,
        question=question.text if question else "",
        truth=question.truth if question else "",
        answers=shown.said()[at] if question else ("", ""),
        n_choice=n_choice,
        is_by_rule=not run.options["clicks"],
        n_told=n_told,
        luck=float(sum(comb(n_choice, k) for k in range(n_told, n_choice + 1)) / 2**n_choice),
        rows=[
            StyleEffect(STYLES[style], *map(float, ends[style])) for style in sorted(STYLES, key=lambda s: -ends[s][0])
        ],
        right=(float(right[0]), float(right[-1])),
    )


def draw(result: ChoiceEffects, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw two answers as buttons, and below them the curves of the training run."""
    _buttons(result, inputs)
    record = run.record
    left, right = ui.two_columns("own-curves")
    with left:
        ui.curves(
            {LABELS["reward_model"]: (record["step"], record["curve.held"])},
            title=ui.section_text("title-held"),
            y=ui.Axis(LABELS["told_axis"], (0, 1.05)),
            n_step=run.n_step,
            references={LABELS["a_coin"]: 0.5},
        )
    with right:
        ui.curves(
            {name: (record["step"], record[f"curve.writes.{style}"]) for style, name in STYLES.items()},
            title=ui.section_text("title-writes"),
            y=ui.Axis(LABELS["answers_axis"], (0, 1.05)),
            n_step=run.n_step,
        )


def _buttons(result: ChoiceEffects, inputs: Inputs) -> None:
    """Draw the buttons; one click makes one choice, and the address holds all choices."""

    def button(label: str, choices: str, key: str, **how: object) -> None:
        given = (inputs.clicks, choices or None)
        ui.control_button(
            label, inputs.clicks, key=f"own-{key}", on_click=ui.picks.set_address_value, args=given, **how
        )

    chosen = inputs.clicks
    ui.show_markdown(ui.section_text("asked" if result.question else "all"))
    if result.question:
        for side, sign, said in zip(ui.two_columns("own-answers"), (FIRST, SECOND), result.answers, strict=True):
            with side:
                button(ui.escape_markdown(said), chosen + sign, f"choose-{sign}", width="stretch")
    with ui.st.container(horizontal=True):
        if result.question:
            with ui.st.popover(LABELS["let_a_rule_choose"], key="own-rules"):
                for rule, name in RULES.items():
                    button(name, chosen + choices_by_rule(rule, inputs.seed)[len(chosen) :], rule, type="tertiary")
        if chosen:
            button(LABELS["undo"], chosen[:-1], "undo", icon=":material/undo:", type="tertiary")
            button(LABELS["start_again"], "", "again", icon=":material/restart_alt:", type="tertiary")
