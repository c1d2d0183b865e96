"""Attention of a decoder, an encoder and an encoder-decoder on the same question: which token reads which."""

from collections.abc import Sequence
from itertools import count, takewhile

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, NothingToShow, Result, Table, ViewChoice, select, text_input
from core.nn.masks import causal, full
from core.nn.tap import Trace
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_models import (
    DecoderFamily,
    EncoderDecoderFamily,
    EncoderFamily,
    decoder_input,
    encoder_decoder_input,
    encoder_input,
)
from core.rooms.families.compute.walks import FRENCH, WORDS, Walk
from core.rooms.families.inputs import DEFAULT_WALK, QUESTIONS, WALK_LABEL, cached_families, walk_notes, walk_of
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "families"
# A number is a head of the last layer: the decoder and the encoder have two layers, the others one.
HEAD_CHOICES = {
    "best": LABELS["head.best"],
    "mean": LABELS["head.mean"],
    **{str(i): LABELS("last_layer_head", head=i) for i in range(4)},
}
MODEL_NAMES = {
    "decoder": LABELS["model.decoder"],
    "encoder": LABELS["model.encoder"],
    "encoder_decoder": LABELS["model.encoder_decoder"],
}
# The module of each map's attention in its model.
ATTENTION_MODULES = {
    "decoder": "blocks.{}.attn",
    "encoder": "blocks.{}.attn",
    "source": "encoder.blocks.{}.attn",
    "target": "decoder.blocks.{}.attn",
    "cross": "decoder.blocks.{}.cross_attn",
}


class Inputs(Base, prefix="reads_"):
    walk: str = text_input(DEFAULT_WALK, notes=walk_notes, label=WALK_LABEL)
    task: str = select(QUESTIONS, "translate")
    head: str = select(HEAD_CHOICES, "best", view=ViewChoice())


class FamilyAttention(Result):
    """One attention of one family, with all its layers and heads."""

    rows: tuple[str, ...]  # rows, columns: the query tokens and the key tokens
    columns: tuple[str, ...]
    weights: NDArray[np.float32]  # (L, H, T, S) rows sum to 1
    mask: NDArray[np.bool_]  # (T, S) True where a row may read
    # (T, S) True at the source of the word that a row predicts; all False if the answer has no single source
    truth: NDArray[np.bool_]
    scores: NDArray[np.float32]  # (L, H) mean weight of the rows on the known truth; 0 if there is none
    best: tuple[int, int]  # (layer, head) with the highest score

    def place_of(self, head: str) -> tuple[int, int]:
        """Return (layer, head) of a choice: "best", or a head of the last layer; its head 0 if no head is best."""
        if head == "best" and self.truth.any():
            return self.best
        return len(self.weights) - 1, 0 if head == "best" else int(head)


def _score_attention(
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    weights: NDArray[np.float32],
    mask: NDArray[np.bool_],
    truth: NDArray[np.bool_],
) -> FamilyAttention:
    """Return a `FamilyAttention`, with each head's mean weight on the known truth."""
    on_truth = np.where(truth, weights, 0).sum(-1)  # (L, H, T)
    scores = np.asarray(on_truth.sum(-1) / max(1, int(truth.any(-1).sum())), np.float32)
    layer, head = map(int, np.unravel_index(int(scores.argmax()), scores.shape))
    return FamilyAttention(
        rows=rows, columns=columns, weights=weights, mask=mask, truth=truth, scores=scores, best=(layer, head)
    )


class FamilyAttentions(Result):
    """All attention of the three families on one question."""

    maps: dict[str, FamilyAttention]  # for each of `ATTENTION_MODULES`

    def table(self) -> Table:
        maps = self.maps.values()
        return {
            LABELS["map"]: list(self.maps),
            LABELS["layers"]: [one.weights.shape[0] for one in maps],
            LABELS["rows"]: [len(one.rows) for one in maps],
            LABELS["columns"]: [len(one.columns) for one in maps],
            LABELS["readable_cells"]: [int(one.mask.sum()) for one in maps],
            LABELS["best_weight"]: [float(one.scores.max()) for one in maps],
        }


