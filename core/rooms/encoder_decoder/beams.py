"""Beam search on translation: the best texts so far side by side, and whether that helps."""

import math
from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from core.cache import memoize
from core.generate.beam import Hypothesis, beam_search
from core.generate.seq2seq import next_log_probs
from core.rooms.encoder_decoder.common import Sentence, Translator, ask, most_written, translator
from core.rooms.encoder_decoder.compute import beam_translations, languages
from core.rooms.encoder_decoder.compute.bleu import bleu
from core.rooms.encoder_decoder.compute.cross_attention import record
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.numbers import signed
from core.ui.training.trained_models import MAX_RESULTS, Trained

N = 16  # sentences that are counted
MOST_BEAMS = 8


@dataclass(frozen=True)
class Counted:
    """Searches over some held-out sentences.

    Attributes:
        exact: share whose best text is the right translation.
        bleu: of the best texts.
        among: share whose right translation is among the finished texts, first or not.
        surer: share in which the best text has a higher log-probability than the right translation.
    """

    exact: float
    bleu: float
    among: float
    surer: float


@exhibit(
    title="Beam search on translation",
    look_for="the right text among the finished ones. **Beam search** keeps several texts going and finds what the "
    "model considers most probable; whether that's right is another question.",
    try_this=[
        (
            "Set B, the number of beams, to 1, then to 8.",
            "This sentence is longer than any in training. The best text stays the same, and it's wrong. With more "
            "beams the right one appears further down: the model considers it less probable.",
        ),
        (
            "Watch the count over the 16 sentences while you move the slider.",
            "The share that's right hardly changes. The mistakes are the model's, not the search's: it prefers its "
            "wrong text to the right one.",
        ),
        (
            "Take out an adjective.",
            "The best text is right and has almost all the probability, so one beam is enough.",
        ),
    ],
    code=(next_log_probs, beam_search, bleu),
    formula=r"\text{score} = \frac{1}{n^{\alpha}} \sum_{t=1}^{n} \log p(y_t \mid y_{<t}, x)",
)
def beams() -> Shown | None:
    """The finished texts of one sentence, and the count over many."""
    model = translator()
    given = ask("beams_text", "some small cats do not follow some white young horses again")
    if model is None or given is None:
        return None
    left, right = st.columns(2, gap="medium")
    with left:
        n_beam = int(controls.slider("beams_n", "Beams (texts kept at once)", 1, MOST_BEAMS, 4, step=1))
    with right:
        penalty = float(
            controls.slider("beams_penalty", "Length penalty", 0.0, 2.0, 1.0, step=0.25, help="0: the sum itself.")
        )
    found = _searched(model.trained, model.n_layer, model.n_head, given.ids, n_beam, penalty)
    texts = [languages.decode(one.ids) for one in found]
    true = given.truth
    has_numbers = depth.at_least("numbers")
    rows = [
        f"| {i} | {text or '(nothing)'} | {'✓' if text == true else '✗' if true else '–'} | "
        + (
            f"{signed(one.log_prob, 3)} | {signed(one.score, 3)} | {beam_translations.against(true, text)} |"
            if has_numbers
            else f"{math.exp(one.log_prob):.1%} |"
        )
        for i, (one, text) in enumerate(zip(found, texts, strict=True), start=1)
    ]
    more = "nats | score | BLEU |" if has_numbers else "probability |"
    st.markdown("\n".join([f"| | finished text | right | {more}", f"|--:|---|:-:|{'--:|' * more.count('|')}", *rows]))
    if given.truth is not None:
        chance, best = _log_prob(model, given.ids, given.truth), found[0].log_prob
        told = (
            f"The model gives it {signed(chance, 3)} nats in all, the best text above {signed(best, 3)}."
            if has_numbers
            else f"Its probability is {math.exp(chance):.1%}, that of the best text above {math.exp(best):.1%}."
        )
        st.markdown(f"The right translation: **{given.truth}**. {told}")
    counted = count(model.trained, model.n_layer, model.n_head, n_beam, penalty)
    st.markdown(
        f"**{N} sentences with 3 or 4 adjectives, {n_beam} beam{'s' * (n_beam > 1)}**: {counted.exact:.0%} exactly "
        f"right{f', BLEU {counted.bleu:.3f}' if has_numbers else ''}. In {counted.among:.0%} the right translation is "
        f"among the finished texts; in {counted.surer:.0%} the model considers its own best text more probable than "
        "the right one."
    )
    if not has_numbers:
        st.caption("The order goes by probability, adjusted for the length of the text.")
    depth.note(
        "Nats: the log-probability of the whole text. BLEU of a single sentence is smoothed (1 is added to the counts "
        "of pairs of words and longer), or else one without four right words in a row would have 0. Its limits are "
        "shown in “BLEU, and what it does not see”."
    )
    return Shown(
        numbers=lambda: beam_translations.table(found, true),
        script=lambda: _script(model, given, n_beam, penalty),
    )


