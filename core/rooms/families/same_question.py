"""Same question, three architectures: what each can do, measured while all three learn."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    guess_control,
    seed,
    segmented_control,
    text_input,
)
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_models import (
    FAMILIES,
    FAMILY_NAMES,
    DecoderFamily,
    EncoderDecoderFamily,
    EncoderFamily,
    Words,
)
from core.rooms.families.compute.walks import Walk
from core.rooms.families.experiments import families as task
from core.rooms.families.inputs import DEFAULT_WALK, QUESTIONS, WALK_LABEL, cached_families, walk_notes, walk_of
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "families"
CODE = (task.Families, DecoderFamily.loss, EncoderFamily.loss, EncoderDecoderFamily.loss, EncoderFamily.answers)


def _is_deep(_: object) -> bool:
    return bool(ui.depth_at_least("numbers"))


class Inputs(Base, prefix="same_"):
    guess: str = guess_control(FAMILIES)
    seed: int = seed()
    n_step: int = segmented_control((350, 700), 350, name="same_steps")
    column: str = segmented_control(task.COLUMN_TITLES, "continue", name="same_task", heading="", when=_is_deep)
    walk: str = text_input(DEFAULT_WALK, notes=walk_notes, heading="", label=WALK_LABEL)


class SameQuestion(Result):
    """The three models at the newest step of their training."""

    run: ExperimentRun
    is_open: bool  # True if longer translations may be shown: they give away the guess
    is_hidden: bool  # True if the translation of the walk has to wait for the guess
    step: int
    shares: dict[str, NDArray[np.float32]]  # family -> the newest exact-match rate for each kind of question
    chances: NDArray[np.float32]  # the same for random guessing
    sizes: dict[str, int]  # family -> parameters
    said: dict[str, dict[str, Words]]  # family -> task -> its answer about this walk; empty if there is no walk
    answers: dict[str, list[str]]  # family -> its answers about the walk, marked as right or wrong
    truths: list[str]
    # the family that is right least often about a longer translation; None on a tie, as at first, when none can
    outcome: GuessOutcome | None
    n_held: int = task.N_HELD

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        return dict(self.run.record) | {
            f"said.{family}.{question}": np.array(walks.encode(words))
            for family, said in self.said.items()
            for question, words in said.items()
        }

    def table(self) -> Table:
        return task.table(self.run.record, self.run.seed)


def compute(inputs: Inputs, run: ExperimentRun) -> SameQuestion:
    """Return the record, and the three models' answers about the learner's walk."""
    walk, three, now = walk_of(inputs.walk), cached_families(run), run.record["curve.exact"][-1]
    said = {f: {one: three[f].answers([walk], one)[0] for one in walks.TASKS} for f in FAMILIES if walk.things}
    longer = dict(zip(FAMILY_NAMES, now[:, task.COLUMNS.index("longer")], strict=True))
    first, second, _ = sorted(longer, key=lambda family: longer[family])
    is_open = inputs.guess != NOT_YET
    is_hidden = walk.is_longer and not is_open
    sizes = {
        FAMILY_NAMES[f]: sum(w.size for name, w in run.record.items() if name.startswith(f"model.{f}."))
        for f in FAMILIES
    }
    place = walk.place if walk.is_clear else LABELS["half_and_half"]
    return SameQuestion(
        run=run,
        is_open=is_open,
        is_hidden=is_hidden,
        step=int(run.record["step"][-1]),
        shares=dict(zip(FAMILY_NAMES.values(), now, strict=True)),
        chances=task.random_guess_accuracies(run.seed),
        sizes=sizes,
        said=said,
        answers={
            FAMILY_NAMES[f]: [_mark_answer(walk, is_hidden, *one) for one in told.items()] for f, told in said.items()
        },
        truths=[place, *(" ".join(walk.answer(one)) for one in walks.TASKS[1:])] if walk.things else [],
        outcome=GuessOutcome(first) if longer[first] < longer[second] else None,
    )


def _mark_answer(walk: Walk, is_hidden: bool, question: str, said: Words) -> str:
    if question == "translate" and is_hidden:
        return "?"
    mark = "✓ " if said == walk.answer(question) else "✗ "
    return ("" if question == "classify" and not walk.is_clear else mark) + (" ".join(said) or LABELS["nothing"])


def draw(result: SameQuestion, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the newest scores, their curves, and the answers about one walk."""
    ui.show_text_section("shares")
    ui.add_template_values(questions=list(QUESTIONS.values()))
    if not ui.depth_at_least("numbers"):
        return
    at, names = task.COLUMNS.index(inputs.column), list(FAMILY_NAMES.values())
    is_hidden, chance = inputs.column == "longer" and not result.is_open, float(result.chances[at])
    ui.curves(
        {name: (run.record["step"], run.record["curve.exact"][:, i, at]) for i, name in enumerate(names)},
        y=ui.Axis(LABELS["exact_axis"], (0, 1.05)),
        n_step=run.n_step,
        references={LABELS["blind_guessing"]: chance} if chance > 0.01 else {},
        hidden=names if is_hidden else [],
        height=240,
    )
