"""The lessons from many heads to decoding: every step opens as it is set, and the figures in their prose are so."""

import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.data.sentences import SENTENCES
from core.inspect.model_inputs.model_and_text import ModelAndText, load_model_and_text
from core.lessons.format import catalog
from core.lessons.format.lesson import CheckQuestion, Lesson, PredictQuestion, Prose
from core.train.experiment import EXAMPLE_FOLDER, unpack_record
from tests.library.lessons.asked import came, of

ROOT = Path(__file__).resolve().parents[2]
BOAT = "Tom had a red boat. One day he took the"
KITE = "Zoe had a red kite, and Sam had a yellow book."
SLUGS = ("many-heads", "the-block", "counting-to-attention", "gpt", "decoding")


@cache
def lesson(slug: str) -> Lesson:
    found = catalog.lesson_files()[slug]
    assert found.lesson is not None, found.problems
    return found.lesson


def prose(slug: str) -> str:
    """All that a learner reads, on one line."""
    texts = []
    for step in lesson(slug).steps:
        for part in step.parts:
            texts += [part.text] if isinstance(part, Prose) else []
            texts += [part.ask, part.because] if isinstance(part, PredictQuestion | CheckQuestion) else []
    return re.sub(r"\s+", " ", " ".join(texts))


def stories(text: str = "") -> ModelAndText:
    """The model of little stories with the text that most rooms open with, or another."""
    return load_model_and_text("stories", text or SENTENCES["stories"], 128)


def record(name: str) -> Any:
    return unpack_record((EXAMPLE_FOLDER / f"{name}.safetensors").read_bytes())[0]


# As it is set


def test_three_curves_and_many_numbers_are_predicted() -> None:
    forms = [type(part.form).__name__ for slug in SLUGS for step in lesson(slug).steps for part in step.parts
             if isinstance(part, PredictQuestion)]  # fmt: skip
    assert forms.count("Curve") >= 3 and forms.count("Number") >= 10


# Many heads


@pytest.mark.measured("06-many-heads", "Both heads read")
@pytest.mark.measured("06-many-heads", "What will be left")
@pytest.mark.measured("06-many-heads", "What will the model expect")
def test_many_heads_says_what_is_so() -> None:
    from core.rooms.heads.all_heads import _cached_scores
    from core.rooms.heads.compute.ablation import knock_out

    here = stories()
    config = here.config
    assert (config.n_layer, config.n_head) == (2, 4)
    assert "".join(here.tokens).endswith("Tom looked near the wall. No")
    assert np.nanmax(_cached_scores(here.key, here.encoded.ids_key).induction) < 0.5  # none earns the name
    boat = stories(BOAT)
    weights = boat.attention.weights[1, :, -1]
    place = [token.strip() for token in boat.tokens].index("boat")
    assert min(weights[1, place], weights[2, place]) > 0.9 and "more than nine tenths" in prose("many-heads")

    def said(off: tuple[tuple[int, int], ...], text: str = "") -> tuple[str, float, str]:
        """What the whole model expects, how likely it is with heads off, and what is expected then."""
        one, names = stories(text), here.vocabulary
        result = knock_out(one.model, one.ids, off)
        expected, after = int(result.probabilities_before[-1].argmax()), result.probabilities_after[-1]
        return names[expected].strip(), float(after[expected]), names[int(after.argmax())].strip()

    assert said(((1, 2),), BOAT)[::2] == ("boat", "boat") and said(((1, 1),), BOAT)[2] != "boat"
    for head in (0, 1):  # "Switch off head 0.0 … Switch off 0.1 instead"
        assert said(((0, head),))[0] == "Mia" and f"{said(((0, head),))[1]:.0%}" == "100%"
    assert said(((0, 0), (0, 1)))[2] == "Tom" and "now the model says “Tom”" in prose("many-heads")
    weights = here.attention.weights[1, 0, -1]
    mia = [token.strip() == "Mia" for token in here.tokens]
    assert weights[mia].sum() > 0.95  # "which reads Mia here"
    assert came("many-heads/8") == "read"
    assert came("many-heads/8", head=1) == "own"


