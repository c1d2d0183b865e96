"""A language model trained with and without the causal mask: the better loss is worthless."""

from collections.abc import Mapping
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.data import corpora
from core.data.localization.labels import module_labels
from core.data.tokenizers import known_word_normalization
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    ViewChoice,
    content_key,
    guess_control,
    seed,
    segmented_control,
    slider,
    text_input,
)
from core.inspect import attention_record
from core.inspect.attention_record import AttentionRecord
from core.models.gpt import GPT
from core.rooms.masks.experiments import cheating as task
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.watch.behavior_snapshots import N_PROMPT

LABELS = module_labels(__name__)

EXPERIMENT = "cheating"
MAX_LETTERS = 32  # letters whose map is still readable next to a second one
LossOrder = Literal["lower", "same", "higher"]
MUCH_RATIO = 1.5  # ratio of the losses from which the second one counts as higher or as much lower
CODE = (task.recipe, task.Cheating, task.last_position_loss)


class Inputs(Base, prefix="cheat_"):
    guess: str = guess_control(("higher", "same", "lower"))
    corpus: str = task.Options.control("corpus")
    seed: int = seed()
    view: str = segmented_control(("texts", "heads"), "texts", when=lambda i: i.guess != NOT_YET)
    text: str = text_input(
        "A statement is executed.",
        max_chars=MAX_LETTERS,
        when=lambda i: i.view == "heads",
    )
    layer: int = slider(0, 1, 0, when=lambda i: i.view == "heads", view=ViewChoice())
    head: int = slider(0, 3, 0, when=lambda i: i.view == "heads", view=ViewChoice())


class CheatingResult(Result):
    """Both models at the newest step of their training; their attention once the guess is made."""

    run: ExperimentRun
    outcome: GuessOutcome | None  # for the loss on new text, once the run is finished
    at_end: LossOrder  # for the loss at the end of a text, where there is nothing to read ahead
    hidden: tuple[str, ...]  # variants that are hidden before the guess
    is_over: bool  # True if the losses are measured; else they are nan
    val_loss_masked: float  # on new text, nats per letter
    val_loss_unmasked: float
    end_loss_masked: float  # the same at the last position of a text
    end_loss_unmasked: float
    ahead: NDArray[np.float32]  # (L, H) weight on the next letter of a text, in each head of the model without the mask
    tokens: tuple[str, ...]  # (T,) of the learner's text
    seen: Mapping[str, AttentionRecord]  # variant -> its attention on the text

    def table(self) -> dict[str, list[float]]:
        """Return the loss on new text at each step, in nats per letter."""
        losses = {
            name: self.run.record[f"curve.{v}.val_loss"].round(4).tolist() for v, name in task.VARIANT_NAMES.items()
        }
        return {LABELS["step"]: self.run.record["curve.masked.val_step"].tolist(), **losses}


def compare_losses(masked: float, unmasked: float) -> LossOrder:
    """Return the right guess for these losses."""
    return "lower" if unmasked * MUCH_RATIO < masked else "higher" if unmasked > masked * MUCH_RATIO else "same"


def model_of(run: ExperimentRun, variant: str) -> GPT:
    """Rebuild the trained model of a variant."""
    config = task.recipe(task.Options(**run.options), variant == "masked").config
    return experiment.rebuild_model(run.record, variant, config(experiment.tokenizer_of(run.record).vocab_size))


def compute(inputs: Inputs, run: ExperimentRun) -> CheatingResult:
    """Return the record and, once the guess is made, the attention of both models on the learner's text."""
    tokens, seen = ((), {}) if inputs.guess == NOT_YET else _attention_on_text(run, inputs.text)
    is_over = "val_loss.masked" in run.record
    (masked, unmasked), (end_masked, end_unmasked) = (
        [float(run.record[f"{loss}.{variant}"]) if is_over else np.nan for variant in ("masked", "unmasked")]
        for loss in ("val_loss", "end_loss")
    )
    return CheatingResult(
        run=run,
        outcome=GuessOutcome(compare_losses(masked, unmasked)) if is_over else None,
        at_end=compare_losses(end_masked, end_unmasked),
        hidden=("unmasked",) if inputs.guess == NOT_YET else (),
        is_over=is_over,
        val_loss_masked=masked,
        val_loss_unmasked=unmasked,
        end_loss_masked=end_masked,
        end_loss_unmasked=end_unmasked,
        ahead=run.record["look.unmasked.ahead"][-1],
        tokens=tokens,
        seen=seen,
    )


