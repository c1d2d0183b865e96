"""Both directions or one: an encoder and a decoder predict the same gap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import masked_stories
from core.data.synthetic.masked_stories import StoryVocabulary
from core.exhibit import (
    Inputs as Base,
    Result,
    Table,
    ViewChoice,
    memoize,
    segmented_control,
    slider,
    text_input,
    toggle,
)
from core.inspect.attention_record import stack_layers
from core.inspect.gaps import fill_gaps
from core.models.bert import BERT
from core.models.gpt import GPT
from core.nn.masks import causal, causal as causal_mask
from core.nn.tap import Edit, Trace
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.experiments.masked import EncoderAndTwin
from core.rooms.encoder.inputs import MAX_MODELS, STORY, last_gap, note_story, story_ids, trained_pair
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

MODEL_NAMES = ("encoder", "encoder, causal mask", "decoder")
HIDING_PREPOSITIONS = ("under", "behind", "in", "near")  # the first words of hiding places


@dataclass(frozen=True)
class GapQuestions:
    """Rows with one gap each, whose answer can only be inferred from the words after it."""

    ids: NDArray[np.int64]  # (N, T) the complete rows, padded
    readable: NDArray[np.bool_]  # (N, T) True where there is a token
    place: NDArray[np.int64]  # (N,) position of the gap

    @property
    def truth(self) -> NDArray[np.int64]:
        """The word in the gap (N,)."""
        answers: NDArray[np.int64] = self.ids[np.arange(len(self.ids)), self.place]
        return answers

    @property
    def from_the_left(self) -> float:
        """The mean probability that the best model of the left side gives to the true word.

        If the left side carries no information, such a model can only use the frequency of each answer, so the mean is
        sum p^2.
        """
        _, counts = np.unique(self.truth, return_counts=True)
        shares = counts / counts.sum()
        return float((shares**2).sum())


@dataclass(frozen=True)
class GapResults:
    """Results over all gaps of one kind."""

    n: int  # gaps
    chances: tuple[float, ...]  # mean probability of the true word, for each of `MODEL_NAMES`
    right: tuple[float, ...]  # accuracy, for each of `MODEL_NAMES`
    from_the_left: float  # the true word's mean probability under the best model of the left side


def find_gap_questions(stories: Sequence[str], words: StoryVocabulary, length: int) -> dict[str, GapQuestions]:
    """Return gaps in the stories that only a later word can resolve, by kind.

    "place": the first word of a hiding place when it is first mentioned ("hid *under* the tree"); "article": a or an,
    before the food that an animal wants ("wanted *an* apple"); "animal": the animal in the third word of a story ("A
    small *dog* lived"), which is named again a sentence later.
    """
    found: dict[str, list[tuple[list[int], int]]] = {"place": [], "article": [], "animal": []}
    hid, put, it, wanted, lived = (words.encode(word)[0] for word in ("hid", "put", "it", "wanted", "lived"))
    articles = {words.encode(word)[0] for word in ("a", "an")}
    prepositions = {words.encode(word)[0] for word in HIDING_PREPOSITIONS}
    for story in stories:
        row = [words.class_id, *words.encode(story)][:length]
        for i in range(2, len(row) - 2):
            before = row[i - 1]
            if row[i] in prepositions and (before == hid or (before == it and row[i - 2] == put)):
                found["place"].append((row, i))
                break
            if row[i] in articles and before == wanted:
                found["article"].append((row, i))
            if i == 3 and row[4] == lived:
                found["animal"].append((row, i))
    return {name: _rows(rows, words.pad_id, length) for name, rows in found.items()}


def make_gap(ids: Sequence[int], place: int) -> GapQuestions:
    """Return the user's own text with one gap."""
    row = np.array([list(ids)], np.int64)
    return GapQuestions(row, np.ones_like(row, dtype=bool), np.array([place]))


@torch.no_grad()
def encoder_probabilities(
    model: BERT, asked: GapQuestions, mask_id: int, is_causal: bool = False
) -> NDArray[np.float32]:
    """Return the encoder's probabilities in the gaps (N, V); `is_causal` hides its right side."""
    rows = torch.from_numpy(asked.ids).clone()
    each, place = torch.arange(len(rows)), torch.from_numpy(asked.place)
    rows[each, place] = mask_id
    with Trace(model, edits=causal_edits(model) if is_causal else {}, keep=("logits",)):
        logits = model(rows, torch.from_numpy(asked.readable))
    probabilities: NDArray[np.float32] = logits[each, place].softmax(-1).numpy()
    return probabilities


@torch.no_grad()
def decoder_probabilities(model: GPT, asked: GapQuestions) -> NDArray[np.float32]:
    """Return the decoder's probabilities of the word after the left side of the gaps (N, V)."""
    logits = model(torch.from_numpy(asked.ids))
    place = torch.from_numpy(asked.place)
    probabilities: NDArray[np.float32] = logits[torch.arange(len(place)), place - 1].softmax(-1).numpy()
    return probabilities


@torch.no_grad()
def decoder_trial_probabilities(model: GPT, ids: Sequence[int], place: int, n_plain: int) -> NDArray[np.float64]:
    """Return P(text with w) over all w, by running the decoder once for each word w in the gap (V,).

    A decoder assigns a probability to every text, so it can use the right side too, at the price of a pass per word.
    """
    rows = torch.tensor([list(ids)]).repeat(n_plain, 1)
    rows[:, place] = torch.arange(n_plain)
    log_p = model(rows[:, :-1]).log_softmax(-1).gather(-1, rows[:, 1:, None])[..., 0].sum(-1)  # (V,)
    chances: NDArray[np.float64] = log_p.double().softmax(0).numpy()
    return chances


def measure_gaps(
    encoder: BERT, decoder: GPT, words: StoryVocabulary, stories: Sequence[str], length: int
) -> dict[str, GapResults]:
    """Evaluate all kinds of gaps with the encoder, the encoder with its right side hidden, and the decoder."""
    found = {}
    for name, asked in find_gap_questions(stories, words, length).items():
        said = (
            encoder_probabilities(encoder, asked, words.mask_id),
            encoder_probabilities(encoder, asked, words.mask_id, is_causal=True),
            decoder_probabilities(decoder, asked),
        )
        each = np.arange(len(asked.truth))
        found[name] = GapResults(
            len(each),
            tuple(float(one[each, asked.truth].mean()) for one in said),
            tuple(float((one.argmax(1) == asked.truth).mean()) for one in said),
            asked.from_the_left,
        )
    return found


@torch.no_grad()
def attention_maps(
    encoder: BERT, decoder: GPT, ids: Sequence[int], gap: int, mask_id: int, is_causal: bool = False
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the attention of both models on one text, each (L, H, T, T), with 0 where attention is masked.

    The encoder reads the mask token in the gap, the decoder the text.
    """
    row = torch.tensor([list(ids)])
    masked = row.clone()
    masked[0, gap] = mask_id
    with Trace(encoder, edits=causal_edits(encoder) if is_causal else {}, keep=("attn.weights",)) as one:
        encoder(masked)
    with Trace(decoder, keep=("attn.weights",)) as other:
        decoder(row)
    return stack_layers(one, "attn.weights"), stack_layers(other, "attn.weights")


def causal_edits(model: BERT) -> Mapping[str, Edit]:
    """Return edits that hide the right side from an encoder by setting the scores of later positions to the minimum."""

    def hide(scores: Tensor) -> Tensor:
        later = ~causal(scores.shape[-1], device=scores.device)
        return scores.masked_fill(later, torch.finfo(scores.dtype).min)

    return {f"blocks.{i}.attn.scores": hide for i in range(len(model.blocks))}


def _rows(found: Sequence[tuple[list[int], int]], pad_id: int, length: int) -> GapQuestions:
    ids = np.full((len(found), length), pad_id, np.int64)
    for row, (tokens, _) in zip(ids, found, strict=True):
        row[: len(tokens)] = tokens
    return GapQuestions(ids, ids != pad_id, np.array([place for _, place in found], np.int64))


TRAINED = "masked"
HIDING_STORY = "Mia hid under the tree. Tom looked in the box. No Mia!"
KINDS = {"place": "hid [under] the tree", "article": "wanted [an] apple", "animal": "A small [dog] lived"}
SHOWN_NAMES = {
    "encoder": LABELS["name.encoder"],
    "encoder, causal mask": LABELS["name.causal_encoder"],
    "decoder": LABELS["name.decoder"],
    "decoder, every word tried": LABELS["name.trying_decoder"],
}
CODE = (encoder_probabilities, decoder_probabilities, decoder_trial_probabilities, causal_edits, causal_mask)


class Inputs(Base, prefix="dir_"):
    text: str = text_input(HIDING_STORY, max_chars=400, notes=note_story, label=STORY)
    gap: int = slider(1, last_gap, 3, heading="")  # "under"
    head: str = segmented_control(
        [f"{layer}.{head}" for layer in range(2) for head in range(2)], "1.1", view=ViewChoice()
    )
    causal: bool = toggle()


class GapComparison(Result):
    """The answers of both models to one gap, and to many."""

    models: EncoderAndTwin  # the encoder and the decoder
    ids: tuple[int, ...]  # (T,) ids of the text
    gap: int  # position of the gap
    encoder: NDArray[np.float32]  # encoder, decoder: (L, H, T, T) their attention weights
    decoder: NDArray[np.float32]
    # model -> (V,) probabilities in the gap: each of `MODEL_NAMES`, and the decoder that tries all words
    answers: Mapping[str, NDArray[np.floating]]
    many: Mapping[str, GapResults]  # all gaps of each kind in the held-out stories

    tokens: list[str]  # (T,)
    hidden: list[int]  # (T,) the ids that the encoder reads
    from_the_right: float  # weight of the gap's row on later positions, mean over the encoder's heads

    def top(self, who: str, n: int = 3) -> list[tuple[str, float]]:
        """Return the most probable words with their probabilities."""
        chances = self.answers[who]
        order = np.argsort(-chances[: self.models.words.n_plain], kind="stable")[:n]
        return [(word, float(p)) for word, p in zip(self.models.words.labels(order), chances[order], strict=True)]

    def of_truth(self, who: str) -> float:
        """Return the probability of the true word."""
        chances, truth = self.answers[who], self.ids[self.gap]
        return float(chances[truth]) if truth < len(chances) else 0.0

    def table(self) -> Table:
        """Return one row for each kind of gap and each of `MODEL_NAMES`."""
        return {
            LABELS["gap_kind"]: [name for name in self.many for _ in MODEL_NAMES],
            LABELS["who"]: [SHOWN_NAMES[who] for _ in self.many for who in MODEL_NAMES],
            LABELS["probability"]: [p for one in self.many.values() for p in one.chances],
            LABELS["right"]: [p for one in self.many.values() for p in one.right],
        }


@memoize(MAX_MODELS)
def cached_gap_results(run: ExperimentRun) -> dict[str, GapResults]:
    """Evaluate gaps that only a later word can resolve, in stories that neither model was trained on."""
    models = trained_pair(run)
    return measure_gaps(models.bert, models.twin, models.words, masked_stories.story_texts()[1], task.LENGTH)


def compute(inputs: Inputs, run: ExperimentRun) -> GapComparison:
    """Predict one gap with the encoder, the encoder with its right side hidden, and the decoder."""
    models, ids, gap = trained_pair(run), story_ids(inputs.text), inputs.gap
    bert, twin, mask_id = models.bert, models.twin, models.words.mask_id
    asked = make_gap(ids, gap)
    answers = {
        MODEL_NAMES[0]: fill_gaps(bert, ids, [gap], mask_id)[gap],
        MODEL_NAMES[1]: encoder_probabilities(bert, asked, mask_id, is_causal=True)[0],
        MODEL_NAMES[2]: decoder_probabilities(twin, asked)[0],
        "decoder, every word tried": decoder_trial_probabilities(twin, ids, gap, models.words.n_plain),
    }
    encoder, decoder = attention_maps(bert, twin, ids, gap, mask_id, inputs.causal)
    return GapComparison(
        models=models,
        ids=ids,
        gap=gap,
        encoder=encoder,
        decoder=decoder,
        answers=answers,
        many=cached_gap_results(run),
        tokens=models.words.labels(ids),
        hidden=[*ids[:gap], mask_id, *ids[gap + 1 :]],
        from_the_right=float(encoder[:, :, gap, gap + 1 :].sum(-1).mean()),
    )


def draw(result: GapComparison, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw both attention maps for one gap and, in Numbers, the results over many gaps of the held-out stories."""
    ui.add_template_values(names=SHOWN_NAMES)
    models, gap, triangle = result.models, result.gap, causal_mask(len(result.ids)).numpy()
    left, right = ui.two_columns("dir-maps")
    mask = triangle if inputs.causal else None
    for place, who, model, ids, weights, row, seen in (
        (left, "encoder", models.bert, result.hidden, result.encoder, gap, mask),
        (right, "decoder", models.twin, list(result.ids), result.decoder, gap - 1, triangle),
    ):
        tokens, at = models.words.labels(ids), ui.for_each_option(_place_of, inputs.head)
        most = ui.map_choices(lambda at, weights=weights, row=row: int(weights[*at, row].argmax()), at)
        takeaway = ui.map_choices(
            lambda one, who=who, tokens=tokens: ui.section_text(f"{who}-takeaway", most=tokens[one]), most
        )
        blinded = {"mask": mask} if who == "encoder" else {}
        badge = ui.map_choices(partial(_badge, run, model, who, weights, {"ids": ids, **blinded}), at)
        how = {"label": ui.section_text(who), "takeaway": takeaway, "height": 300}
        how |= {"rows": tokens, "columns": tokens, "mask": seen, "selected": (row, most), "badge": badge}
        with place:
            ui.matrix(ui.pad_stack(ui.map_choices(weights.__getitem__, at)), key=f"dir-{who}", **how)
    if ui.depth_at_least("numbers"):
        _many(result)


def _place_of(head: str) -> tuple[int, int]:
    """Return (layer, head) of a head's name."""
    layer, number = map(int, head.split("."))
    return layer, number


def _badge(
    run: ExperimentRun,
    model: nn.Module,
    who: str,
    weights: NDArray[np.float32],
    read: Mapping[str, object],
    at: tuple[int, int],
) -> "ui.ProvenanceBadge":
    """Return the badge with the source of a head's numbers; `story_ids` is the model's input."""
    layer, head = at
    name, whose = f"blocks.{layer}.attn.weights", LABELS["whose.encoder" if who == "encoder" else "whose.decoder"]
    return ui.badges.run_tensor_badge(run, model, name, (head, "row", "column"), weights[layer], whose, **read)


def _many(result: GapComparison) -> None:
    """Draw the results over all gaps of each kind in the held-out stories."""
    many = [result.many[name] for name in KINDS]
    ui.grouped_bars(
        {SHOWN_NAMES[who]: [one.chances[i] for one in many] for i, who in enumerate(MODEL_NAMES)},
        labels=list(KINDS.values()),
        x=LABELS["probability"],
        strokes=[one.from_the_left for one in many],
        stroke=LABELS["from_the_left"],
    )
