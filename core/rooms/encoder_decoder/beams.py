"""Beam search for translation: the best partial translations side by side, and whether that helps."""

import math
from typing import NamedTuple

import numpy as np
import torch

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, memoize, slider, text_input
from core.generate.beam import Hypothesis, beam_search
from core.generate.seq2seq import make_next_log_probs
from core.models.original_transformer import Transformer
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.bleu import bleu
from core.rooms.encoder_decoder.compute.cross_attention import record_cross_attention
from core.rooms.encoder_decoder.experiments import translation
from core.rooms.encoder_decoder.inputs import (
    SENTENCE_OPTIONS,
    SourceSentence,
    max_output_tokens,
    parse_source,
    translator,
)
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

N_SENTENCE = 16  # sentences that are searched for the statistics
CODE = (make_next_log_probs, beam_search, bleu)


class Inputs(Base, prefix="beams_"):
    run: ExperimentRun = translator()
    text: str = text_input(default="some small cats do not follow some white young horses again", **SENTENCE_OPTIONS)
    n: int = slider(1, 8, 4, heading="")
    penalty: float = slider(0.0, 2.0, 1.0, step=0.25)


class BeamStatistics(NamedTuple):
    """Statistics of searches over some held-out sentences."""

    exact: float  # fraction whose best text is the right translation
    bleu: float  # of the best texts
    among: float  # fraction whose right translation is among the finished texts, at any rank
    surer: float  # fraction in which a wrong best text has a higher log-probability than the right translation


class BeamTranslation(Result):
    """The results of one search, and statistics over others."""

    source: SourceSentence
    texts: list[str]  # finished, best score first; `found` holds their scores
    found: tuple[Hypothesis, ...]
    of_truth: float | None  # the log-probability of the right translation, if it is known
    counted: BeamStatistics

    scores: list[str]  # smoothed BLEU of each text with two digits; a dash if no right translation is known
    n_counted: int = N_SENTENCE

    def table(self) -> Table:
        """Return one row per finished text: log-probability of the whole text in nats, score, BLEU."""
        log_probs, scores = [one.log_prob for one in self.found], [one.score for one in self.found]
        return {
            LABELS["text"]: self.texts,
            LABELS["log_probability"]: log_probs,
            LABELS["score"]: scores,
            "BLEU": self.scores,
        }


def compute(inputs: Inputs) -> BeamTranslation:
    """Search for the translation of one sentence, and of many others for the statistics."""
    source, model = parse_source(inputs.text), translation.model_of(inputs.run)
    found = search_translations(model, source.english, inputs.n, inputs.penalty)
    of_truth = None if source.truth is None else _translation_log_prob(model, source.english, source.truth)
    texts = [languages.decode(one.ids) for one in found]
    truth = None if source.truth is None else [[source.truth.split()]]
    scores = ["–" if truth is None else f"{bleu(truth, [one.split()], add_one=True).score:.2f}" for one in texts]
    return BeamTranslation(
        source=source,
        texts=texts,
        found=found,
        of_truth=of_truth,
        counted=_beam_statistics(inputs.run, inputs.n, inputs.penalty),
        scores=scores,
    )


def search_translations(model: Transformer, english: str, n_beam: int, penalty: float) -> tuple[Hypothesis, ...]:
    """Return the finished texts of a beam search, best first."""
    ids = languages.encode(english)
    start, most = [languages.START], max_output_tokens(len(ids))
    ask = make_next_log_probs(model, torch.tensor([ids]))
    return beam_search(ask, start, n_beam, most, eos_id=languages.END, length_penalty=penalty).hypotheses


def _translation_log_prob(model: Transformer, english: str, tamari: str) -> float:
    """Return the log-probability of a whole text, including its end token, in nats."""
    ids, target = languages.encode(english), languages.encode_target(tamari)
    seen = record_cross_attention(model, ids, start_id=languages.START, end_id=languages.END, forced=target)
    return float(np.log(seen.probabilities[np.arange(len(target)), target]).sum())


@memoize(64)
def _beam_statistics(run: ExperimentRun, n_beam: int, penalty: float) -> BeamStatistics:
    """Run the same search for 16 held-out sentences with three or four adjectives."""
    model, best, exact, among, surer = translation.model_of(run), [], [], [], []
    sentences = languages.sample_sentences(N_SENTENCE, 0, languages.MANY_ADJECTIVES)
    for sentence in sentences:
        english, tamari = sentence.english(), sentence.tamari()
        found = search_translations(model, english, n_beam, penalty)
        texts = [languages.decode(one.ids) for one in found]
        best.append(texts[0].split())
        exact.append(texts[0] == tamari)
        among.append(tamari in texts)
        surer.append(texts[0] != tamari and found[0].log_prob > _translation_log_prob(model, english, tamari))
    score = bleu([[one.tamari().split()] for one in sentences], best).score
    return BeamStatistics(float(np.mean(exact)), score, float(np.mean(among)), float(np.mean(surer)))


def draw(result: BeamTranslation, inputs: Inputs) -> None:
    """Draw the finished texts of one sentence, and the statistics over many."""
    found = list(zip(result.texts, result.found, result.scores, strict=True))
    ui.add_template_values(rows=found, best=result.found[0].log_prob, exp=math.exp)
