"""A captioner learns to describe digits, with the errors in its wrong captions."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data import images
from core.data.localization.labels import module_labels
from core.data.localization.numbers import format_with_minus_sign
from core.exhibit import Inputs as Base, Result, Table, seed, segmented_control, slider
from core.models.images.captioner import Captioner
from core.rooms.captions.compute import captioning, captions
from core.rooms.captions.compute.captioning import CaptionErrors
from core.rooms.captions.experiments import captions as task
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
EXPERIMENT = "captions"
CODE = (Captioner.forward, task.Captions, captions.measure_digits, captions.caption_words, task.caption_loss)
CURVES = LABELS.options("curve", "exact", "digit", "ink", "slant")
MAX_SHOWN = 12
N_STEP = task.Options().n_step


class Inputs(Base, prefix="caption_"):
    seed: int = seed()
    n_step: int = segmented_control({400: "400", N_STEP: f"{N_STEP:,}"}, N_STEP, name="caption_steps")
    show: str = segmented_control(("wrong", "film"), "wrong")
    look: int = slider(1, task.N_EVAL + 1, task.N_EVAL + 1, when=lambda i: i.show == "film")


class CaptionTraining(Result):
    """The record so far, compared with two simple programs."""

    run: ExperimentRun  # the experiment's run
    n: int  # held-out digits
    now: dict[str, float]  # curve -> the current share that is right; also the step
    found: CaptionErrors  # the errors in its current captions
    everywhere: NDArray[np.float64]  # (2,) mean distance of ink and slant from a threshold over all digits
    # frequent, share: the most frequent caption, and the share of the held-out digits whose caption it is
    frequent: str
    share: float
    # exact captions if a support vector machine predicts the digit and the rest is measured; None: not yet
    rival: float | None
    n_shown: int = MAX_SHOWN  # maximum number of wrong captions shown

    def reached(self, part: str) -> int:
        """Return the first evaluated step with this part right in 90% of captions; if none, one after the last."""
        steps, above = self.run.record["step"], self.run.record[f"curve.{part}"] >= 0.9
        return int(steps[above.argmax()]) if above.any() else 1 + int(steps[-1])

    def table(self) -> Table:
        """Return shares and loss, evaluation by evaluation."""
        return self.run.table()


def compute(inputs: Inputs, run: ExperimentRun) -> CaptionTraining:
    """Compare the current captions with the true ones, and with those of simple programs."""
    held, record = images.held_out_digits(), run.record
    true, rival = task.true_captions(held), None
    if "rival" in record:
        rival = float((captions.encode_captions(held.pixels, record["rival"]) == true).all(1).mean())
    words, share = captioning.most_frequent_caption(task.true_captions(images.training_digits()), true)
    return CaptionTraining(
        run=run,
        n=len(held),
        now={name: float(record[f"curve.{name}"][-1]) for name in CURVES} | {"step": int(record["step"][-1])},
        found=captioning.find_errors(record["written"], true, held.pixels),
        everywhere=captioning.threshold_distances(held.pixels).mean(0),
        frequent=captions.caption_text(words),
        share=share,
        rival=rival,
    )


def draw(result: CaptionTraining, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the curves, and captions of held-out digits."""
    record, wrong = run.record, result.found.which
    lines = {LABELS("always_the_most_frequent", share=result.share): result.share}
    if result.rival is not None:
        lines[LABELS("program_that_measures", share=result.rival)] = result.rival
    chart, gallery = ui.two_columns("caption-sides")
    with chart:
        ui.curves(
            {title: (record["step"], record[f"curve.{name}"]) for name, title in CURVES.items()},
            y=ui.Axis(LABELS["share_axis"], (0, 1.12)),
            n_step=run.n_step,
            references=lines,
            height=340,
        )
    with gallery:
        if inputs.show == "film":
            look = min(inputs.look, len(record["frames.written"])) - 1
            title = LABELS("after_step", step=int(record["step"][look]))
            _gallery(task.film_digits(result.n), record["frames.written"][look], "film", title)
        elif len(wrong):
            some = wrong[:MAX_SHOWN]
            title = LABELS("are_wrong", n_wrong=len(wrong), n=result.n)
            _gallery(some, record["written"][some], "wrong", title)


def _gallery(which: NDArray[np.int64], written: NDArray[np.integer], name: str, title: str) -> None:
    """Draw held-out digits with their captions, marked as right or wrong, with the right values in brackets."""
    held = images.held_out_digits().some(which)
    found = captions.measure_digits(held.pixels)
    said, true = ([captions.decode_caption(row) for row in ids.tolist()] for ids in (written, task.true_captions(held)))
    ui.pictures(
        held.pixels,
        key=f"caption-gallery-{name}",
        label=title,
        takeaway=title,
        titles=[caption_summary(words, right) for words, right in zip(said, true, strict=True)],
        details=[
            LABELS(
                "details",
                number=i,
                written=captions.caption_text(words),
                truth=captions.caption_text(right),
                ink=ink,
                slant=format_with_minus_sign(slant, plus=True),
            )
            for i, words, right, ink, slant in zip(which, said, true, found.ink, found.slant, strict=True)
        ],
        size=84,
        columns=4,
    )


def caption_summary(words: list[str], true: list[str]) -> str:
    """Return digit, ink and slant of a caption as text, with the truth in brackets where it differs."""
    said, asked = captions.caption_parts(words), captions.caption_parts(true)
    parts = [one if one == other else f"{one or '–'} ({other})" for one, other in zip(said, asked, strict=True)]
    return f"{'✓' if words == true else '✗'} {', '.join(parts)}"