def decoder_attention(decoder: DecoderFamily, walk: Walk, task: str) -> FamilyAttention:
    """Return the decoder's attention over walk, question and its own answer."""
    read = decoder_input(walk, task)
    ids = [*read, *walks.encode(decoder.answers([walk], task)[0])]
    words, n = _words(ids), len(ids)
    truth = _truth((n, n), walk, task, first=(len(read) - 1, 0))  # the row before a word predicts it
    return _score_attention(
        words, words, _weights(decoder.model, ATTENTION_MODULES["decoder"], ids), causal(n).numpy(), truth
    )


def encoder_attention(encoder: EncoderFamily, walk: Walk, task: str) -> FamilyAttention:
    """Return the encoder's attention in its last pass: for "continue", all masks but one are filled by then."""
    is_filling = task == "continue"
    filled = walks.encode(encoder.answers([walk], task)[0])[:-1] if is_filling else []
    ids = encoder_input(walk, task, filled)
    words, n = _words(ids), len(ids)
    truth = _truth((n, n), walk, task, first=(1 + len(walk.things) * is_filling, 1))
    return _score_attention(
        words, words, _weights(encoder.models[task], ATTENTION_MODULES["encoder"], ids), full(n).numpy(), truth
    )


def encoder_decoder_attention(both: EncoderDecoderFamily, walk: Walk, task: str) -> dict[str, FamilyAttention]:
    """Return the encoder's attention, the decoder's over its answer ("target"), and the cross-attention."""
    source = encoder_decoder_input(walk, task)
    target = [walks.START, *walks.encode(both.answers([walk], task)[0])]
    m, n = len(source), len(target)
    reads, writes = _words(source), _words(target)
    inside, own, cross = (
        _weights(both.model, ATTENTION_MODULES[part], source, target) for part in ("source", "target", "cross")
    )
    truth = _truth((n, m), walk, task, first=(0, 1))
    return {
        "source": _score_attention(reads, reads, inside, full(m).numpy(), np.zeros((m, m), bool)),
        "target": _score_attention(writes, writes, own, causal(n).numpy(), np.zeros((n, n), bool)),
        "cross": _score_attention(writes, reads, cross, full(n, m).numpy(), truth),
    }


def _truth(shape: tuple[int, int], walk: Walk, task: str, first: tuple[int, int]) -> NDArray[np.bool_]:
    """Return a matrix that is True at the thing that each word of the answer comes from.

    The first word is predicted in row `first[0]`; the first thing is in column `first[1]`.
    """
    truth, (row, column) = np.zeros(shape, bool), first
    for place, source in enumerate(_sources(walk, task)[: shape[0] - row]):
        truth[row + place, column + source] = True
    return truth


def _sources(walk: Walk, task: str) -> list[int]:
    """Return, for each word of the right answer, the index of the thing in the walk that it comes from."""
    n = len(walk.things)
    if task == "continue":
        return [i % n for i in range(walks.N_NEXT)]
    if task == "translate":
        return [i for i in reversed(range(n)) for _ in FRENCH[walk.things[i]]]
    return []


def _weights(model: nn.Module, part: str, *texts: Sequence[int]) -> NDArray[np.float32]:
    """Return the attention weights (L, H, T, S) of one pass."""
    with torch.no_grad(), Trace(model) as trace:
        model(*(torch.tensor([ids]) for ids in texts))
    names = takewhile(trace.__contains__, map(f"{part}.weights".format, count()))
    return torch.stack([trace[name][0] for name in names]).numpy()


def _words(ids: Sequence[int]) -> tuple[str, ...]:
    return tuple(WORDS[i] for i in ids)


CODE = (decoder_attention, encoder_attention, encoder_decoder_attention)


