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
MAX_LETTERS = 14  # letters whose rows are still readable next to a second head, also on a phone
N_LAYER, N_HEAD = 2, 4  # of both models, see `task.recipe`
LossOrder = Literal["lower", "same", "higher"]
MUCH_RATIO = 1.5  # ratio of the losses from which the second one counts as higher or as much lower
CODE = (task.recipe, task.Cheating, task.last_position_loss)


class Inputs(Base, prefix="cheat_"):
    guess: str = guess_control(("higher", "same", "lower"))
    text: str = text_input("A statement", max_chars=MAX_LETTERS)
    layer: int = slider(0, 1, 1, view=ViewChoice(), depth="numbers")
    head: int = slider(0, 3, 1, view=ViewChoice(), depth="numbers")
    corpus: str = task.Options.control("corpus")
    seed: int = seed(depth="numbers")


class CheatingResult(Result):
    """Both models at the newest step of their training, and their attention on a text."""

    run: ExperimentRun
    outcome: GuessOutcome | None  # for the loss on new text, once the run is finished
    at_end: LossOrder  # for the loss at the end of a text, where there is nothing to read ahead
    hidden: tuple[str, ...]  # variants that are hidden before the guess
    is_over: bool  # True if the losses are measured; else they are nan
    is_copying: bool  # True if the model without the mask is much better on new text, and worse at its end
    val_loss_masked: float  # on new text, nats per letter
    val_loss_unmasked: float
    end_loss_masked: float  # the same at the last position of a text
    end_loss_unmasked: float
    ahead: NDArray[np.float32]  # (L, H) weight on the next letter of a text, in each head of the model without the mask
    tokens: tuple[str, ...]  # (T,) of the learner's text
    seen: Mapping[str, AttentionRecord]  # variant -> its attention on the text
    before: NDArray[np.float32]  # (L, H) mean weight on the letter before, with the mask, on this text
    after: NDArray[np.float32]  # (L, H) mean weight on the letter after, without the mask
    row: int  # the letter that is pointed at first

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
    """Return the record, and the attention of both models on the learner's text."""
    tokens, seen = _attention_on_text(run, inputs.text)
    is_over = "val_loss.masked" in run.record
    (masked, unmasked), (end_masked, end_unmasked) = (
        [float(run.record[f"{loss}.{variant}"]) if is_over else np.nan for variant in ("masked", "unmasked")]
        for loss in ("val_loss", "end_loss")
    )
    outcome, at_end = compare_losses(masked, unmasked), compare_losses(end_masked, end_unmasked)
    return CheatingResult(
        run=run,
        outcome=GuessOutcome(outcome) if is_over else None,
        at_end=at_end,
        hidden=("unmasked",) if inputs.guess == NOT_YET else (),
        is_over=is_over,
        is_copying=(outcome, at_end) == ("lower", "higher"),
        val_loss_masked=masked,
        val_loss_unmasked=unmasked,
        end_loss_masked=end_masked,
        end_loss_unmasked=end_unmasked,
        ahead=run.record["look.unmasked.ahead"][-1],
        tokens=tokens,
        seen=seen,
        before=_mean_weight(seen, "masked", -1),
        after=_mean_weight(seen, "unmasked", 1),
        row=_clearest_row(tokens, seen, inputs.layer, inputs.head),
    )


def _mean_weight(seen: Mapping[str, AttentionRecord], variant: str, offset: int) -> NDArray[np.float32]:
    """Return the mean weight (L, H) that a letter gives to the one `offset` places after it; nan for one letter."""
    if not seen or seen[variant].weights.shape[-1] < 2:
        return np.full((N_LAYER, N_HEAD), np.nan, dtype=np.float32)
    return np.asarray(seen[variant].weights.diagonal(offset, -2, -1).mean(-1), dtype=np.float32)


