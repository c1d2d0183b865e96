"""Pairs that the learner chooses from, click by click: what a reward model and DPO learn from so few."""

from math import comb
from typing import NamedTuple

from core import ui
from core.exhibit import Inputs as Base, Result, Table, picked, seed
from core.rooms.assistant.compute import learning, objectives, reward_model
from core.rooms.assistant.compute.chat import STYLES
from core.rooms.assistant.experiments import own_choices as task
from core.rooms.assistant.experiments.own_choices import FIRST, LOT, SECOND, check, choices_by, shown_pairs
from core.train.experiments.live import Live

EXPERIMENT = "own-choices"
IS_PARTIAL = True  # its buttons
RULES = {"friendly": "the friendlier one", "short": "the shorter one", LOT: "by lot"}
CODE = (objectives.bradley_terry, objectives.dpo, reward_model.score, learning.Pairs, task.OwnChoices)


class Inputs(Base, prefix="own_"):
    """The seed, from which the pairs are drawn, and what was chosen."""

    seed: int = seed(label="Seed of the pairs")
    clicks: str = picked(
        task.PAIRS,
        "",
        text=lambda *_: None,
        check=lambda text, _: check(text),
        content=lambda i: str(i.seed),
    )


class Manner(NamedTuple):
    """A manner of answering: what the reward model gives it, and the share of answers in it, at first and now."""

    name: str
    reward: float
    before: float
    after: float


class Chosen(Result):
    """The pair to choose from next, and the effect of the choices that were trained on."""

    run: Live
    n_chosen: int
    question: str  # "" where all pairs are chosen from
    truth: str
    answers: tuple[str, str]
    n_choice: int  # that were trained on
    is_by_rule: bool  # whether nobody chose: the curves are of the friendlier answers
    n_told: int  # of the choices, those that a reward model tells right that hasn't seen them
    luck: float  # the chance that a coin tells as many right, or more
    rows: list[Manner]  # the best liked first
    right: tuple[float, float]  # the share of right answers about things, at first and now

    def table(self) -> Table:
        """All curves by step."""
        record = self.run.record
        curves = {
            name.removeprefix("curve."): record[name].round(4) for name in sorted(record) if name.startswith("curve.")
        }
        return {"step": record["step"]} | curves


def compute(inputs: Inputs, run: Live) -> Chosen:
    """The next pair; nothing is drawn but the pairs."""
    shown, at, record = shown_pairs(inputs.seed), len(inputs.clicks), run.record
    question = shown.questions[at] if at < len(shown.questions) else None
    n_choice, right = int(record["n_choice"]), record["curve.right"]
    n_told = round(float(record["curve.held"][-1]) * n_choice)
    ends = {style: (record[f"curve.likes.{style}"][-1], *record[f"curve.writes.{style}"][[0, -1]]) for style in STYLES}
    return Chosen(
        run=run,
        n_chosen=at,
        question=question.text if question else "",
        truth=question.truth if question else "",
        answers=shown.said()[at] if question else ("", ""),
        n_choice=n_choice,
        is_by_rule=not run.options["clicks"],
        n_told=n_told,
        luck=float(sum(comb(n_choice, k) for k in range(n_told, n_choice + 1)) / 2**n_choice),
        rows=[Manner(STYLES[style], *map(float, ends[style])) for style in sorted(STYLES, key=lambda s: -ends[s][0])],
        right=(float(right[0]), float(right[-1])),
    )


def draw(result: Chosen, inputs: Inputs, run: Live) -> None:
    """Two answers as buttons, and below them curves of the choices so far trained on."""
    _buttons(result, inputs)
    record = run.record
    left, right = ui.pair("own-curves")
    with left:
        ui.curves(
            {"reward model": (record["step"], record["curve.held"])},
            title=ui.words("title-held"),
            y=ui.Axis("share told right", (0, 1.05)),
            n_step=run.n_step,
            references={"a coin": 0.5},
        )
    with right:
        ui.curves(
            {name: (record["step"], record[f"curve.writes.{style}"]) for style, name in STYLES.items()},
            title=ui.words("title-writes"),
            y=ui.Axis("share of answers", (0, 1.05)),
            n_step=run.n_step,
        )


def _buttons(result: Chosen, inputs: Inputs) -> None:
    """One click, one choice; the address holds them all."""

    def button(label: str, choices: str, key: str, **how: object) -> None:
        given = (inputs.clicks, choices or None)
        ui.button(label, inputs.clicks, key=f"own-{key}", on_click=ui.picks.remember, args=given, **how)

    chosen = inputs.clicks
    ui.write(ui.words("asked" if result.question else "all"))
    if result.question:
        for side, sign, said in zip(ui.pair("own-answers"), (FIRST, SECOND), result.answers, strict=True):
            with side:
                button(ui.escape_markdown(said), chosen + sign, f"choose-{sign}", width="stretch")
    with ui.st.container(horizontal=True):
        if result.question:
            with ui.st.popover("Let a rule choose the rest", key="own-rules"):
                for rule, name in RULES.items():
                    button(name, chosen + choices_by(rule, inputs.seed)[len(chosen) :], rule, type="tertiary")
        if chosen:
            button("Undo", chosen[:-1], "undo", icon=":material/undo:", type="tertiary")
            button("Start again", "", "again", icon=":material/restart_alt:", type="tertiary")