def _attention_on_text(run: ExperimentRun, text: str) -> tuple[tuple[str, ...], dict[str, AttentionRecord]]:
    """Return the last letters of a text as the models read them, and the attention of each variant."""
    tokenizer = experiment.tokenizer_of(run.record)
    ids = tuple(
        tokenizer.encode(known_word_normalization.recase_words_to_vocabulary(tokenizer, text).text)[-MAX_LETTERS:]
    )
    seen = (
        {variant: attention_record.attention(model_of(run, variant), ids) for variant in task.VARIANTS} if ids else {}
    )
    return tuple(tokenizer.tokens(list(ids))), seen


def draw(result: CheatingResult, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the curves and the texts of both models; or a head of each on the learner's letters."""
    record, hidden = run.record, result.hidden
    ui.add_template_values(n_prompt=N_PROMPT, share=ui.select_by_choice(result.ahead, inputs.layer, inputs.head))
    if inputs.view == "heads":
        _heads(result, inputs)
        return
    ui.curves(
        {task.VARIANT_NAMES[v]: (record[f"curve.{v}.val_step"], record[f"curve.{v}.val_loss"]) for v in task.VARIANTS},
        y=ui.quantity_label(LABELS["loss"], LABELS["unit"]),
        n_step=run.n_step,
        references={LABELS["blind"]: float(record["blind"])},
        hidden=[task.VARIANT_NAMES[v] for v in hidden],
    )
    for place, variant in zip(ui.two_columns("cheat-samples", alike=True), task.VARIANTS, strict=True):
        with place:
            ui.show_markdown(LABELS["writes.masked" if variant == "masked" else "writes.unmasked"])
            sample = bytes(record[f"sample.{variant}"]).decode("utf-8", "replace").strip()
            ui.show_code_block("?" if variant in hidden else sample)


def _heads(result: CheatingResult, inputs: Inputs) -> None:
    """Draw one head of both models on the same letters."""
    run, corpus, at = result.run, str(result.run.options["corpus"]), (inputs.layer, inputs.head)
    sample = corpora.load(corpus).text[:5_000]
    tokenizer = experiment.tokenizer_of(run.record)
    ui.recase_text_and_warn_unknown(tokenizer, "cheat_text", inputs.text, ui.section_text("unknown"), sample=sample)
    content = content_key(corpus, *result.tokens)[:12]
    for place, (variant, seen) in zip(ui.two_columns("cheat-maps"), result.seen.items(), strict=False):
        with place:
            ui.matrix(
                ui.select_by_choice(seen.weights, *at),
                rows=result.tokens,
                columns=result.tokens,
                key=f"cheat.{variant}.{content}",
                mask=seen.mask,
                height=360,
                label=ui.for_each_option(partial(_map_label, variant), *at),
                badge=ui.for_each_option(partial(_badge, run, model_of(run, variant), seen, variant), *at),
            )


def _map_label(variant: str, layer: int, head: int) -> str:
    return LABELS("map.masked" if variant == "masked" else "map.unmasked", layer=layer, head=head)


def _badge(
    run: ExperimentRun, model: nn.Module, seen: AttentionRecord, variant: str, layer: int, head: int
) -> "ui.ProvenanceBadge":
    """Return the badge that names the source of a head's numbers."""
    name, ids = f"blocks.{layer}.attn.weights", seen.ids.tolist()
    title = LABELS["model.masked" if variant == "masked" else "model.unmasked"]
    return ui.badges.run_tensor_badge(run, model, name, (head, "row", "column"), seen.weights[layer], title, ids=ids)
