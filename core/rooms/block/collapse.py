"""Eight layers without residual connections: all tokens become the same vector, and nothing can be learned."""

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import NOUNS, referents
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    ViewChoice,
    guess_control,
    seed,
    segmented_control,
    slider,
)
from core.rooms.block.experiments import depth as task
from core.rooms.block.experiments.depth import FULL_NAMES, NAMES, NO_RESIDUAL
from core.rooms.block.sizes_in_words import describe_size
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
EXPERIMENT = "depth"
MIN_LEARNED = 0.95  # share of held-out sentences above which the task counts as learned
CODE = (task.Depth, task.token_diversity, task.token_cosines, task.init_fan_in)


class Inputs(Base, prefix="collapse_"):
    guess: str = guess_control(("both", "two", "eight", "none"))
    seed: int = seed()
    layer: int = slider(0, 8, 8, when=lambda i: i.guess != NOT_YET, view=ViewChoice())
    other: str = segmented_control(
        {variant: name for variant, name in FULL_NAMES.items() if variant != "pre_8"},
        "none_8",
        when=lambda i: i.guess != NOT_YET,
        view=ViewChoice(),
    )


class Collapse(Result):
    """Four models, as far as they have been trained."""

    run: ExperimentRun
    hidden: tuple[str, ...]  # the variants that are not shown before a guess
    accuracy: dict[str, float]  # variant -> current accuracy on held-out sentences
    diversity: dict[str, float]  # variant -> current diversity after the last layer
    outcome: GuessOutcome
    formula: str | None  # diversity before and after eight layers without residual connections

    def table(self) -> Table:
        """Return the accuracy on held-out sentences, step by step."""
        record = self.run.record
        accuracy = {name: record[f"curve.{v}.accuracy"].round(4).tolist() for v, name in NAMES.items()}
        return {LABELS["table.step"]: record["step"].tolist(), **accuracy}


def compute(inputs: Inputs, run: ExperimentRun) -> Collapse:
    """Read accuracies and diversities, hiding the models without residual connections before a guess."""
    record, hidden = run.record, NO_RESIDUAL if inputs.guess == NOT_YET else ()
    accuracy = {variant: float(record[f"curve.{variant}.accuracy"][-1]) for variant in NAMES}
    eight, two = (accuracy[variant] > MIN_LEARNED for variant in NO_RESIDUAL)
    first, *_, last = record["diversity.none_8"][-1]
    digits, power = f"{last:.1e}".split("e")
    without = LABELS["in_8_layers"]
    return Collapse(
        run=run,
        hidden=hidden,
        accuracy=accuracy,
        diversity={variant: float(record[f"diversity.{variant}"][-1, -1]) for variant in NAMES},
        outcome=GuessOutcome("both" if eight and two else "eight" if eight else "two" if two else "none"),
        formula=None if hidden else rf"{first:.3f} \;\to\; {digits} \cdot 10^{{{int(power)}}} \quad \text{{{without}}}",
    )


def draw(result: Collapse, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the accuracies by step, the diversity by layer, and the cosines between the tokens."""
    record = run.record
    ui.curves(
        {name: (record["step"], record[f"curve.{v}.accuracy"]) for v, name in FULL_NAMES.items()},
        y=ui.Axis(LABELS["share_axis"], (0, 1.05)),
        n_step=run.n_step,
        references={LABELS["chance"]: 1 / len(NOUNS)},
        title=LABELS["accuracy_title"],
        hidden=[FULL_NAMES[v] for v in result.hidden],
        height=270,
    )
    if result.hidden:
        return
    ui.show_text_section("verdict", size_in_words=describe_size)
    for place, moment, title in zip(
        ui.two_columns("collapse-diversity"),
        (0, -1),
        (LABELS["at_the_start"], LABELS("after_step", step=run.step)),
        strict=True,
    ):
        found = {name: record[f"diversity.{v}"][moment] for v, name in FULL_NAMES.items()}
        with place:
            ui.curves(
                {name: (np.arange(len(values)), values) for name, values in found.items()},
                x=LABELS["layers_passed"],
                y=ui.Axis(LABELS["diversity_axis"], (0, 1.05)),
                n_step=8,
                title=title,
                height=280,
            )
    left, right = ui.two_columns("collapse-likeness")
    with left:
        _likeness(run, "left", "pre_8", ui.for_each_option(int, inputs.layer))
    with right:
        _likeness(run, "right", ui.for_each_option(str, inputs.other), ui.for_each_option(int, inputs.layer))


def _likeness(run: ExperimentRun, side: str, variant: object, layer: object) -> None:
    """Draw the cosines between the tokens after each layer; past a model's last layer, that layer's cosines stay."""
    tokens = referents.sentence_tokens(referents.bottle_and_cup_split(run.seed)[0][0])
    passed = ui.map_choices(lambda one, n: min(n, len(run.record[f"likeness.{one}"]) - 1), variant, layer)
    values = ui.map_choices(lambda one, n: np.clip(run.record[f"likeness.{one}"][n], -1, 1), variant, passed)
    apart = ui.map_choices(lambda one: one[~np.eye(len(tokens), dtype=bool)], values)
    facts = {
        "low": ui.map_choices(np.min, apart),
        "high": ui.map_choices(np.max, apart),
        "end": ui.map_choices(lambda n, asked: ui.section_text("last") if n < asked else "", passed, layer),
    }
    ui.matrix(
        ui.pad_stack(values),
        rows=tokens,
        columns=tokens,
        key=f"collapse.{side}",
        kind="signed",
        limits=(-1, 1),
        row_title=LABELS["word"],
        column_title=LABELS["other_word"],
        value_title=LABELS["cosine"],
        height=340,
        label=ui.map_choices(lambda one, n: LABELS("after_layers", model=FULL_NAMES[one], n=n), variant, passed),
        takeaway=ui.map_choices(
            lambda *values: ui.section_text("cosines", **dict(zip(facts, values, strict=True))), *facts.values()
        ),
    )
    ui.show_text_section("cosines", **facts)
