"""A draft is trained live: how often the large model keeps its guesses, by training step."""

from core import ui
from core.exhibit import NOT_YET, Inputs as Base, Outcome, Result, Table, guess, seed
from core.rooms.draft_and_verify.compute import rule
from core.rooms.draft_and_verify.compute.timing import expected_tokens
from core.rooms.draft_and_verify.experiments import draft as task
from core.rooms.draft_and_verify.experiments.draft import VARIANTS
from core.train.experiments.live import Live

EXPERIMENT = "draft"
GUESSES = {
    "text": "the one that reads the stories",
    "distilled": "the one that learns from the model",
    "same": "both about equally often",
}
EQUAL = 0.02  # a difference that the seed could make
N_DRAFT = 4
CODE = (task.Draft, task.recipe, rule.acceptance)


class Inputs(Base, prefix="draft_"):
    guess: str = guess("Two drafts learn equally long. Whose guesses will be kept more often?", GUESSES)
    d_model: int = task.Options.control("d_model")
    seed: int = seed(depth="numbers")


class Trained(Result):
    """The two drafts as far as they are."""

    run: Live
    is_hidden: bool  # the second curve, until somebody has guessed
    chance: dict[str, float]  # of a guess to stay, by now
    kept: dict[str, float]  # the share of guesses that did stay
    seconds: dict[str, float]  # of one core that the training of each took
    per_pass: float  # tokens that a pass should settle with four guesses of the draft that read the stories
    outcome: Outcome | None

    def table(self) -> Table:
        """Each evaluation; the second draft once there has been a guess."""
        found = task.table(self.run.record)
        return {name: one for name, one in found.items() if not (self.is_hidden and VARIANTS["distilled"] in name)}


def compute(inputs: Inputs, run: Live) -> Trained:
    """The record, and whether all of it may be told."""
    chance, kept, seconds = (
        {name: float(run.record[key.format(name)][-1]) for name in VARIANTS}
        for key in ("curve.{}.chance", "curve.{}.kept", "seconds.{}")
    )
    apart = chance["distilled"] - chance["text"]
    answer = "same" if abs(apart) < EQUAL else "distilled" if apart > 0 else "text"
    text = f"{GUESSES[answer]}: {chance['text']:.1%} and {chance['distilled']:.1%}"
    return Trained(
        run=run,
        is_hidden=inputs.guess == NOT_YET,
        chance=chance,
        kept=kept,
        seconds=seconds,
        per_pass=float(expected_tokens(chance["text"], N_DRAFT)),
        outcome=Outcome(answer, text) if run.is_done else None,
    )


def draw(result: Trained, inputs: Inputs, run: Live) -> None:
    """The chance that a guess stays, by training step."""
    record = run.record
    curves = {f"learns {name}": (record["step"], record[f"curve.{v}.chance"]) for v, name in VARIANTS.items()}
    if ui.at_least("numbers") and not result.is_hidden:
        curves |= {f"{name}: really kept": (record["step"], record[f"curve.{v}.kept"]) for v, name in VARIANTS.items()}
    ui.curves(
        curves,
        y=ui.Axis("chance that a guess stays", (0, 1.02)),
        n_step=run.n_step,
        hidden=["learns " + VARIANTS["distilled"]] if result.is_hidden else (),
        height=330,
    )
