"""All weights in fewer bits: the weights of each matrix before and after, and the text that the model then writes."""

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from core import ui
from core.data.localization.labels import module_labels
from core.data.printable import printable_text
from core.exhibit import (
    MAX_FIGURES,
    NOT_YET,
    GuessOutcome,
    Result,
    Table,
    ViewChoice,
    guess_control,
    memoize,
    segmented_control,
    slider,
)
from core.inspect.model_inputs.model_and_text import load_text_model, model_vocabulary
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.fewer_bits.compute import evaluation, quantize, rounding
from core.rooms.fewer_bits.compute.evaluation import (
    BREAKDOWN_RATIO,
    GreedyText,
    continue_rounded,
    evaluate_rounded,
    held_out_ids,
)
from core.rooms.fewer_bits.compute.rounding import (
    FLOAT32_BITS,
    PART_NAMES,
    check_copy_size,
    matrices_by_layer,
    model_bytes,
    part_of,
    round_to_bits,
)
from core.rooms.fewer_bits.inputs import (
    BIT_CHOICES,
    SCALE_CHOICES,
    PromptInputs,
    WeightHistograms,
    bin_weights,
    draw_histograms,
)

LABELS = module_labels(__name__)

N_NEW = 24  # tokens that are generated
N_SORTED = 96  # weights of one row that are drawn
MOST_DRAWN_BITS = 4  # the levels of more bits would be a gray area
CODE = (quantize.quantize, rounding.round_weights, evaluation.evaluate_rounded, evaluation.continue_rounded)


@memoize(MAX_FIGURES)
def rounded_parts(key: ModelKey) -> tuple[str, ...]:
    """Return the parts of the model that are rounded."""
    here = {part_of(name) for name, _ in load_text_model(key).model.named_parameters()}
    return tuple(part for part in PART_NAMES if part in here)


class Inputs(PromptInputs, prefix="bits_"):
    guess: str = guess_control(
        {bits: LABELS("guess_bits", n=bits) for bits in ("8", "4", "3", "2")},
    )
    bits: int = segmented_control(BIT_CHOICES, 4)
    scales: str = segmented_control(
        SCALE_CHOICES,
        "row",
        depth="numbers",
    )
    part: str = segmented_control(
        lambda i: {one: PART_NAMES[one] for one in rounded_parts(i.given.key)},
        "w_o",
        view=ViewChoice(),
        depth="numbers",
    )
    layer: int = slider(0, lambda i: i.given.config.n_layer - 1, 0, view=ViewChoice(), depth="numbers")


class RoundedModel(Result):
    """A model before and after rounding: its weights and its text."""

    is_told: bool  # True after the guess; before it, everything shown is of the original
    bits: int
    losses: dict[int, float]  # bits -> nats per token
    loss: float
    less_likely: float  # how many times less probable the right token is, on average
    falls: int  # the most bits at which it is `BREAKDOWN_RATIO` times less probable; 0 if it never is
    divergence: float  # of the next-token distributions from the original's, in nats
    n_byte: int
    n_byte_before: int
    smaller: float  # how many times fewer bytes
    share: float  # fraction of all parameters that are rounded
    before: GreedyText
    after: GreedyText
    first: int | None  # the first position at which the two texts differ; None if they are the same
    is_held_out: bool
    outcome: GuessOutcome | None

    def table(self) -> Table:
        """Return one row per number of bits."""
        return {LABELS["bits_column"]: [*self.losses], LABELS["loss"]: [*self.losses.values()]}

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        return {"before": self.before.probabilities, "after": self.after.probabilities}


def compute(inputs: Inputs) -> RoundedModel:
    """Compute the model's loss by bits, and the texts written with the original and with the rounded weights."""
    key, ids_key, scales = inputs.given.key, inputs.given.encoded.ids_key, inputs.scales
    model, is_told = load_text_model(key).model, inputs.guess != NOT_YET
    check_copy_size(model)
    now, all_bits = (inputs.bits, BIT_CHOICES) if is_told else (FLOAT32_BITS, (FLOAT32_BITS,))
    losses = {bits: evaluate_rounded(key, ids_key, bits, scales).loss for bits in all_bits}
    falls = next((bits for bits, loss in losses.items() if loss - losses[FLOAT32_BITS] > np.log(BREAKDOWN_RATIO)), 0)
    n_byte, n_byte_before = (model_bytes(model, bits, scales) for bits in (inputs.bits, FLOAT32_BITS))
    before, after = (continue_rounded(key, ids_key, bits, scales, N_NEW) for bits in (FLOAT32_BITS, now))
    differ = np.flatnonzero(before.written != after.written)
    n_all = sum(weight.numel() for weight in model.parameters())
    outcome = GuessOutcome(str(falls)) if falls else GuessOutcome("", LABELS["not_even_2"])
    return RoundedModel(
        is_told=is_told,
        bits=now,
        losses=losses,
        loss=losses[now],
        less_likely=float(np.exp(losses[now] - losses[FLOAT32_BITS])),
        falls=falls,
        divergence=evaluate_rounded(key, ids_key, now, scales).divergence,
        n_byte=n_byte,
        n_byte_before=n_byte_before,
        smaller=n_byte_before / n_byte,
        share=sum(weight.numel() for weight in rounding.weight_matrices(model).values()) / n_all,
        before=before,
        after=after,
        first=int(differ[0]) if len(differ) else None,
        is_held_out=held_out_ids(key) is not None,
        outcome=outcome if is_told else None,
    )


