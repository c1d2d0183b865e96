"""Bottle or cup: after two sentences that differ in one word, only the model that looks back changes its answer."""

from collections.abc import Mapping

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import NOUNS, BottleAndCup, referents
from core.exhibit import Inputs as Base, Result, Table, select
from core.rooms.ledger.compute import next_noun
from core.rooms.ledger.compute.next_noun import NextNoun
from core.rooms.ledger.experiments import ledger as water
from core.rooms.ledger.ledger import NETS, WATER, fitted_ngrams, trained_nets, training_text_of
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "ledger"
ORDER = 5
MODELS = {"ngram": f"{ORDER}-gram", **NETS}
CODE = (next_noun.predict_next_noun, water.Ledger)


class Inputs(Base, prefix="noun_"):
    first: str = select(NOUNS, NOUNS[0])
    second: str = select(NOUNS, NOUNS[1])


class NounChoice(Result):
    """The next noun after both sentences, under three models."""

    nouns: tuple[str, ...]  # those of the sentence, then the six others
    words: Mapping[str, list[str]]  # ending -> the tokens before the noun, without the start token
    found: Mapping[str, NextNoun]  # ending -> the predictions, for the nouns in this order
    width: int  # numbers that the GRU keeps
    n_head: int  # heads of the GPT, in all its layers

    def said(self, model: str, ending: str) -> str:
        """Return a model's most probable noun."""
        return self.nouns[int(self.found[ending].p[model].argmax())]

    @property
    def changed(self) -> list[str]:
        """The models whose probability of a noun differs by more than 10 points between the two endings."""
        full, empty = (one.p for one in self.found.values())
        return [name for model, name in MODELS.items() if np.abs(full[model] - empty[model]).max() > 0.1]

    def table(self) -> Table:
        """Return one row for each noun, with one column for each model and ending."""
        return {LABELS["noun"]: [*self.nouns]} | {
            LABELS("after", model=name, ending=ending): one.p[model].tolist()
            for model, name in MODELS.items()
            for ending, one in self.found.items()
        }


def compute(inputs: Inputs, run: ExperimentRun) -> NounChoice:
    """Ask all three models for the noun after each of the two sentences."""
    first, second = inputs.first, inputs.second
    if first == second:  # water can't be poured from a vessel into itself
        second = NOUNS[(NOUNS.index(first) + 1) % len(NOUNS)]
    nouns = (first, second, *(noun for noun in NOUNS if noun not in (first, second)))
    tokenizer = training_text_of(WATER, run).tokenizer
    nets = {name: model for name, (model, _) in trained_nets(WATER, run).items()}
    ngram = fitted_ngrams(WATER, run, "interpolated")[ORDER - 1][0]
    words, found = {}, {}
    for ending in referents.ENDINGS:
        text = BottleAndCup(first, second, ending).text_with_answer
        ids = np.array(tokenizer.encode(water.START_TEXT + text)[: water.ANSWER_POSITION + 1])
        noun_ids = [tokenizer.encode(f"{text[0]} {noun}")[-1] for noun in nouns]
        words[ending] = [token.strip() for token in tokenizer.tokens(ids.tolist())[1:]]
        found[ending] = next_noun.predict_next_noun(ngram, nets, ids, noun_ids)
    config = nets["gpt"].config
    width = nets["gru"].config.d_model
    return NounChoice(nouns=nouns, words=words, found=found, width=width, n_head=config.n_layer * config.n_head)


def draw(result: NounChoice, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw what each model can use of each sentence, and what it expects."""
    ui.mount_widget(
        "bottle_or_cup",
        key="bottle-or-cup",
        sentences=[{"ending": ending, "words": words} for ending, words in result.words.items()],
        ending=referents.ENDING_POSITION,
        models=[{"key": model, "name": name} for model, name in MODELS.items()],
        n_seen=ORDER - 1,
        width=result.width,
        nouns=result.nouns,
        only_gpt=result.changed == [NETS["gpt"]],
        p=np.array([[one.p[model] for one in result.found.values()] for model in MODELS]),  # (3, 2, 8)
        weights=np.stack([one.weights[1:] for one in result.found.values()]),  # (2, T), without the start token
        takeaway=ui.section_text("takeaway"),
        height=440,
    )
