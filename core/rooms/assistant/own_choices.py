"""Pairs that the learner chooses from, click by click: what a reward model and DPO learn from so few."""

from dataclasses import dataclass
from math import comb
from typing import Any

from core import ui
from core.charts.curves import Reference
from core.charts.race import race
from core.exhibit import Inputs as Base
from core.exhibit import picked, seed
from core.rooms.assistant.compute import learning, objectives, reward_model
from core.rooms.assistant.compute.chat import STYLES
from core.rooms.assistant.compute.choosing import FIRST, LOT, SECOND, check, choices_by, shown_pairs
from core.rooms.assistant.experiments import own_choices as task
from core.train.experiments.live import Live

EXPERIMENT = "own-choices"
IS_PARTIAL = True  # its buttons
RULES = {"friendly": "the friendlier one", "short": "the shorter one", LOT: "by lot"}
HEIGHT = 300
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


@dataclass(frozen=True)
class Result:
    """The pair to choose from next, and what came of the choices that were trained on."""

    run: Live
    n_chosen: int
    question: str  # "" where all pairs are chosen from
    truth: str
    answers: tuple[str, str]

    @property
    def n_choice(self) -> int:
        """How many choices were trained on."""
        return int(self.run.record["n_choice"])

    @property
    def is_by_rule(self) -> bool:
        """Whether nobody chose: the curves are of the friendlier answers."""
        return not self.run.options["clicks"]

    @property
    def n_told(self) -> int:
        """How many of them a reward model tells right that hasn't seen them."""
        return round(float(self.run.record["curve.held"][-1]) * self.n_choice)

    @property
    def luck(self) -> float:
        """The chance that a coin tells as many right, or more."""
        return float(sum(comb(self.n_choice, k) for k in range(self.n_told, self.n_choice + 1)) / 2**self.n_choice)

    @property
    def rows(self) -> list[dict[str, str]]:
        """A line for each manner, the best liked on top."""
        record = self.run.record
        likes = {style: float(record[f"curve.likes.{style}"][-1]) for style in STYLES}
        return [
            {
                "name": STYLES[style],
                "reward": f"{likes[style]:+.1f}".replace("-", "−"),
                "before": f"{record[f'curve.writes.{style}'][0]:.0%}",
                "after": f"{record[f'curve.writes.{style}'][-1]:.0%}",
            }
            for style in sorted(STYLES, key=lambda style: -likes[style])
        ]

    @property
    def right(self) -> tuple[float, float]:
        """The share of right answers about things, at first and now."""
        curve = self.run.record["curve.right"]
        return float(curve[0]), float(curve[-1])

    def table(self) -> dict[str, Any]:
        """All curves by step."""
        record = self.run.record
        curves = {
            name.removeprefix("curve."): record[name].round(4) for name in sorted(record) if name.startswith("curve.")
        }
        return {"step": record["step"]} | curves


def compute(inputs: Inputs, run: Live) -> Result:
    """The next pair; nothing is drawn but the pairs."""
    shown, at = shown_pairs(inputs.seed), len(inputs.clicks)
    if at == len(shown.questions):
        return Result(run, at, "", "", ("", ""))
    question = shown.questions[at]
    return Result(run, at, question.text, question.truth, shown.said()[at])


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """Two answers as buttons, and below what was learned of the choices so far trained on."""
    _buttons(result, inputs)
    record = run.record
    left, right = ui.pair("own-curves")
    how: dict[str, Any] = {"n_step": run.n_step, "mode": ui.color_mode(), "y_limits": (0, 1.05), "height": HEIGHT}
    with left:
        curves = {"reward model": (record["step"], record["curve.held"])}
        coin = [Reference(0.5, "a coin")]
        spec = race(curves, coin, title=ui.words("title-held"), y_title="share told right", **how)
        ui.chart(spec, alt=ui.words("alt-held"), key="own-held")
    with right:
        written = {name: (record["step"], record[f"curve.writes.{style}"]) for style, name in STYLES.items()}
        spec = race(written, title=ui.words("title-writes"), y_title="share of answers", **how)
        ui.chart(spec, alt=ui.words("alt-writes"), key="own-writes")
    ui.say("whose")
    ui.say("told")
    ui.say("likes")
    ui.say("few")


def _buttons(result: Result, inputs: Inputs) -> None:
    """One click, one choice; the address holds them all."""

    def button(label: str, choices: str, key: str, **how: Any) -> None:
        given = ("own_clicks", choices or None)
        ui.button(label, "own_clicks", key=f"own-{key}", on_click=ui.picks.remember, args=given, **how)

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
