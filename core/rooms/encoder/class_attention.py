"""The attention of `<class>` in a review, compared with the effect of removing each word on the answer."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.numbers import format_with_minus_sign
from core.data.synthetic.reviews import LABELS as REVIEW_LABELS, PRAISE, WORDS
from core.exhibit import (
    Inputs as Base,
    NothingToShow,
    Result,
    Table,
    ViewChoice,
    content_key,
    segmented_control,
    select,
    text_input,
)
from core.inspect.attention_record import stack_layers
from core.models.bert import BERT
from core.nn.attention import MultiHeadAttention
from core.nn.tap import Trace
from core.rooms.encoder.experiments.finetune import NAMES, SIZES
from core.rooms.encoder.inputs import (
    OWN_REVIEW,
    OWN_REVIEW_CHOICE,
    REVIEWS,
    note_review,
    review_words,
    trained_classifier,
)
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)


class ClassAttention(NamedTuple):
    """One text in one model with a sequence head."""

    whole: NDArray[np.float32]  # (L, H, T, T) all attention
    probabilities: NDArray[np.float32]  # (C,) the answer
    # (T, C) the answer with one token removed; row 0, `<class>`, is the unchanged answer
    without: NDArray[np.float32]


@torch.no_grad()
def read_class_attention(model: BERT, ids: Sequence[int]) -> ClassAttention:
    """Run the model on the text, and again with each of its words removed.

    Args:
        model: with the head "sequence".
        ids: `<class>` first.

    Raises:
        ValueError: if there is no token after `<class>`.
    """
    if len(ids) < 2:
        raise ValueError("there is no word after <class>")
    with Trace(model) as trace:
        answer = model(torch.tensor([list(ids)])).softmax(-1)[0]
    shorter = torch.tensor([[*ids[:i], *ids[i + 1 :]] for i in range(1, len(ids))])
    without = torch.cat([answer[None], model(shorter).softmax(-1)])
    return ClassAttention(stack_layers(trace, "attn.weights"), answer.numpy(), without.numpy())


TRAINED = "finetune"
MEAN = "mean"
HEADS = {f"{layer}.{head}": (layer, head) for layer in range(2) for head in range(4)}
CODE = (read_class_attention, MultiHeadAttention.forward)


class Inputs(Base, prefix="class_"):
    way: str = segmented_control(dict(NAMES), "full")
    labels: int = segmented_control({n: f"{n:,}" for n in SIZES}, 1_000)
    review: str = select((*REVIEWS, OWN_REVIEW_CHOICE), "soup not good.", heading="")
    text: str = text_input(OWN_REVIEW, max_chars=200, notes=note_review, when=lambda i: i.review == OWN_REVIEW_CHOICE)
    head: str = select((MEAN, *HEADS), MEAN, view=ViewChoice())


class ReviewAttention(Result):
    """A review in one of the models."""

    tokens: tuple[str, ...]  # (T,) `<class>` first
    whole: NDArray[np.float32]  # (L, H, T, T) all attention
    probabilities: NDArray[np.float32]  # (C,) the answer
    verdict: str
    weights: NDArray[np.float32]  # (T,) attention of `<class>` to every token, in the chosen head; sums to 1
    praise: NDArray[np.float32]  # (T,) probability of praise without each word; of the whole text at `<class>`
    moved: NDArray[np.float32]  # (T,) the change in this probability when each word is removed
    most: int  # the position of the word with the highest weight
    matters: int  # the position of the word whose removal changes the answer most

    def table(self) -> Table:
        """Return one row for each token: the weight of `<class>` on it, and the answer without the word."""
        numbers = {LABELS["weight"]: self.weights.tolist(), LABELS["praise_without"]: self.praise.tolist()}
        return {LABELS["token"]: list(self.tokens), **numbers}


def compute(inputs: Inputs, run: ExperimentRun) -> ReviewAttention:
    """Run the model on the whole review, and once without each of its words."""
    if "fine.step" not in run.record:
        raise NothingToShow(LABELS["no_model"])
    words = review_words(inputs.review, inputs.text)
    if not words:
        raise NothingToShow(LABELS["no_text"])
    seen = read_class_attention(trained_classifier(run, inputs.way, inputs.labels), WORDS.encode(words))
    weights, praise = _row(seen.whole, inputs.head), seen.without[:, PRAISE]
    moved = praise - praise[0]
    return ReviewAttention(
        tokens=("<class>", *words),
        whole=seen.whole,
        probabilities=seen.probabilities,
        verdict=REVIEW_LABELS[int(seen.probabilities.argmax())],
        weights=weights,
        praise=praise,
        moved=moved,
        most=1 + int(weights[1:].argmax()),
        matters=1 + int(np.abs(moved[1:]).argmax()),
    )


def _row(whole: NDArray[np.float32], head: str) -> NDArray[np.float32]:
    """Return the weights of `<class>` in a head, or their mean over all heads (T,)."""
    rows = whole[:, :, 0]
    found: NDArray[np.float32] = rows[HEADS[head]] if head in HEADS else rows.mean((0, 1))
    return found


def _title(head: str) -> str:
    return LABELS("looks", head=LABELS.get(f"head.{head}", head))


def draw(result: ReviewAttention, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the weights of `<class>`, and the answer without each word."""
    tokens, moved = result.tokens, result.moved
    weights = ui.for_each_option(partial(_row, result.whole), inputs.head)
    ids = WORDS.encode(tokens[1:])
    key = content_key(inputs.way, inputs.labels, *ids)[:12]
    ui.token_row(
        ui.map_choices(
            lambda one: [f"{token}={weight:.2f}" for token, weight in zip(tokens, one, strict=True)], weights
        ),
        values=ui.pad_stack(weights),
        kind="probability",
        value_title=LABELS["attention"],
        key=f"class-weights-{key}",
        title=ui.for_each_option(_title, inputs.head),
        takeaway=ui.map_choices(
            lambda one: LABELS("most_weight", token=repr(tokens[int(one.argmax())]), weight=float(one.max())), weights
        ),
    )
    adds = [
        f"{token}={format_with_minus_sign(-change, plus=True)}"
        for token, change in zip(tokens[1:], moved[1:], strict=True)
    ]
    ui.token_row(
        ["<class>", *adds],
        values=np.array([np.nan, *-moved[1:]]),
        kind="signed",
        limits=(-1, 1),
        value_title=LABELS["adds"],
        details=[LABELS["class_token"], *(LABELS("without", p=float(p)) for p in result.praise[1:])],
        key=f"class-without-{key}",
        title=LABELS["loses"],
        takeaway=LABELS("matters", token=repr(tokens[result.matters])),
    )
    ui.add_template_values(
        most=ui.map_choices(lambda one: tokens[1 + int(one[1:].argmax())], weights),
        weight=ui.map_choices(lambda one: one[1:].max(), weights),
    )
    if ui.depth_at_least("numbers"):
        _heads(result, inputs, run, key)


def _heads(result: ReviewAttention, inputs: Inputs, run: ExperimentRun, key: str) -> None:
    """Draw the row of `<class>` in every head."""
    tokens, ids = result.tokens, WORDS.encode(result.tokens[1:])
    model = trained_classifier(run, inputs.way, inputs.labels)
    whose = LABELS("whose", start=NAMES[inputs.way], n=inputs.labels)
    titles = {"row_title": LABELS["head_axis"], "column_title": LABELS["word_axis"]}
    for layer, place in enumerate(ui.two_columns("class-heads")):
        name, whole = f"blocks.{layer}.attn.weights", result.whole[layer]
        rows, label = [f"{layer}.{head}" for head in range(4)], LABELS("looks.layer", layer=layer)
        badge = ui.badges.run_tensor_badge(run, model, name, ("row", 0, "column"), whole, whose, ids=ids)
        with place:
            how: dict[str, Any] = {**titles, "key": f"class-heads-{layer}-{key}", "height": 220, "badge": badge}
            ui.matrix(whole[:, 0], rows=rows, columns=tokens, label=label, **how)
