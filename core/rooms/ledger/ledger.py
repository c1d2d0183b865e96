"""The chain-rule ledger: one sentence, each model's loss for each of its tokens, and the reasons."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.browser.message_packing import as_levels
from core.data.localization.labels import module_labels
from core.data.tokenizers import known_word_normalization
from core.data.tokenizers.known_word_normalization import RecasedText
from core.exhibit import Inputs as Base, NothingToShow, Result, Table, memoize, seed, segmented_control, text_input
from core.models.ngram import NGram, Smoothing
from core.rooms.ledger.compute import ledger as computing
from core.rooms.ledger.compute.ledger import LedgerRow
from core.rooms.ledger.experiments import ledger as water, ledger_topics as topics
from core.train.experiment import rebuild_model, tokenizer_of
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

MOST_TOKENS = 48  # this many columns can still be read by scrolling
WATER, TOPICS = "water", "topics"
STEPS = {source: {n: f"{n:,}" for n in steps} for source, steps in ((WATER, (300, 1_500)), (TOPICS, (600, 2_000)))}
COURAGE_SENTENCE = "It takes great courage to let yourself appear weak."
OWN_DEFAULT_SENTENCE = "I poured water from the jug into the vase until it was full. It is the vase."
ORDERS = (1, 2, 3, 4, 5)
NETS = {"gru": "GRU", "gpt": "GPT"}
STORY_NGRAMS = {WATER: "5-gram", TOPICS: "4-gram"}  # the one n-gram next to the nets, below the depth Numbers
LN8 = float(np.log(8))
EXPERIMENT = lambda i: "ledger" if i.source == WATER else "ledger-topics"  # noqa: E731
CODE = (computing.look_up_counts, computing.predict_sentence, NGram.log_probs, water.Ledger)


class Inputs(Base, prefix="ledger_"):
    sentence: str = segmented_control(("bottle", "courage", "own"), "bottle")
    ending: str = segmented_control(("full", "empty"), "full", heading="", when=lambda i: i.sentence == "bottle")
    answer: str = segmented_control(("cup", "bottle"), "cup", when=lambda i: i.sentence == "bottle")
    source: str = segmented_control(
        (WATER, TOPICS),
        lambda i: TOPICS if i.sentence == "courage" else WATER,
        heading="",
        when=lambda i: i.sentence == "own",
    )
    own_water: str = text_input(
        OWN_DEFAULT_SENTENCE, max_chars=200, when=lambda i: i.sentence == "own" and i.source == WATER
    )
    own_topics: str = text_input(
        COURAGE_SENTENCE, max_chars=200, when=lambda i: i.sentence == "own" and i.source == TOPICS
    )
    smoothing: Smoothing = segmented_control(("mle", "laplace", "interpolated"), "interpolated", heading="")
    steps_water: int = segmented_control(STEPS[WATER], 300, when=lambda i: i.source == WATER)
    n_step: int = segmented_control(
        lambda i: STEPS[i.source],
        lambda i: i.steps_water if i.source == WATER else 600,
        name="ledger_steps_topics",
        when=lambda i: i.source == TOPICS,
    )
    seed: int = seed()

    @property
    def text(self) -> str:
        if self.sentence == "bottle":
            return f"I poured water from the bottle into the cup until it was {self.ending}. It is the {self.answer}."
        return self.own_water if self.source == WATER else self.own_topics


class LedgerResult(Result):
    """One sentence under all models."""

    rows: tuple[LedgerRow, ...]  # uniform, 1- to 5-gram, GRU and GPT
    losses: dict[str, NDArray[np.float64]]  # model -> (T,) nats of each token
    tokens: tuple[str, ...]  # the start and the sentence
    noun: str  # the last one of the bottle sentence; "" for any other sentence
    n_piece: int  # tokens of the whole sentence
    most: int  # the most tokens that are used
    read: RecasedText  # the sentence with words in the case that the models know, and the unknown words
    known: tuple[str, ...]  # all words that they know
    vocabulary: tuple[str, ...]  # all tokens
    is_same_text: bool  # True if the nets were trained on the version of the text on this machine

    @property
    def of_noun(self) -> dict[str, float]:
        return {name: float(losses[water.ANSWER_POSITION]) for name, losses in self.losses.items()}

    def noticed_by(self, other: "LedgerResult") -> list[str]:
        """Return the models for which the noun's loss differs by more than half a nat in another sentence."""
        return [name for name, loss in self.of_noun.items() if abs(loss - other.of_noun[name]) > 0.5]

    @property
    def formula(self) -> str:
        sentence, nats = LABELS["formula.sentence"], LABELS["formula.nats"]
        return rf"-\ln p(\text{{{sentence}}}) = {self.rows[-1].nats:.2f}\ \text{{{nats}}}"

    def table(self) -> Table:
        return {LABELS["token"]: list(self.tokens[1:])} | {row.label: row.p.tolist() for row in self.rows}