def _script(model: Translator, given: Sentence, n_beam: int, penalty: float) -> str:
    return scripts.script(
        """
        import torch

        from core.rooms.encoder_decoder.compute import languages
        from core.data.csv_table import print_table
        from core.generate.beam import beam_search
        from core.generate.seq2seq import next_log_probs
        from core.rooms.encoder_decoder.compute import beam_translations
        from core.train.experiment import record_of
        from core.rooms.encoder_decoder.experiments import translation

        model = translation.rebuilt($record, n_layer=$n_layer, n_head=$n_head)
        english = $english

        # The decoder is asked for the next word of the best texts so far, again and again.
        ask = next_log_probs(model, torch.tensor([languages.encode(english)]))
        found = beam_search(
            ask, [languages.START], $n_beam, max_new_tokens=$most, eos_id=languages.END, length_penalty=$penalty
        ).hypotheses
        print_table(beam_translations.table(found, languages.to_tamari(english)))
        """,
        **model.in_script(),
        english=given.english,
        n_beam=n_beam,
        most=most_written(len(given.ids)),
        penalty=penalty,
    )


@memoize(MAX_RESULTS)
def _searched(
    models: Trained, n_layer: int, n_head: int, ids: tuple[int, ...], n_beam: int, penalty: float
) -> tuple[Hypothesis, ...]:
    return _search(Translator(models, n_layer, n_head), ids, n_beam, penalty)


def _search(model: Translator, ids: tuple[int, ...], n_beam: int, penalty: float) -> tuple[Hypothesis, ...]:
    ask_next = next_log_probs(model.model, torch.tensor([ids]))
    return beam_search(
        ask_next, [languages.START], n_beam, most_written(len(ids)), eos_id=languages.END, length_penalty=penalty
    ).hypotheses


@memoize(MAX_RESULTS)
def count(models: Trained, n_layer: int, n_head: int, n_beam: int, penalty: float) -> Counted:
    """The same search for 16 held-out sentences with three or four adjectives."""
    model = Translator(models, n_layer, n_head)
    best, exact, among, surer = [], [], [], []
    sentences = languages.sample(N, 0, languages.LONGER)
    for sentence, true in zip(sentences, _of_the_truth(models, n_layer, n_head), strict=True):
        ids, tamari = tuple(languages.encode(sentence.english())), sentence.tamari()
        found = _search(model, ids, n_beam, penalty)
        texts = [languages.decode(one.ids) for one in found]
        best.append(texts[0].split())
        exact.append(texts[0] == tamari)
        among.append(tamari in texts)
        surer.append(texts[0] != tamari and found[0].log_prob > true)
    score = bleu([[one.tamari().split()] for one in sentences], best).score
    return Counted(float(np.mean(exact)), score, float(np.mean(among)), float(np.mean(surer)))


@memoize(MAX_RESULTS)
def _of_the_truth(models: Trained, n_layer: int, n_head: int) -> tuple[float, ...]:
    """What the model gives the right translations of these sentences: the same for every search."""
    model = Translator(models, n_layer, n_head)
    sentences = languages.sample(N, 0, languages.LONGER)
    return tuple(_log_prob(model, tuple(languages.encode(one.english())), one.tamari()) for one in sentences)


def _log_prob(model: Translator, ids: tuple[int, ...], tamari: str) -> float:
    """What the model gives a text as a whole, its end included, in nats."""
    target = languages.encode_target(tamari)
    seen = record(model.model, ids, start_id=languages.START, end_id=languages.END, forced=target)
    return float(np.log(seen.probabilities[np.arange(len(target)), target]).sum())
