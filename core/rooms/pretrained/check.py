"""Does it work? A text through the opened model, and whether its guesses are better than a uniform guess."""

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.localization.labels import module_labels
from core.data.printable import visible_token
from core.data.tokenizers import SentinelTokenizer
from core.data.tokenizers.gap_tokenizers import SENTINEL
from core.data.tokenizers.tokenizer_base import Tokenizer, ids_before_end
from core.exhibit import Control, NothingToShow, Result, Table, custom_control, slider, text_input
from core.generate import seq2seq
from core.generate.cache import reading_limit
from core.inspect.attention_record import as_batch
from core.inspect.loss import losses_from_logits
from core.inspect.model_inputs.model_and_text import (
    OVERFLOW_MESSAGE,
    ModelAndText,
    encode_text,
    has_nonfinite_output,
    load_any_model,
    load_text_model,
    sample_text_of,
)
from core.inspect.model_inputs.model_key import ModelKey
from core.inspect.single_text_models import prediction_kind
from core.models.registry import family_of
from core.rooms.pretrained.compute.labels import SCORE_LABEL, LabelAnswer, classify_text, label_probabilities
from core.rooms.pretrained.compute.span import SpanPrediction, find_answer
from core.rooms.pretrained.inputs import ModelInputs

LABELS = module_labels(__name__)

MOST_WRITTEN = 24  # tokens that an encoder-decoder writes
LEARNED_BELOW = 0.8  # of the uniform loss: a model above this has learned next to nothing about such texts


class TokenPrediction(Result):
    """A model's prediction at one place."""

    section = "guess"  # key of the text section, here and below

    place: int  # the position that is predicted; one more than the last for the next token
    probabilities: NDArray[np.float32]  # (V,) of all tokens at this position
    true: int | None  # id of the token at this position, None for the next token
    # mean loss over the text's tokens, in nats: for a decoder at each token after those before it, for an encoder at
    # each token when only that one is hidden
    loss: float
    blind: float  # ln V: the loss of a uniform guess
    n_token: int  # tokens in the mean
    vocabulary: Sequence[str] = ()  # (V,) readable tokens

    @property
    def is_next(self) -> bool:
        """True if the prediction is about the token after the text."""
        return self.true is None

    @property
    def has_learned(self) -> bool:
        """True if the loss is clearly below that of a uniform guess."""
        return self.loss < LEARNED_BELOW * self.blind

    def table(self) -> Table:
        """Return all tokens, the most probable first."""
        order = np.argsort(-self.probabilities, kind="stable")
        return {
            "id": order.tolist(),
            LABELS["table.token"]: [self.vocabulary[i] for i in order],
            LABELS["table.probability"]: self.probabilities[order].tolist(),
        }


class TokenList(Result):
    """The tokens that an encoder-decoder writes, or those read by a model that cannot answer questions about a text."""

    section: str  # key of the text section that says which, and why
    ids: Sequence[int]
    tokens: Sequence[str]
    text: str = ""  # the tokens as one text

    def table(self) -> Table:
        """Return one row per token."""
        return {"id": list(self.ids), LABELS["table.token"]: list(self.tokens)}


@torch.no_grad()
def predict_next_token(model: nn.Module, ids: list[int], vocabulary: Sequence[str] = ()) -> TokenPrediction:
    """Return a decoder's prediction after a text. Raises ValueError if the text does not fit the model."""
    logits = model(as_batch(model, ids))[0]
    blind = math.log(logits.shape[-1])
    loss = losses_from_logits(logits, torch.tensor(ids)).mean if len(ids) > 1 else float("nan")
    return TokenPrediction(
        place=len(ids),
        probabilities=_softmax(logits[-1]),
        true=None,
        loss=loss,
        blind=blind,
        n_token=len(ids) - 1,
        vocabulary=vocabulary,
    )


@torch.no_grad()
def predict_gap(
    model: nn.Module, ids: list[int], mask_id: int, at: int, asked: list[int], vocabulary: Sequence[str] = ()
) -> TokenPrediction:
    """Return a masked model's prediction where a token is hidden, and its loss at each candidate position.

    Args:
        ids: (T,) the text with the tokenizer's special tokens.

    Raises:
        ValueError: if the text does not fit the model.
    """
    batch = as_batch(model, ids)
    losses, shown = [], np.zeros(0, np.float32)
    for place in dict.fromkeys([at, *asked]):
        hidden = batch.clone()
        hidden[0, place] = mask_id
        scores = model(hidden)[0, place].float()
        if place == at:
            shown = _softmax(scores)
        if place in asked:
            losses.append(-float(scores.log_softmax(-1)[ids[place]]))
    mean = float(np.mean(losses)) if losses else float("nan")
    return TokenPrediction(
        place=at,
        probabilities=shown,
        true=ids[at],
        loss=mean,
        blind=math.log(len(shown)),
        n_token=len(losses),
        vocabulary=vocabulary,
    )