@memoize(8)
def training_text_of(source: str, run: ExperimentRun) -> Any:
    """Return the training and evaluation text; a real text is tokenized by the nets' own tokenizer."""
    return water.bottle_text(run.seed) if source == WATER else topics.topics_text(tokenizer_of(run.record))


@memoize(8)
def fitted_ngrams(source: str, run: ExperimentRun, smoothing: Smoothing) -> list[tuple[NGram, float]]:
    """Return an n-gram model of each order, fitted to the training text, and its mean nats per held-out token."""
    given = training_text_of(source, run)
    models = [NGram(order, given.tokenizer.vocab_size, smoothing).fit(given.ids) for order in ORDERS]
    judged = (given.held,) if source == WATER else (given.held, given.places)
    return [(model, computing.ngram_nats(model, *judged)) for model in models]


@memoize(8)
def trained_nets(source: str, run: ExperimentRun) -> dict[str, tuple[Any, float]]:
    """Return each net with its trained weights, and its mean nats per held-out token."""
    given, module = training_text_of(source, run), water if source == WATER else topics
    size = given.tokenizer.vocab_size
    models = {net: rebuild_model(run.record, net, module.config(net, size)).float() for net in NETS}
    judged = (given.held, 0) if source == WATER else (given.windows, topics.SIZES.context_length // 2)
    return {
        net: (model, computing.net_nats(model, torch.tensor(judged[0]), judged[1])) for net, model in models.items()
    }


def compute(inputs: Inputs, run: ExperimentRun) -> LedgerResult:
    """Compute each model's probability of each token of the sentence, given all tokens before it."""
    source, given = inputs.source, training_text_of(inputs.source, run)
    tokenizer, size = given.tokenizer, given.tokenizer.vocab_size
    read = known_word_normalization.recase_words_to_vocabulary(tokenizer, inputs.text.strip())
    pieces, most = tokenizer.encode(read.text), water.N_TOKEN if source == WATER else MOST_TOKENS
    if not pieces:
        raise NothingToShow(LABELS["no_sentence"])
    ids = np.array([*tokenizer.encode(water.START_TEXT), *pieces[-most:]])
    rows = [LedgerRow("uniform", "uniform", np.full(len(ids) - 1, 1 / size), float(np.log(size)))]
    for model, mean in fitted_ngrams(source, run, inputs.smoothing):
        counts = computing.look_up_counts(model, ids)
        rows.append(LedgerRow(f"{model.order}-gram", "ngram", counts.p, mean, order=model.order, counts=counts))
    for net, (model, mean) in trained_nets(source, run).items():
        guesses = computing.predict_sentence(model, ids)
        rows.append(LedgerRow(NETS[net], net, guesses.p, mean, guesses=guesses, width=model.config.d_model))
    tokens = tuple(tokenizer.tokens(ids.tolist()))
    return LedgerResult(
        rows=tuple(rows),
        losses={row.name: row.losses for row in rows},
        tokens=tokens,
        noun=tokens[water.ANSWER_POSITION + 1].strip() if inputs.sentence == "bottle" else "",
        n_piece=len(pieces),
        most=most,
        read=read,
        known=known_word_normalization.vocabulary_without_unknown(tokenizer) or (),
        vocabulary=tuple(tokenizer.tokens(range(size))),
        is_same_text=source == WATER or bool((topics.text_digest(given) == run.record["digest"]).all()),
    )


def draw(result: LedgerResult, inputs: Inputs, run: ExperimentRun) -> None:
    field, read = f"ledger_own_{inputs.source}" if inputs.sentence == "own" else "", result.read
    ui.warn_unknown_words(
        read.unknown,
        field,
        inputs.text,
        result.known,
        ui.section_text("unknown"),
        changed=read.changed,
        readers="models",
    )
    rows = [row for row in result.rows if row.name in (STORY_NGRAMS[inputs.source], *NETS.values())]
    if ui.depth_at_least("numbers"):
        rows = [*result.rows]
    sentence, learning = ui.st.tabs([LABELS["sentence_tab"], LABELS["learning_tab"]])
    with sentence:
        _sentence(result, inputs, rows)
    with learning:
        _curves(result, inputs, run)
    ui.add_template_values(unit=ui.unit_suffix(LABELS["nats"]), ln8=LN8)


def _sentence(result: LedgerResult, inputs: Inputs, rows: Sequence[LedgerRow]) -> None:
    ui.mount_widget(
        "ledger",
        **_pack_ledger_rows(rows, result.tokens, result.vocabulary),
        smoothing=inputs.smoothing,
        selected=[len(rows) - 1, min(water.ANSWER_POSITION if inputs.source == WATER else 5, len(result.tokens) - 2)],
        mean_title=LABELS["mean"],
        plain=not ui.depth_at_least("numbers"),
        label=LABELS["probabilities"],
        takeaway=ui.section_text("takeaway", title=ui.quantity_label(LABELS["sentence_loss"], LABELS["nats"])),
        key=f"ledger-{inputs.source}",
    )


def _pack_ledger_rows(rows: Sequence[LedgerRow], tokens: Sequence[str], vocabulary: Sequence[str]) -> dict[str, Any]:
    """Pack the rows for the browser; the last one is the GPT, whose attention is drawn.

    Args:
        rows: with T probabilities each.
        tokens: T + 1, the start token first.
    """
    guesses = rows[-1].guesses
    assert guesses is not None and guesses.weights is not None
    return {
        "weights": as_levels(guesses.weights),
        "head": f"{len(guesses.weights) - 1}.mean",
        "tokens": list(tokens),
        "vocab": len(vocabulary),
        "rows": [_row(row, vocabulary) for row in rows],
    }


def _row(row: LedgerRow, vocabulary: Sequence[str]) -> dict[str, object]:
    told = {"name": row.label, "kind": row.kind, "order": row.order, "p": row.p.tolist()}
    told["mean"] = row.mean if math.isfinite(row.mean) else None
    told["width"] = row.width
    if row.counts is not None:
        told |= {name: getattr(row.counts, name).tolist() for name in ("context", "count", "total", "types", "lower")}
    if row.guesses is not None:
        told["top"] = [[vocabulary[i] for i in ids] for ids in row.guesses.top]
        told["top_p"] = row.guesses.top_p.tolist()
    return told


def _curves(result: LedgerResult, inputs: Inputs, run: ExperimentRun) -> None:
    step, record = run.record["step"], run.record
    names = {"gpt": "GPT", "gru": "GRU"}
    if inputs.source == WATER:
        curves = {
            label: (step, record[f"curve.{net}.{part}"])
            for net, name in names.items()
            for part, label in (("held", LABELS("new_pairs", net=name)), ("train", LABELS("trained", net=name)))
        }
        lines, y_title = {LABELS["blind"]: LN8}, ui.quantity_label(LABELS["noun_loss"], LABELS["nats"])
    else:
        curves = {name: (step, record[f"curve.{net}"]) for net, name in names.items()}
        lines = {row.label: row.mean for row in result.rows if row.order in (2, 4)}  # the others are too close
        y_title = LABELS["held_out_nats" if ui.depth_at_least("numbers") else "held_out_loss"]
    part = ".held" if inputs.source == WATER else ""
    now = {name: record[f"curve.{net}{part}"][-1] for net, name in names.items()}
    alt = ui.section_text("now", now=now, step=run.step)
    ui.curves(curves, n_step=run.n_step, y=y_title, references=lines, height=260, alt=alt)