@pytest.mark.measured("06-many-heads", "Which head will be missed most?")
def test_half_of_the_heads_point_at_the_noun() -> None:
    sentence = of("many-heads/9").sentence
    n, n_all = map(int, re.findall(r"(\d+) of (\d+) heads", sentence)[0])
    assert n * 2 == n_all
    # The head that is missed most is one of the first layer, as the text says.
    from core.rooms.heads_at_work import explanation
    from core.train.experiment import run_experiment

    weighed = explanation.compute(explanation.Inputs(), run_experiment("explanation")).weighed
    rises = np.stack([one.rise for one in weighed.values()])
    assert np.unravel_index(rises.argmax(), rises.shape)[1] == 0


# The block


WRITTEN = ("feed-forward writes", "stream after attention")


@pytest.mark.measured("07-the-block", "In the last block")
@pytest.mark.measured("07-the-block", "A pre-norm model")
def test_the_block_says_what_is_so() -> None:
    from core.inspect.costs.parameters import count_config_parameters
    from core.rooms.block.compute import gradients, moments, residual_stream
    from core.rooms.block.inputs import BlockInputs
    from core.rooms.block.parameters import PRESETS

    here, text = stories(), prose("the-block")
    first, way = (residual_stream.cached_block_record(BlockInputs().given, layer) for layer in (0, 1))
    last = len(here.tokens) - 1

    def variance(of: Any, name: str) -> str:
        return f"{moments.compute_moments(of.stage(name)[last].astype(np.float64)).variance:.2f}"

    start, end, normed = (
        variance(first, "stream in"), variance(way, "stream after feed-forward"), variance(way, "after the final norm"),
    )  # fmt: skip
    assert f"from a variance of {start} to one of {end}" in text and f"its gain and bias then {normed}" in text
    length = {name: float(np.linalg.norm(first.stage(name)[last])) for name in WRITTEN}
    assert length[WRITTEN[0]] > length[WRITTEN[1]]  # "even the first block's feed-forward adds more than was there"
    written, stream = (way.stage(name)[last] for name in (WRITTEN[0], "stream after feed-forward"))
    assert float(written @ stream) / float(stream @ stream) > 0.6  # "most of the vector … was written by the last one"
    assert (
        f"{moments.compute_moments(moments.sample_vector('exponential', 4096, 0)).skew:.2f}" == "1.86"
        and "is 1.86" in text
    )
    assert way.pre is not None and way.pre.shape[1] == 384 and here.config.d_model == 96
    wide = gradients.gradient_norms_by_depth("pre", False, "wide", 0)[16]
    assert wide[0] > 0.1 * wide[-1]  # "no longer fall"
    assert gradients.opposed_gradient(1.0, 16) == 0  # "in which nothing arrives"
    assert came("the-block/7")[3] < 0.06
    sizes = {term.name: term.count for term in count_config_parameters(PRESETS["gpt2"]).terms}
    total = count_config_parameters(PRESETS["gpt2"]).total
    assert 0.3 < max(count for name, count in sizes.items() if "embedding" in name) / total < 1 / 3
    assert round(total / 1e6) == 124


# From counting to attention


@pytest.mark.measured("08-counting-to-attention", "How much of the influence")
@pytest.mark.measured("08-counting-to-attention", "Who needs the fewest bits")
def test_counting_says_what_is_so() -> None:
    from core.data.synthetic import reversal
    from core.rooms.ngrams.inputs import CountedText
    from core.rooms.recurrent.forgetting import decay_per_step, untrained_influence

    text, read = prose("counting-to-attention"), CountedText("stories", "word")
    assert f"{len(read.train):,} words uses {len(set(read.train.tolist()))} different" in text
    lstm, attention = (untrained_influence(kind, 40, 0, 0) for kind in ("lstm", "attention"))
    assert 0.64 < decay_per_step(lstm) < 0.68  # "about two thirds", "0.66"
    assert 0.99 < decay_per_step(attention) < 1.01  # flat
    assert len(reversal.LETTERS) == 26 and reversal.LONGEST == 20
    budget, little = record("budget"), record("budget-stories")
    assert 0.005 < float(budget["seconds.10k.ngram"]) < 0.05  # "a hundredth of a second"
    last = {net: budget[f"curve.10k.{net}"] for net in ("gpt", "gru")}
    assert last["gpt"][-1] > last["gpt"].min()  # it begins to know the text by heart
    for amount in ("10k", "100k", "all"):
        assert little[f"curve.{amount}.gpt"][-1] < little[f"ngram.{amount}"].min()