def compute(inputs: Inputs, run: ExperimentRun) -> FamilyAttentions:
    """Return all attention of the three families on one question."""
    walk, three, task = walk_of(inputs.walk), cached_families(run), inputs.task
    if not walk.things:
        raise NothingToShow(LABELS["no_things"])
    one, other = decoder_attention(three.decoder, walk, task), encoder_attention(three.encoder, walk, task)
    both = encoder_decoder_attention(three.encoder_decoder, walk, task)
    return FamilyAttentions(maps={"decoder": one, "encoder": other} | both)


def draw(result: FamilyAttentions, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw a map for each of the three; with more depth, also the two inside the encoder-decoder."""
    ui.add_template_values(head=ui.for_each_option(str, inputs.head))
    for place, name in zip(ui.st.columns(3, gap="small"), ("decoder", "encoder", "cross"), strict=True):
        with place:
            _map(result, name, inputs, run)
    if ui.depth_at_least("numbers"):
        for place, name in zip(ui.two_columns("reads-sides"), ("source", "target"), strict=True):
            with place:
                _map(result, name, inputs, run)


def _map(result: FamilyAttentions, name: str, inputs: Inputs, run: ExperimentRun) -> None:
    one = result.maps[name]
    has_truth, title = bool(one.truth.any()), ui.section_text(name)
    # The mean of all heads is not a tensor of a model, so it has no layer, head or badge.
    at = ui.for_each_option(lambda head: None if head == "mean" else one.place_of(head), inputs.head)
    which = ui.for_each_option(lambda head: _head_title(one, head), inputs.head)
    share = ui.map_choices(lambda at: one.scores.mean() if at is None else one.scores[at], at)
    rings = ui.map_choices(lambda share: ui.section_text("rings", share=share) if has_truth else "", share)
    may = LABELS("may_read", n=int(one.mask.sum()), total=one.mask.size)
    ui.matrix(
        ui.pad_stack(ui.map_choices(lambda at: one.weights.mean((0, 1)) if at is None else one.weights[at], at)),
        rows=one.rows,
        columns=one.columns,
        key=f"reads-{name}-{inputs.task}-{len(one.rows)}-{len(one.columns)}",
        mask=one.mask,
        truth=one.truth if has_truth else None,
        truth_title=LABELS["truth"],
        label=ui.map_choices(lambda which: LABELS("map_title", title=title, head=which), which),
        takeaway=ui.map_choices(
            lambda which, rings: LABELS("map_takeaway", title=title, head=which, cells=may, rings=rings).strip(),
            which,
            rings,
        ),
        height=200,
        badge=ui.map_choices(lambda at: None if at is None else _badge(result, name, inputs.task, run, *at), at),
    )
    if has_truth:
        ui.show_text_section("share", rings=rings)


def _head_title(one: FamilyAttention, head: str) -> str:
    if head == "mean":
        return LABELS["mean_of_heads"]
    layer, number = one.place_of(head)
    return LABELS("best_head" if head == "best" and one.truth.any() else "head_number", layer=layer, head=number)


def _badge(
    result: FamilyAttentions, name: str, task: str, run: ExperimentRun, layer: int, number: int
) -> "ui.ProvenanceBadge":
    three, is_alone = cached_families(run), name in ("decoder", "encoder")
    models: dict[str, nn.Module] = {"decoder": three.decoder.model, "encoder": three.encoder.models[task]}
    texts = {"ids": name} if is_alone else {"source": "source", "target_in": "target"}
    return ui.badges.run_tensor_badge(
        run,
        models.get(name, three.encoder_decoder.model),
        f"{ATTENTION_MODULES[name].format(layer)}.weights",
        (number, "row", "column"),
        result.maps[name].weights[layer],
        MODEL_NAMES[name if is_alone else "encoder_decoder"],
        **{argument: walks.encode(result.maps[text].rows) for argument, text in texts.items()},
    )
