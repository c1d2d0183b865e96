"""A language model trained with and without the causal mask: the better loss is the one that is worth nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Reference
from core.charts.race import race
from core.data import corpora
from core.data.tokenizers import normalization
from core.exhibit import NOT_YET, Came, Guessed, Look, content_key, guess, seed, segmented, slider, text_input
from core.exhibit import Inputs as Base
from core.inspect import trace
from core.inspect.trace import AttentionRecord
from core.rooms.masks.experiments import cheating as task
from core.train import experiment
from core.train.experiments.live import Live
from core.train.snapshots import N_PROMPT

EXPERIMENT = "cheating"
HEAD = ("cheat_layer", "cheat_head")
MOST = 32  # letters whose map can still be read beside another one
GUESSES = {"higher": "higher", "same": "about the same", "lower": "much lower"}
Outcome = Literal["lower", "same", "higher"]
MUCH = 1.5  # so many times the other loss counts as higher, or as much lower
CODE = (task.recipe, task.Cheating, task.end_loss)


class Inputs(Base, prefix="cheat_"):
    """What is trained, the guess, and where to look afterwards."""

    guess: str = guess("Before you look: without the mask the loss on new text will be …", GUESSES)
    corpus: str = task.Options.control("corpus")
    seed: int = seed()
    view: str = segmented(
        "Look at", {"texts": "What they write", "heads": "Inside a head"}, "texts", when=lambda i: i.guess != NOT_YET
    )
    text: str = text_input(
        "Text that both models read", "A statement is executed.", max_chars=MOST, when=lambda i: i.view == "heads"
    )
    layer: int = slider("Layer", 0, 1, 0, when=lambda i: i.view == "heads", look=Look())
    head: int = slider("Head", 0, 3, 0, when=lambda i: i.view == "heads", look=Look())


@dataclass(frozen=True)
class Result(Guessed):
    """Both models as far as they are trained; what they look like inside once the guess is made."""

    guesses = GUESSES
    run: Live
    guess: str  # `NOT_YET` hides the model without the mask
    tokens: tuple[str, ...]  # (T,) of the learner's text
    seen: Mapping[str, AttentionRecord]  # variant -> its attention on the text

    @property
    def hidden(self) -> tuple[str, ...]:
        return ("unmasked",) if self.guess == NOT_YET else ()

    @property
    def is_over(self) -> bool:
        return "val_loss.masked" in self.run.record

    def __getattr__(self, name: str) -> float:
        """What was measured at the end: `val_loss_masked` and the like."""
        what, _, variant = name.rpartition("_")
        if variant not in task.VARIANTS:
            raise AttributeError(name)
        return float(self.run.record[f"{what}.{variant}"])

    @property
    def outcome(self) -> Outcome:
        """At the end of a text, of `GUESSES`."""
        return outcome(self.end_loss_masked, self.end_loss_unmasked)

    @property
    def came(self) -> Came | None:
        return Came(outcome(self.val_loss_masked, self.val_loss_unmasked)) if self.is_over else None

    @property
    def ahead(self) -> NDArray[np.float32]:
        """(L, H) the weight that the heads without the mask give to the next letter of a line."""
        share: NDArray[np.float32] = self.run.record["look.unmasked.ahead"][-1]
        return share

    def table(self) -> dict[str, list[float]]:
        """The loss on text that was not trained on, step by step, in nats per letter."""
        losses = {name: self.run.record[f"curve.{v}.val_loss"].round(4).tolist() for v, name in task.NAMES.items()}
        return {"step": self.run.record["curve.masked.val_step"].tolist(), **losses}


def outcome(masked: float, unmasked: float) -> Outcome:
    """Which of the guesses came true."""
    return "lower" if unmasked * MUCH < masked else "higher" if unmasked > masked * MUCH else "same"


def model_of(run: Live, variant: str) -> Any:
    """The trained model of a variant."""
    config = task.recipe(task.Options(**run.options), variant == "masked").config
    return experiment.rebuild(run.record, variant, config(experiment.tokenizer_of(run.record).vocab_size))


def compute(inputs: Inputs, run: Live) -> Result:
    """The record, and once the guess is made, what both models look at in the learner's text."""
    if inputs.guess == NOT_YET:
        return Result(run, inputs.guess, (), {})
    tokenizer = experiment.tokenizer_of(run.record)
    ids = tuple(tokenizer.encode(normalization.normalize(tokenizer, inputs.text).text)[-MOST:])
    seen = {variant: trace.attention(model_of(run, variant), ids) for variant in task.VARIANTS} if ids else {}
    return Result(run, inputs.guess, tuple(tokenizer.tokens(list(ids))), seen)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The curves and what both models write; or a head of each on the learner's letters."""
    record, hidden = run.record, result.hidden
    if hidden:
        ui.say("hidden")
    elif result.is_over:
        ui.say("losses")
        ui.say("end")
    if inputs.view == "heads":
        _look_inside(result, inputs)
        return
    spec = race(
        {task.NAMES[v]: (record[f"curve.{v}.val_step"], record[f"curve.{v}.val_loss"]) for v in task.VARIANTS},
        [Reference(float(record["blind"]), "guessing blindly")],
        y_title=ui.measured("loss on new text", "nats per letter"),
        n_step=run.n_step,
        mode=ui.color_mode(),
        hidden=[task.NAMES[v] for v in hidden],
    )
    ui.chart(spec, alt=f"Validation loss by training step, {'with' if hidden else 'with and without'} the causal mask.")
    for place, variant in zip(ui.pair("cheat-samples", alike=True), task.VARIANTS, strict=True):
        with place:
            ui.write(f"**It writes, {task.NAMES[variant]}**")
            sample = bytes(record[f"sample.{variant}"]).decode("utf-8", "replace").strip()
            ui.code("?" if variant in hidden else sample)
    ui.say("start", n_prompt=N_PROMPT)


def _look_inside(result: Result, inputs: Inputs) -> None:
    """One head of both models on the same letters."""
    run, corpus = result.run, str(result.run.options["corpus"])
    sample = corpora.load(corpus).text[:5_000]
    tokenizer = experiment.tokenizer_of(run.record)
    ui.read_words(tokenizer, "cheat_text", inputs.text, ui.words("unknown"), sample=sample)
    if not result.seen:
        ui.say("empty")
        return
    content = content_key(corpus, *result.tokens)[:12]
    for place, (variant, seen) in zip(ui.pair("cheat-maps"), result.seen.items(), strict=True):
        model, title = model_of(run, variant), f"Layer {{}}, head {{}}, {task.NAMES[variant]}"
        with place:
            ui.matrix(
                ui.along(seen.weights, *HEAD),
                rows=result.tokens,
                columns=result.tokens,
                key=f"cheat.{variant}.{content}",
                mask=seen.mask,
                height=360,
                label=ui.per_head(model.config, title.format, HEAD),
                badge=ui.per_head(model.config, partial(_badge, run, model, seen, variant), HEAD),
            )
    ui.say("ahead")


def _badge(run: Live, model: Any, seen: AttentionRecord, variant: str, layer: int, head: int) -> "ui.Badge":
    """Where the numbers of a head are from."""
    name, title, ids = f"blocks.{layer}.attn.weights", f"the model {task.NAMES[variant]}", seen.ids.tolist()
    return ui.badges.of_live(run, model, name, (head, "row", "column"), seen.weights[layer], title, ids=ids)