@torch.no_grad()
def generate_greedily(model: nn.Module, ids: list[int], start_id: int, end_id: int) -> list[int]:
    """Return an encoder-decoder's greedy output for a source, without the end token."""
    answer = seq2seq.greedy_decode(
        model,  # type: ignore[arg-type]
        torch.tensor([ids]),
        start_id=start_id,
        end_id=end_id,
        max_new_tokens=MOST_WRITTEN,
    )[0].tolist()
    return ids_before_end(answer, end_id)


def start_end_tokens(model: nn.Module, tokenizer: Tokenizer | None, ids: Sequence[int] = ()) -> tuple[int, int] | None:
    """Return the start and end tokens of an encoder-decoder's output if its files name them; a T5 starts with padding.

    ids: the source; if it has masked spans, the answer ends with the sentinel after the last one.
    """
    end = tokenizer.end_of(ids) if isinstance(tokenizer, SentinelTokenizer) else getattr(tokenizer, "end_id", None)
    start = getattr(tokenizer, family_of(model).starts_with, None)
    return None if start is None or end is None else (int(start), int(end))


def _can_fill_gaps(model: nn.Module, tokenizer: object) -> bool:
    """Return whether the model fills gaps and its tokenizer has a mask token."""
    return prediction_kind(model) == "here" and getattr(tokenizer, "mask_id", None) is not None


def hideable_positions(model: nn.Module, tokenizer: object, ids: Sequence[int]) -> list[int]:
    """Return the positions that can be hidden: all but the tokenizer's special tokens and existing gaps."""
    if not _can_fill_gaps(model, tokenizer):
        return []
    around = {getattr(tokenizer, name, None) for name in ("class_id", "end_id", "mask_id", "pad_id")}
    return [place for place, id in enumerate(ids) if id not in around]


def _in_a_line(text: str) -> str:
    return text.strip().replace("\n", "⏎")


def _softmax(logits: Tensor) -> NDArray[np.float32]:
    return np.asarray(logits.float().softmax(-1).numpy())


MOST_TOKENS = 48  # each token of an encoder's text is hidden once, which takes one forward pass each
N_BARS = 5
MOST_PASSAGE = 200  # tokens of a text with a question about it
N_LABELS = 8
DEFAULT_PASSAGE = "The tower was built in 1889 by Gustave Eiffel. It stands in Paris, by the Seine."
DEFAULT_QUESTION = "Who built the tower?"
GAP_TEXT = "The <extra_id_0> walks in the park with her <extra_id_1>."  # T5's own task: it writes the text of the gaps
CODE = (predict_next_token, predict_gap, generate_greedily, label_probabilities, find_answer)


def _default_gap_text(key: ModelKey) -> str:
    """Return a text with gaps for a T5 that learned to fill them, else "". A T5 trained here has its own text."""
    found = load_any_model(key)
    if not family_of(found.config).reads_by_its_encoder or SENTINEL.format(0) not in found.vocabulary:
        return ""
    own = sample_text_of(key)
    return own if SENTINEL.format(0) in own else GAP_TEXT


def _answers_questions(i: "Inputs") -> bool:
    """Return whether the model finds answers in a text and its tokenizer can encode a question and a text together."""
    found = load_any_model(i.key)  # it may have no tokenizer
    return family_of(found.config).head(found.config) == "span" and hasattr(found.tokenizer, "encode_pair")


def _required_text(i: "Inputs") -> str:
    """Return the text that the model needs if no ordinary text will do, else ""."""
    return _default_gap_text(i.key) or (DEFAULT_PASSAGE if _answers_questions(i) else "")


def _max_text_tokens(i: "Inputs") -> int:
    """Return how many tokens of the text are read."""
    return MOST_PASSAGE if _answers_questions(i) else MOST_TOKENS


def _sample_text(i: "Inputs") -> ModelAndText:
    """Return a text that the model should understand."""
    return ModelAndText(i.key, encode_text(i.key, _required_text(i) or sample_text_of(i.key), _max_text_tokens(i)))


def _positions_to_hide(i: "Inputs") -> list[int]:
    """Return the positions that can be hidden."""
    found = load_text_model(i.key)
    return hideable_positions(found.model, found.tokenizer, i.given.ids)


def follow_clicks(control: Control, i: "Inputs") -> None:
    """Hide the token that was clicked; a new text starts at its last one."""
    if ui.picks.has_content_changed("try.text", i.given.encoded.ids_key):
        ui.set_control_silently(control, control.default)
    if (pick := ui.picks.new_pick("check.tokens", i.given.content)) is not None:
        ui.set_control(control, pick)


class Inputs(ModelInputs):
    """The text and, for a model that fills gaps, the hidden token."""

    given: ModelAndText = custom_control(
        "core.rooms.pretrained.model_choice:ask_text",
        _sample_text,
        key=lambda i: i.key,
        text=_required_text,
        most=_max_text_tokens,
    )
    question: str = text_input(DEFAULT_QUESTION, name="try_question", when=_answers_questions, read_by="given")
    at: int = slider(
        lambda i: min(_positions_to_hide(i), default=0),
        lambda i: max(_positions_to_hide(i), default=0),
        lambda i: max(_positions_to_hide(i), default=0),
        name="try_gap",
        when=lambda i: bool(_positions_to_hide(i)),
        before_render=f"{__name__}:follow_clicks",
    )


