"""BLEU: how it is computed, and what it misses."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, memoize, text_input, toggle
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.bleu import BleuScore, bleu, count_ngrams
from core.rooms.encoder_decoder.compute.languages import Sentence
from core.rooms.encoder_decoder.experiments import translation
from core.rooms.encoder_decoder.inputs import translator
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

N_SENTENCE = 200
SENTENCE_KINDS = {
    LABELS["sentences.usual"]: languages.USUAL_ADJECTIVES,
    LABELS["sentences.longer"]: languages.MANY_ADJECTIVES,
}
MAX_CHARACTERS = 200  # characters of the learner's sentence


class SentenceChange(NamedTuple):
    """One way to change a sentence, applied to all sentences that it can change."""

    name: str  # the change
    is_wrong: bool  # True if the change alters the meaning or breaks the grammar
    outcome: str  # which of these, as a text
    score: float  # corpus BLEU of the changed sentences against the right ones
    n: int  # number of sentences
    right: str  # right, changed: the first sentence before and after the change
    changed: str


def _swap_subject_and_object(sentence: Sentence) -> str:
    """Swap subject and object, with all agreement."""
    subject = sentence.target or sentence.subject
    return replace(sentence, subject=subject, target=sentence.target and sentence.subject).tamari()


def _toggle_negation(sentence: Sentence) -> str:
    """Remove the word for "not", or insert it."""
    return replace(sentence, negated=not sentence.negated).tamari()


def _break_verb_ending(sentence: Sentence) -> str:
    """Make the verb disagree with its subject."""
    words = sentence.tamari().split()
    at = len(words) - 1 - sentence.negated
    words[at] = words[at][:-1] + ("n" if words[at][-1] == "s" else "s")
    return " ".join(words)


def _break_article_gender(sentence: Sentence) -> str:
    """Give the first article the wrong gender."""
    words = sentence.tamari().split()
    at = int(bool(sentence.adverb))
    words[at] = words[at][:-1] + {"o": "a", "a": "o", "i": "e", "e": "i"}[words[at][-1]]
    return " ".join(words)


def _move_adverb_first(sentence: Sentence) -> str:
    """Move the adverb to the front of the English sentence, where it is just as correct."""
    words = sentence.english().split()
    return " ".join([words[-1], *words[:-1]] if sentence.adverb else words)


def _contract_negation(sentence: Sentence) -> str:
    """Contract "does not" and "do not" in the English sentence."""
    return sentence.english().replace("does not", "doesn’t").replace("do not", "don’t")


def _replace_synonyms(sentence: Sentence) -> str:
    """Replace words of the English sentence with synonyms: "little" for "small", "large" for "big"."""
    return sentence.english().replace("small", "little").replace("big", "large")


MEANING_CHANGES: dict[str, Callable[[Sentence], str]] = {  # in Tamari
    LABELS["change.negation"]: _toggle_negation,
    LABELS["change.swapped"]: _swap_subject_and_object,
    LABELS["change.verb_ending"]: _break_verb_ending,
    LABELS["change.article_gender"]: _break_article_gender,
}
GRAMMAR_ERRORS = (LABELS["change.verb_ending"], LABELS["change.article_gender"])
HARMLESS_CHANGES: dict[str, Callable[[Sentence], str]] = {  # in English
    LABELS["change.adverb_first"]: _move_adverb_first,
    LABELS["change.contraction"]: _contract_negation,
    LABELS["change.synonyms"]: _replace_synonyms,
}


def score_changes(sentences: Sequence[Sentence]) -> list[SentenceChange]:
    """Compute the corpus BLEU of each change, over the sentences that it changes."""
    found = []
    for rewrites, write in ((MEANING_CHANGES, Sentence.tamari), (HARMLESS_CHANGES, Sentence.english)):
        for name, rewrite in rewrites.items():
            made = [(right, changed) for one in sentences if (right := write(one)) != (changed := rewrite(one))]
            score = bleu([[right.split()] for right, _ in made], [changed.split() for _, changed in made]).score
            if name in HARMLESS_CHANGES:
                outcome = LABELS["outcome.same"]
            else:
                outcome = LABELS["outcome.broken" if name in GRAMMAR_ERRORS else "outcome.different"]
            found.append(SentenceChange(name, name in MEANING_CHANGES, outcome, score, len(made), *made[0]))
    return found


CODE = (bleu, count_ngrams, score_changes)


class Inputs(Base, prefix="bleu_"):
    run: ExperimentRun = translator()
    reference: str = text_input("lo kano pico la mila granda vides ne", max_chars=MAX_CHARACTERS)
    written: str = text_input("lo kano pico la mila granda vides", max_chars=MAX_CHARACTERS)
    smooth: bool = toggle()


class BleuCaveats(Result):
    """BLEU of one text, of deliberately changed sentences, and of the translator."""

    found: BleuScore | None  # of the text; None if a field is empty
    changes: list[SentenceChange]  # of 200 random sentences
    # kind of sentences -> exact-match rate, fraction of words that are right at their position, and BLEU
    of_model: dict[str, tuple[float, float, float]]

    formula: str | None  # of the text
    n_sentence: int = N_SENTENCE

    def table(self) -> Table:
        """Return one row per change."""
        return {
            LABELS["change"]: [one.name for one in self.changes],
            LABELS["meaning_kept"]: [not one.is_wrong for one in self.changes],
            LABELS["n_sentence"]: [one.n for one in self.changes],
            "BLEU": [one.score for one in self.changes],
        }


def compute(inputs: Inputs) -> BleuCaveats:
    """Compute BLEU of the text, the changes and the translator."""
    reference, written = inputs.reference.lower().split(), inputs.written.lower().split()
    found = bleu([[reference]], [written], add_one=inputs.smooth) if reference and written else None
    formula = None
    if found is not None:
        product = r" \cdot ".join(f"{p:.3f}" for p in found.precisions)
        formula = rf"\text{{BLEU}} = {found.brevity:.3f} \cdot ({product})^{{1/4}} = {found.score:.3f}"
    return BleuCaveats(found=found, changes=_cached_changes(), of_model=_translator_scores(inputs.run), formula=formula)


@memoize(1)
def _cached_changes() -> list[SentenceChange]:
    """Return the changes of 200 random sentences."""
    return score_changes(languages.sample_sentences(N_SENTENCE, 0))


@memoize(64)
def _translator_scores(run: ExperimentRun) -> dict[str, tuple[float, float, float]]:
    """Score the model's translations of both kinds of sentences."""
    model, found = translation.model_of(run), {}
    for name, n_adjective in SENTENCE_KINDS.items():
        sentences = languages.sample_sentences(N_SENTENCE, 0, n_adjective)
        written, truth = translation.translate(model, [s.english() for s in sentences]), [s.tamari() for s in sentences]
        shares = translation.translation_accuracy(written, truth)
        score = bleu([[one.split()] for one in truth], [one.split() for one in written]).score
        found[name] = shares["exact"], shares["words"], score
    return found


def draw(result: BleuCaveats, inputs: Inputs) -> None:
    """Draw nothing: the tables are in the text."""
