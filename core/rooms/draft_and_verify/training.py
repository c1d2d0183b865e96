"""A draft is trained live, with the acceptance rate of its guesses by training step."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed
from core.rooms.draft_and_verify.compute import rule
from core.rooms.draft_and_verify.compute.timing import expected_tokens
from core.rooms.draft_and_verify.experiments import draft as task
from core.rooms.draft_and_verify.experiments.draft import VARIANTS
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "draft"
CHANCE_NAMES = {"text": LABELS["chance.text"], "distilled": LABELS["chance.distilled"]}
KEPT_NAMES = {"text": LABELS["kept.text"], "distilled": LABELS["kept.distilled"]}
CHANCE_TOLERANCE = 0.02  # a difference that the seed could explain
N_DRAFT = 4
CODE = (task.Draft, task.recipe, rule.acceptance_rate)


class Inputs(Base, prefix="draft_"):
    guess: str = guess_control(("text", "distilled", "same"))
    d_model: int = task.Options.control("d_model")
    seed: int = seed(depth="numbers")


class DraftTraining(Result):
    """The two drafts in their current state."""

    run: ExperimentRun
    is_hidden: bool  # hides the second curve before the user's guess
    chance: dict[str, float]  # the current acceptance probability
    kept: dict[str, float]  # the share of guesses that were accepted
    seconds: dict[str, float]  # training time of each, on one core
    per_pass: float  # expected tokens per pass with four guesses of the draft trained on the stories
    outcome: GuessOutcome | None

    def table(self) -> Table:
        """Return one row for each evaluation; the second draft only after a guess."""
        found = task.table(self.run.record)
        return {name: one for name, one in found.items() if not (self.is_hidden and VARIANTS["distilled"] in name)}


def compute(inputs: Inputs, run: ExperimentRun) -> DraftTraining:
    """Read the record, and decide whether all of it may be shown."""
    chance, kept, seconds = (
        {name: float(run.record[key.format(name)][-1]) for name in VARIANTS}
        for key in ("curve.{}.chance", "curve.{}.kept", "seconds.{}")
    )
    apart = chance["distilled"] - chance["text"]
    answer = "same" if abs(apart) < CHANCE_TOLERANCE else "distilled" if apart > 0 else "text"
    text = LABELS("outcome", answer=LABELS[f"guess.{answer}"], text=chance["text"], distilled=chance["distilled"])
    return DraftTraining(
        run=run,
        is_hidden=inputs.guess == NOT_YET,
        chance=chance,
        kept=kept,
        seconds=seconds,
        per_pass=float(expected_tokens(chance["text"], N_DRAFT)),
        outcome=GuessOutcome(answer, text) if run.is_done else None,
    )


def draw(result: DraftTraining, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the acceptance probability by training step."""
    record = run.record
    curves = {name: (record["step"], record[f"curve.{v}.chance"]) for v, name in CHANCE_NAMES.items()}
    if ui.depth_at_least("numbers") and not result.is_hidden:
        curves |= {name: (record["step"], record[f"curve.{v}.kept"]) for v, name in KEPT_NAMES.items()}
    ui.curves(
        curves,
        y=ui.Axis(LABELS["chance_axis"], (0, 1.02)),
        n_step=run.n_step,
        hidden=[CHANCE_NAMES["distilled"]] if result.is_hidden else (),
        height=330,
    )