@memoize(MAX_FIGURES)
def _counts(key: ModelKey, part: str, bits: int, scales: str) -> tuple[WeightHistograms, ...]:
    """Return histograms of a part's weights in each layer, before and after."""
    weights = matrices_by_layer(load_text_model(key).model, part)
    return tuple(bin_weights(weight, round_to_bits(weight, bits, scales)) for weight in weights)


def sorted_row(weight: Tensor, bits: int, scales: str) -> dict[str, list[float]]:
    """Return the first weights of a matrix's first row, sorted, what each becomes in this many bits, and all levels.

    There are no levels if the weights don't share them, or if they are too many to be drawn.
    """
    after = round_to_bits(weight, bits, scales)[0, :N_SORTED]
    before = weight.detach().float()[0, :N_SORTED]
    order = before.argsort(stable=True)
    levels: list[float] = []
    if bits <= MOST_DRAWN_BITS and scales != "group":
        most = quantize.max_level(bits)
        scale = float(quantize.quantize(weight, bits, scales).scale[0, 0])
        levels = [scale * level for level in range(-most, most + 1)]
    return {"before": before[order].tolist(), "after": after[order].tolist(), "levels": levels}


@memoize(MAX_FIGURES)
def _rows(key: ModelKey, part: str, bits: int, scales: str) -> tuple[dict[str, list[float]], ...]:
    """Return `sorted_row` of a part's matrix in each layer, with six digits."""
    found = [sorted_row(weight, bits, scales) for weight in matrices_by_layer(load_text_model(key).model, part)]
    return tuple({name: [round(one, 6) for one in values] for name, values in both.items()} for both in found)


def _stairs(result: RoundedModel, inputs: Inputs) -> None:
    """Draw the weights of one row, the levels that they move to, and the text before and after."""
    key, bits = inputs.given.key, inputs.bits
    rows = {part: _rows(key, part, bits, inputs.scales) for part in rounded_parts(key)}
    digits = {32: 7, 16: 3}
    name = "keeps" if bits in digits else "moves_in_group" if inputs.scales == "group" else "moves"
    ui.mount_widget(
        "staircase",
        weights=ui.for_each_option(
            lambda layer, part: rows[part][min(layer, len(rows[part]) - 1)], inputs.layer, inputs.part
        ),
        names=(LABELS["as_trained"], LABELS("in_bits", n=bits)),
        texts=[
            {"bits": LABELS("n_bit", n=FLOAT32_BITS), "same": _text(result.before.written, inputs)},
            {"bits": LABELS("n_bit", n=bits), **(_parted(result, inputs) if result.is_told else {})},
        ],
        sentence=LABELS(
            name, bits=bits, n=2**bits - 1, most=2 ** (bits - 1) - 1, all=2**bits, digits=digits.get(bits, 0)
        ),
        label="",
        takeaway=LABELS("stairs", n=bits),
        key=f"bits.stairs.{inputs.given.content}",
        height=360,
    )


def _text(written: NDArray[np.int64], inputs: Inputs) -> str:
    names = model_vocabulary(inputs.given.key)
    return printable_text("".join(names[i] for i in written))


def _parted(result: RoundedModel, inputs: Inputs) -> dict[str, str]:
    """Return the text of the rounded model up to where it differs from the original's, and from there on."""
    written, n_same = result.after.written, result.first
    same = _text(written[:n_same], inputs)
    return {"same": same, "other": "" if n_same is None else _text(written[n_same:], inputs)}


def draw(result: RoundedModel, inputs: Inputs) -> None:
    """Draw both texts, the weights of a matrix, and the next tokens."""
    key, names = inputs.given.key, model_vocabulary(inputs.given.key)
    counts = {part: _counts(key, part, inputs.bits, inputs.scales) for part in rounded_parts(key)}

    def at(layer: int, part: str) -> WeightHistograms:
        return counts[part][min(layer, len(counts[part]) - 1)]  # outside of the blocks there is one for all layers

    def label(layer: int, part: str) -> str:
        name = "part_layer" if len(counts[part]) > 1 else "part_of_model"
        return LABELS(name, part=PART_NAMES[part], layer=layer)

    found = ui.for_each_option(at, inputs.layer, inputs.part)
    _stairs(result, inputs)
    if result.is_told:
        _row(result.before, names, LABELS["written_with_32"], None, "bits.before")
        _row(result.after, names, LABELS("written_with", n=result.bits), result.first, "bits.after")
    left, right = ui.two_columns("bits-weights") if result.is_told else (ui.st.container(), None)
    with left:
        draw_histograms(
            found,
            names=(LABELS["bits_32"], LABELS("n_bit", n=inputs.bits)),
            key=f"bits.{inputs.given.content}",
            label=ui.for_each_option(label, inputs.layer, inputs.part),
        )
    if right is not None:
        before, after = result.before.probabilities, result.after.probabilities
        top = ui.top_ids_before_or_after(before, after)
        with right:
            ui.before_after_bars(
                [names[i] for i in top],
                before[top].astype(float).tolist(),
                after[top].astype(float).tolist(),
                names=(LABELS["bits_32"], LABELS("n_bit", n=result.bits)),
                label=LABELS["next_token"],
                key="bits.next",
            )
    ui.add_template_values(zeros=ui.map_choices(lambda one: one.zeros, found))


def _row(one: GreedyText, names: tuple[str, ...], title: str, first: int | None, key: str) -> None:
    """Draw a text as a row of tokens; the first token that differs is marked."""
    tokens = [names[i] for i in one.written]
    text = printable_text(one.text)
    ui.token_row(
        [f"✗{token}" if i == first else token for i, token in enumerate(tokens)],
        key=key,
        title=title,
        takeaway=LABELS("text", title=title, text=text)
        if first is None
        else LABELS("text_differs", title=title, text=text, position=first + 1),
    )
