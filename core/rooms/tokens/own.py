"""Characters, the visitor's own merges and those of the stories, trained live: bits, embeddings, samples."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import MAX_TRACES, Inputs as Base, Result, custom_control, memoize, seed, select, text_input
from core.rooms.tokens.experiments import own_tokens as task
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "own-tokens"
WORD_PAIRS = (("red", "blue"), ("Tom", "Ben"), ("Mia", "Lily"), ("dog", "cat"), ("he", "she"))
ADJACENT_WORDS = ("red", "ball")  # often adjacent in the text, but they cannot replace each other
N_STRIP = 3  # evaluations at which the two rows are drawn
HEIGHT = 240  # of each chart, with a legend of up to three rows
CODE = (task.recipe, task.TokenRecipe, task.bits_per_character, task.row_cosines, task.OwnTokens)


class Inputs(Base, prefix="own_"):
    text: str = custom_control("core.rooms.tokens.pick_text:pick_own_text", task.DEFAULT_OWN_TEXT)
    merges: int = task.Options.control("merges")
    seed: int = seed()
    pair: str = select({"-".join(pair): ", ".join(pair) for pair in WORD_PAIRS}, "red-blue")
    beginning: str = text_input("Mia had a", max_chars=40)


class OwnTokensResult(Result):
    """The run in its current state."""

    run: ExperimentRun
    pair: tuple[str, str]  # two words
    alike: NDArray[np.float64] | None  # (n,) cosine of their rows over the run; None if one is not a single token
    beside: NDArray[np.float64] | None  # (n,) for two words that are often adjacent
    samples: Mapping[str, str]  # the text of each model at the end
    bits: dict[str, float]  # variant -> latest bits per character
    lengths: dict[str, float]  # variant -> characters per token
    n_new: int  # tokens added by the visitor's text
    # the step at which the stories' tokens had covered as much text as the characters in all, and their bits
    at_equal_text: tuple[int, float]

    def table(self) -> dict[str, list[float]]:
        return task.table(self.run.record)


@memoize(MAX_TRACES)
def _model_samples(run: ExperimentRun, beginning: str) -> dict[str, str]:
    """Return each model's continuation."""
    options = task.Options(**run.options)
    return {v: task.continue_story(run.record, options, v, beginning, run.seed) for v in task.VARIANTS}


def compute(inputs: Inputs, run: ExperimentRun) -> OwnTokensResult:
    """Compare three equal models: one reads characters, one the merges of your own text, one the stories' merges."""
    first, second = inputs.pair.split("-")
    samples = _model_samples(run, inputs.beginning) if run.is_done else {}
    record = run.record
    lengths = {variant: float(record[f"length.{variant}"]) for variant in task.VARIANTS}
    at = min(int(np.searchsorted(record["step"], run.n_step / lengths["stories"])), len(record["step"]) - 1)
    return OwnTokensResult(
        run=run,
        pair=(first, second),
        alike=task.row_cosines(record, first, second),
        beside=task.row_cosines(record, *ADJACENT_WORDS),
        samples=samples,
        bits={variant: float(record[f"bits.{variant}"][-1]) for variant in task.VARIANTS},
        lengths=lengths,
        n_new=int(record["size.own"]) - 256,
        at_equal_text=(int(record["step"][at]), float(record["bits.stories"][at])),
    )


def draw(result: OwnTokensResult, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the curves of all models, their samples, and two rows over the run."""
    record = run.record
    curves, rows = ui.two_columns("own-curves")
    with curves:
        ui.curves(
            {task.NAMES[v]: (record["step"], record[f"bits.{v}"]) for v in task.VARIANTS},
            n_step=run.n_step,
            y=ui.Axis(LABELS["bits_axis"], (0, 2)),  # all begin far above, and then differ by tenths
            height=HEIGHT,
        )
    with rows:
        _rows(result)
    ui.add_template_values(is_own=run.options["text"] == inputs.text)
    for variant, text in result.samples.items():
        with curves.expander(LABELS("written_with", name=task.NAMES[variant])):
            ui.show_code_block(text.strip())


def _rows(result: OwnTokensResult) -> None:
    """Draw the rows of two words at some evaluations, and their cosine at each."""
    record, (first, second), alike = result.run.record, result.pair, result.alike
    if alike is None:
        return
    pair = {word: task.embedding_rows(record, word) for word in result.pair}
    looks = sorted({round(i) for i in np.linspace(0, len(alike) - 1, N_STRIP)})
    ui.draw_vector_rows(
        [
            ui.VectorRow(LABELS("word_at_step", word=word, step=record["step"][look]), word, values[look])
            for look in looks
            for word, values in pair.items()
            if values is not None
        ],
        kinds=dict.fromkeys(pair, LABELS["row_kind"]),
        key=f"own.rows.{first}.{second}.{result.run.seed}",
        label=LABELS("word_rows", first=first, second=second),
        takeaway=LABELS("word_rows_takeaway", first=first, second=second, before=alike[0], now=alike[-1]),
    )
    if ui.depth_at_least("numbers"):
        curves = {f"{first}, {second}": (record["step"], alike)}
        if result.beside is not None:
            curves[", ".join(ADJACENT_WORDS)] = (record["step"], result.beside)
        ui.curves(curves, n_step=result.run.n_step, y=ui.Axis(LABELS["cosine_axis"], (-0.6, 1.05)), height=HEIGHT)