def compute(inputs: Inputs) -> TokenPrediction | LabelAnswer | SpanPrediction | TokenList:
    """Ask the model what it can answer: the next token, a gap, a translation, an answer, or its labels."""
    found, given, ids = load_text_model(inputs.key), inputs.given, list(inputs.given.ids)
    model, tokenizer = found.model, cast(Any, found.tokenizer)
    why = "no-word"
    if has_nonfinite_output(inputs.key, given.encoded.ids_key):
        raise NothingToShow(OVERFLOW_MESSAGE)
    if prediction_kind(model) == "next":
        return predict_next_token(model, ids, given.vocabulary)
    if _can_fill_gaps(model, tokenizer):
        if hidden := _positions_to_hide(inputs):
            return predict_gap(model, ids, tokenizer.mask_id, inputs.at, hidden, given.vocabulary)
    elif family_of(model).reads_by_its_encoder:
        if ends := start_end_tokens(model, tokenizer, ids):
            answer = generate_greedily(model, ids, *ends)
            for end in found.end_ids:
                answer = ids_before_end(answer, end)
            tokens, text = given.tokenizer.tokens(answer), _in_a_line(given.tokenizer.decode(answer))
            return TokenList(section="written", ids=answer, tokens=tokens, text=text)
        why = "no-ends"
    elif _answers_questions(inputs):
        if inputs.question.strip():
            return find_answer(model, tokenizer, inputs.question, given.encoded.text, reading_limit(model))
        why = "no-question"
    elif family_of(model).head(found.config) in ("none", "span"):
        why = "no-head" if found.config.head == "none" else "no-pair"
    elif prediction_kind(model) == "here":
        why = "no-gap"
    else:
        return classify_text(model, ids, given.tokens, inputs.key.folder)
    return TokenList(section=why, ids=given.ids, tokens=given.tokens)


def draw(result: TokenPrediction | LabelAnswer | SpanPrediction | TokenList, inputs: Inputs) -> None:
    """Draw the tokens and the model's answer."""
    if isinstance(result, SpanPrediction):
        _draw_span(result, inputs)
        return
    given, at = inputs.given, inputs.at if _positions_to_hide(inputs) else None
    leading = result.leading if isinstance(result, LabelAnswer) else None
    shown: dict[str, Any] = {}
    if leading is not None:
        name, values = leading
        is_score = result.kind == SCORE_LABEL  # type: ignore[union-attr]
        kind, title = (
            ("value", LABELS["score_so_far"]) if is_score else ("probability", LABELS("label_so_far", name=name))
        )
        shown = {"values": values, "kind": kind, "value_title": title}
    ui.token_row(
        given.tokens,
        key=ui.picks.picture_widget_key("check.tokens", given.content, at),
        ids=given.ids,
        selected=at,
        title=LABELS["what_it_reads"],
        **shown,
    )
    ui.show_text_section(result.section, token=visible_token(given.tokens[inputs.at]), most=MOST_WRITTEN)
    if isinstance(result, LabelAnswer) and result.is_whole and result.kind != SCORE_LABEL:
        best = np.argsort(-result.answers, kind="stable")[:N_LABELS]
        _bars([result.names[i] for i in best], result.answers[best].tolist(), [False] * len(best))
    if isinstance(result, TokenPrediction):
        best = np.argsort(-result.probabilities, kind="stable")[:N_BARS]
        names = [visible_token(result.vocabulary[i]) for i in best]
        _bars(names, result.probabilities[best].tolist(), [i == result.true for i in best])


def _draw_span(result: SpanPrediction, inputs: Inputs) -> None:
    """Draw both probabilities of each token, and the most probable answers."""
    ui.show_text_section(result.section)
    for title, values, at in (
        (LABELS["answer_begins"], result.begins, result.best.first),
        (LABELS["answer_ends"], result.ends, result.best.last),
    ):
        ui.token_row(
            result.tokens,
            key=f"check.{title}.{inputs.given.content}",
            values=values,
            kind="probability",
            value_title=LABELS["probability"],
            selected=at,
            title=title,
        )
    _bars([one.text for one in result.answers], [one.probability for one in result.answers], [False] * N_BARS)


def _bars(names: list[str], values: list[float], marked: list[bool]) -> None:
    """Draw the most probable ones with their probabilities."""
    ui.bars(
        {"": values},
        labels=[f"★ {name}" if mark else name for name, mark in zip(names, marked, strict=False)],
        x=ui.Axis(LABELS["probability"], (0, 1)),
        y=ui.Axis(is_code=True),
        printed=".3f",
        marked=marked[: len(names)],
    )