def test_the_ledger_has_five_counters_and_the_nouns_never_met() -> None:
    from core.rooms.ledger import ledger
    from core.rooms.ledger.experiments import ledger as water
    from core.ui.training import live_experiments

    shown = live_experiments.shown_run("ledger")
    assert shown is not None
    text = ledger.training_text_of(ledger.WATER, shown)
    assert sum("gram" in row.name for row in ledger.compute(ledger.Inputs(), shown).rows) == 5
    lines = [text.tokenizer.decode(line.tolist()) for line in water.bottle_text(shown.seed).lines]
    assert len(lines) == 80
    assert not [line for line in lines if {"bottle", "cup"} <= set(re.findall(r"[a-z]+", line))]


# GPT


@pytest.mark.measured("09-gpt", "What is its loss")
@pytest.mark.measured("09-gpt", "Does the row after")
def test_gpt_says_what_is_so() -> None:
    from core.models import registry
    from core.models.configs.lecture_gpt import LECTURE_GPT
    from core.rooms.decoder import first_loss, inputs, lens
    from core.rooms.decoder.compute.training_window import predict_window

    here, text = inputs.read_window(inputs.SENTENCE), prose("gpt")
    assert len(here.tokens) == 14 and here.tokens[6].strip() == "park" and inputs.SENTENCE in text.replace("*", "")
    config = here.config
    assert config.n_layer == 2 and f"{math.log(50_257):.2f}" == "10.82"
    assert first_loss.NOTE_LOSS == 6.5316 and f"{math.log(512):.2f}" == "6.24"
    assert math.log(512) + 1 / 6 == pytest.approx(6.405, abs=5e-4)
    assert abs(first_loss.theoretical_loss(LECTURE_GPT.d_model, LECTURE_GPT.vocab_size) - 6.405) < 0.01
    one = lens.compute(lens.Inputs())
    names = one.words
    assert [token.strip() for token in here.tokens[6:8]] == ["park", "."]
    assert names[int(one.top[-1, 7, 0])].strip() == "Mia" and f"{one.probabilities[-1, 7, 0]:.2f}" == "1.00"
    assert came("gpt/9") == "no"
    assert here.tokens[4].strip() == "near" and one.favorites("near")[1].word == one.favorites("near")[-1].word
    assert names[int(one.top[1, 4, 0])].strip() == "the"
    for seed in range(5):  # "it never knows one", "off by a few hundredths"
        assert predict_window(registry.build(config, seed), here.ids).probability.max() < 0.01
        assert abs(came("gpt/3.2", seed=seed) - math.log(50_257)) < 0.06
    losses = re.findall(r"\d\.\d\d", of("gpt/3").sentence)[1:]
    assert KITE in text.replace("*", "") and float(losses[1]) > float(losses[0]) + 0.5
    moved = of("gpt/10").sentence
    apart = re.search(r"(\d+) times apart", moved)
    assert apart and int(apart[1]) > 10  # "far apart"


def test_the_film_shows_what_the_lesson_says() -> None:
    from core.train import experiment

    film = record("lens")
    assert film["frames.rank"].shape[1] == 5 and int(film["curve.step"][-1]) == 500  # four blocks
    tokenizer = experiment.tokenizer_of(film)
    names = [token.strip() for token in tokenizer.tokens(film["probe"].tolist())]
    both = [place for place, name in enumerate(names) if name == "Mia"]

    def said(frame: int, row: int, place: int) -> str:
        return str(tokenizer.tokens([int(film["frames.top"][frame, row, place, 0])])[0]).strip()

    assert [said(-1, -1, place) for place in both] == ["played", "hid"]
    echo = [said(frame, 0, place) == names[place] for frame in (0, -1) for place in range(len(names))]
    assert np.mean(echo) > 0.8
    at_and = names.index("and")
    assert film["frames.probabilities"][0, 0, at_and, 0] < 0.05 < 0.9 < film["frames.probabilities"][-1, 0, at_and, 0]


