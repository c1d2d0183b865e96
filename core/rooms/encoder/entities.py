"""Named entities: a label for each word, learned live."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import entities as data
from core.data.synthetic.entities import KINDS, LABELS as ENTITY_LABELS, SHORT_LABELS, WORDS
from core.exhibit import Inputs as Base, Result, Table, seed, select, text_input
from core.models.bert import TokenClassificationHead
from core.rooms.encoder.compute.finetune import token_label_loss, word_label_probabilities
from core.rooms.encoder.experiments import entities as task
from core.rooms.encoder.inputs import OWN_REVIEW_CHOICE
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "entities"
COLORS = ("blue", "green", "orange")  # for person, place, organization
SENTENCES = (
    "Paris ate soup in Jordan.", "Jordan works for Paris Bank in Sydney.", "In Paris Paris met Paris.",
    "Yesterday Glassformer flew to Rome.",
)  # fmt: skip
OWN_SENTENCE = "Victoria met John Lincoln near Chelsea."
CODE = (
    TokenClassificationHead.forward,
    token_label_loss,
    task.Entities,
    data.entity_spans,
    data.score_entities,
    data.learn_word_labels,
)


def note_unknown_words(name: str, typed: str, _: object) -> None:
    """Say which words the model doesn't know."""
    known = WORDS.words[: WORDS.n_plain]
    ui.warn_unknown_words(
        [word for word in WORDS.split(typed) if word.lower() not in known], name, typed, data.DISPLAY_WORDS
    )


def _is_own(inputs: "Inputs") -> bool:
    return bool(inputs.sentence == OWN_REVIEW_CHOICE)


class Inputs(Base, prefix="entity_"):
    seed: int = seed()
    n_layer: int = task.Options.control("n_layer")
    sentence: str = select((*SENTENCES, OWN_REVIEW_CHOICE), SENTENCES[0], heading="")
    text: str = text_input(OWN_SENTENCE, max_chars=200, notes=note_unknown_words, when=_is_own)


class LabeledSentence(Result):
    """The run, and the labels of one sentence."""

    run: ExperimentRun  # the experiment's run
    words: tuple[str, ...]  # (T,) words of the sentence; empty if it has none
    p: NDArray[np.float32]  # (T, C) a probability for each label

    def table(self) -> Table:
        """Return one row for each word with its most probable label; without a sentence, F1 step by step."""
        if not self.words:
            return {LABELS["step"]: self.run.record["step"].tolist(), "F1": self.run.record["curve.f1"].tolist()}
        labels = [ENTITY_LABELS[i] for i in self.p.argmax(-1)]
        return {
            LABELS["word"]: list(self.words),
            LABELS["label"]: labels,
            LABELS["probability"]: self.p.max(-1).tolist(),
        }


def compute(inputs: Inputs, run: ExperimentRun) -> LabeledSentence:
    """Compute the label probabilities of each word."""
    words = data.tokenize_sentence(inputs.text if _is_own(inputs) else inputs.sentence)
    if not any(word.isalnum() for word in words):
        return LabeledSentence(run=run, words=(), p=np.empty((0, len(ENTITY_LABELS)), np.float32))
    model = task.recorded_tagger(run.record, int(run.options["n_layer"]))
    return LabeledSentence(run=run, words=tuple(words), p=word_label_probabilities(model, WORDS.encode(words)))


def draw(result: LabeledSentence, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the labels of the chosen sentence and, in Numbers, the training curve and the confusions."""
    if result.words:
        ui.show_markdown(_color_entities(result.words, result.p.argmax(-1).tolist()))
        how: Any = {"row_title": LABELS["label_axis"], "column_title": LABELS["word"], "height": 190}
        how["value_title"] = LABELS["probability"]
        label = LABELS["probabilities"]
        ui.matrix(result.p.T, rows=SHORT_LABELS, columns=result.words, key="entity-labels", label=label, **how)
    ui.add_template_values(counts=run.record["confusion"].sum(1).tolist())
    if ui.depth_at_least("numbers"):
        _training(run)


def _training(run: ExperimentRun) -> None:
    """Draw the training curve, and the confusion matrices of the model and of the best list of names."""
    titles = {"confusion": LABELS["confusions.encoder"], "list.confusion": LABELS["confusions.list"]}
    for place, (name, title) in zip(ui.two_columns("entity-confusion"), titles.items(), strict=True):
        counts = run.record[name]
        shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
        takeaway = LABELS("takeaway", share=float(np.trace(counts) / max(1, counts.sum())))
        how: Any = {
            "row_title": LABELS["truth_axis"],
            "column_title": LABELS["answer_axis"],
            "value_title": LABELS["row_share"],
        }
        how |= {"label": title, "takeaway": takeaway, "height": 300}
        with place:
            ui.matrix(shares, rows=SHORT_LABELS, columns=SHORT_LABELS, key=f"entity-{name}", **how)
    ui.curves(
        {LABELS["encoder"]: (run.record["step"], run.record["curve.f1"])},
        n_step=run.n_step,
        y=ui.Axis(LABELS["f1_axis"], (0, 1.05)),
        references={LABELS["list"]: float(run.record["list.f1"])},
        height=220,
    )


def _color_entities(words: Sequence[str], labels: list[int]) -> str:
    """Return the sentence as Markdown, with each entity on the color of its kind, followed by the kind's name."""
    told: list[str] = []
    at = 0
    for start, end, kind in sorted(data.entity_spans(labels)):
        told += map(ui.escape_markdown, words[at:start])
        name = ui.escape_markdown(" ".join(words[start:end]))
        told.append(f":{COLORS[kind]}-background[**{name}** {KINDS[kind]}]")
        at = end
    return " ".join([*told, *map(ui.escape_markdown, words[at:])])