def _clearest_row(tokens: tuple[str, ...], seen: Mapping[str, AttentionRecord], layer: int, head: int) -> int:
    """Return the letter that reads most of the letter before it with the mask, and of the one after it without.

    Not one of the first two, which have little else to read, nor a space.
    """
    rows = [t for t in range(2, len(tokens) - 1) if tokens[t].strip()]
    if not rows:
        return 0
    masked, unmasked = (seen[variant].weights[layer, head] for variant in task.VARIANTS)
    return max(rows, key=lambda t: min(masked[t, t - 1], unmasked[t, t + 1]))


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
    """Draw a head of both models on the same letters, their losses and texts; more with the numbers."""
    ui.add_template_values(n_prompt=N_PROMPT, share=ui.select_by_choice(result.ahead, inputs.layer, inputs.head))
    tokenizer = experiment.tokenizer_of(run.record)
    sample = corpora.load(str(run.options["corpus"])).text[:5_000]
    ui.recase_text_and_warn_unknown(tokenizer, "cheat_text", inputs.text, ui.section_text("unknown"), sample=sample)
    if result.tokens:
        _heads(result, inputs)
    if ui.depth_at_least("numbers"):
        _matrices(result, inputs)
        _curves(result)


def _heads(result: CheatingResult, inputs: Inputs) -> None:
    """Draw the picture: who reads whom in one head of both models, what loss they have and what they write."""
    record, at = result.run.record, (inputs.layer, inputs.head)
    masked, unmasked = (ui.select_by_choice(result.seen[variant].weights, *at) for variant in task.VARIANTS)
    sides = [
        {
            "loss": None if variant in result.hidden else float(record[f"curve.{variant}.val_loss"][-1]),
            "sample": None if variant in result.hidden else _sample(record, variant),
        }
        for variant in task.VARIANTS
    ]
    ui.mount_widget(
        "peeking",
        key=f"cheat-{content_key(str(result.run.options['corpus']), *result.tokens)[:12]}",
        height=480,
        tokens=list(result.tokens),
        row=result.row,
        sides=sides,
        blind=float(record["blind"]),
        n_step=int(record["curve.masked.val_step"][-1]),
        before=ui.for_each_option(partial(_share_at, result.before), *at),
        after=ui.for_each_option(partial(_share_at, result.after), *at),
        masked=masked,
        unmasked=unmasked,
        says=ui.section_text("sentence"),
        takeaway=ui.for_each_option(lambda layer, head: LABELS("takeaway", layer=layer, head=head), *at),
    )


def _share_at(shares: NDArray[np.float32], layer: int, head: int) -> float | None:
    """Return a head's share; None if a single letter has no neighbor."""
    return None if np.isnan(shares[layer, head]) else float(shares[layer, head])


def _matrices(result: CheatingResult, inputs: Inputs) -> None:
    """Draw the same head of both models, cell by cell."""
    run, at = result.run, (inputs.layer, inputs.head)
    content = content_key(str(run.options["corpus"]), *result.tokens)[:12]
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


def _sample(record: Mapping[str, NDArray], variant: str) -> tuple[str, str]:
    """Return the letters that a model was given, and those that it wrote."""
    text = bytes(record[f"sample.{variant}"]).decode("utf-8", "replace")
    return text[:N_PROMPT].lstrip(), text[N_PROMPT:].rstrip()


def _curves(result: CheatingResult) -> None:
    record = result.run.record
    ui.curves(
        {task.VARIANT_NAMES[v]: (record[f"curve.{v}.val_step"], record[f"curve.{v}.val_loss"]) for v in task.VARIANTS},
        y=ui.quantity_label(LABELS["loss"], LABELS["unit"]),
        n_step=result.run.n_step,
        references={LABELS["blind"]: float(record["blind"])},
        hidden=[task.VARIANT_NAMES[v] for v in result.hidden],
    )


def _badge(
    run: ExperimentRun, model: nn.Module, seen: AttentionRecord, variant: str, layer: int, head: int
) -> "ui.ProvenanceBadge":
    """Return the badge that names the source of a head's numbers."""
    name, ids = f"blocks.{layer}.attn.weights", seen.ids.tolist()
    title = LABELS["model.masked" if variant == "masked" else "model.unmasked"]
    return ui.badges.run_tensor_badge(run, model, name, (head, "row", "column"), seen.weights[layer], title, ids=ids)