# Decoding


@pytest.mark.measured("short/6-short-writing", "“Tom and")
@pytest.mark.measured("10-decoding", "How likely is")
@pytest.mark.measured("10-decoding", "Does it find")
@pytest.mark.measured("10-decoding", "Which of the measures")
def test_decoding_says_what_is_so() -> None:
    from core.data.synthetic.story_grammar import PEOPLE
    from core.inspect.model_inputs.predicted_position import text_next_logits
    from core.rooms.strategies import side_by_side

    here, text = stories(), prose("decoding")
    ids = list(here.ids)
    names = here.vocabulary

    def after(n: int, *more: str) -> dict[str, float]:
        ids_key = ",".join(map(str, [*ids[:n], *(names.index(word) for word in more)]))
        p = text_next_logits(here.key, ids_key).astype(np.float64)
        p = np.exp(p - p.max())
        return {name: float(share) for name, share in zip(names, p / p.sum(), strict=True)}

    first = after(2)
    assert max(first, key=first.__getitem__) == " Mia" and f"{first[' Mia']:.4f}" == "0.3011" and "0.3011" in text
    assert (
        f"{first[' Mia']:.2f}" == "0.30" and "has 0.30" in text and "yet seven times in ten" in prose("short-writing")
    )
    assert len(names) == 453 and text.count("453") == 2
    ten = sorted(first, key=first.__getitem__)[-10:]
    assert {name.strip() for name in ten} <= {one.name for one in PEOPLE} and sum(first[name] for name in ten) > 0.9
    hidden = stories("Tom and Mia played near the park. Mia hid in the grass. Tom looked under the tree. No")
    own, ids = ids, list(hidden.ids)
    then = after(len(ids), " Mia", "!")
    assert then[" Then"] < then[" Tom"] < then[" Then"] + 0.15  # "by a little"
    told = of("decoding/2").sentence.replace("\\", "")
    assert "Mia! Tom looked behind the big stone." in told and "Mia! Tom looked behind the big stone." in text
    ids = own
    draws = np.random.default_rng(0).binomial(1000, first[" Mia"], 400_000)
    assert 60 < 1 / float(np.mean((draws < 265) | (draws > 335))) < 80  # "one of seventy"
    columns = side_by_side.compute(side_by_side.Inputs()).table()
    mean = dict(zip(columns["strategy"], columns["mean log-probability"], strict=True))
    assert {"greedy", "beam 4"} == set(sorted(mean, key=mean.__getitem__)[-2:])  # "are ahead"
    lengths = [len(ids) + step for step in range(32)]
    assert 44 < np.mean(lengths) < 47 and len(ids) == 30
    saved = came("decoding/9")
    assert np.mean(lengths) / 2 < saved < np.mean(lengths)
    assert came("decoding/9", n_new=64) > saved


@pytest.mark.measured("10-decoding", "Where among them")
def test_beams_land_where_the_lesson_says() -> None:
    from core.rooms.beam import truth
    from core.rooms.beam.experiments import beam_truth as task
    from core.ui.training import live_experiments

    shown = live_experiments.shown_run("beam-truth")
    assert shown is not None and len(task.TOKENS) == 8 and task.LENGTH == 5
    found = truth.compute(truth.Inputs(), shown)
    assert f"{len(found.scores):,}" == "19,608" and "19,608 texts" in prose("decoding")
    greedy = found.texts.new_ids(found.greedy)
    assert task.TOKENS[int(greedy[0])] == "the" != task.TOKENS[int(found.texts.new_ids(found.best)[0])]
    assert [found.rank(place) for place in found.beams[1:3]] == [2, 1]
    changed = truth.compute(truth.Inputs(change=True, after="the", word=".", p=0.3), shown)
    ranks = [changed.rank(place) for place in changed.beams[:2]]
    assert ranks[1] > ranks[0]  # more beams are no promise
