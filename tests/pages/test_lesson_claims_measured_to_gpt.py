"""What explanations in the short path and in the lessons from tokens to GPT call measured, with seeds by name."""

import re
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from core.data import corpora
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from tests.library.lessons.asked import came, of

SEEDS = (0, 1, 2)


def example(name: str) -> ExperimentRun:
    return experiment.run_experiment(name)


@pytest.mark.measured("01-tokens", "The word “Привет”")
def test_the_text_has_no_cyrillic_letter() -> None:
    assert not re.search("[\u0400-\u04ff]", corpora.load("python-topics").text)


@pytest.mark.measured("01-tokens", "Which of these three tokens")
def test_what_often_follows_red_is_not_near_to_it() -> None:
    from core.rooms.embeddings import nearest

    found = nearest.compute(nearest.Inputs(token=129)).by_name("ball", "blue", "box")
    assert found["blue"] > 0.4 > 0.15 > max(found["ball"], found["box"])
    words = corpora.load("stories").text.lower()
    assert len(re.findall(r"\bred ball\b", words)) > 10 > len(re.findall(r"\bred blue\b", words)) == 0


@pytest.mark.measured("01-tokens", "The model with characters")
def test_the_tokens_of_the_stories_hold_three_characters() -> None:
    record = example("own-tokens").record
    assert record["length.characters"] == 1
    assert 2.8 < float(record["length.stories"]) < 3.3


@pytest.mark.measured("02-soft-dictionary", "Which of the three ways")
def test_the_draw_is_later_than_the_mixture() -> None:
    from core.rooms.hard_attention.three_ways import steps_to_find

    found = steps_to_find(example("choosing"))
    assert found["soft"] is not None and found["sampled"] is not None and found["argmax"] is None
    assert found["soft"] < found["sampled"]


@pytest.mark.measured("03-scaled-dot-product", "Training sends")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_median_falls_and_the_mean_rises_in_wide_vectors_only(seed: int) -> None:
    from core.rooms.step_by_step import scale

    wide, narrow = (scale.compute(scale.Inputs(d_k=d_k, seed=seed)).here for d_k in (512, 16))
    assert wide.gradient_median[0] < 0.6 * wide.gradient_median[1]
    assert wide.gradient_mean[0] > 5 * wide.gradient_mean[1]
    assert narrow.gradient_median[0] > narrow.gradient_median[1]


@pytest.mark.measured("05-masks", "The first word may read only itself")
def test_the_later_words_take_nearly_everything() -> None:
    assert came("masks/4") > 90


@pytest.mark.measured("05-masks", "Afterwards both are asked")
@pytest.mark.measured("short/3-short-masks", "How does the model that learned by peeking do?")
def test_peeking_looks_like_a_triumph_until_nothing_is_left_to_see() -> None:
    record = example("cheating").record
    assert float(record["val_loss.unmasked"]) < 0.1 < 1 < float(record["val_loss.masked"])
    assert float(record["end_loss.unmasked"]) > float(record["end_loss.masked"]) + 0.5


@pytest.mark.measured("short/4-short-block", "Two models without")
@pytest.mark.measured("07-the-block", "Without residual paths")
def test_after_two_layers_words_differ_and_after_eight_they_do_not() -> None:
    record = example("depth").record
    assert record["diversity.none_8"][-1, -1] < 1e-4 < 0.1 < record["diversity.none_2"][-1, -1]


@pytest.mark.measured("07-the-block", "Draw how different")
@pytest.mark.parametrize("seed", SEEDS)
def test_words_differ_by_no_more_than_rounding(seed: int) -> None:
    start = experiment.make_experiment("depth", {}, seed).record() if seed else example("depth").record
    by_layer = start["diversity.none_8"][0]
    assert by_layer[6:].max() < 1e-6 and by_layer[8] < 3e-7
    assert (np.diff(by_layer[:5]) < 0).all() and by_layer[0] > 0.9


@pytest.mark.measured("07-the-block", "What percentage of the last block's")
def test_units_that_are_on_differ_from_word_to_word() -> None:
    from core.rooms.block import feed_forward

    found = feed_forward.compute(feed_forward.Inputs(layer=1))
    on = found.pre > 0
    assert on.mean() < 0.25
    both = [(on[i] & on[j]).sum() / (on[i] | on[j]).sum() for i in range(len(on)) for j in range(i)]
    assert np.median(both) < 0.5


@pytest.mark.measured("07-the-block", "16 layers with norms")
@pytest.mark.parametrize("seed", SEEDS)
def test_with_the_path_as_much_arrives_as_there_was(seed: int) -> None:
    assert came("the-block/6", seed=seed) == "less"
    top, bottom = map(float, re.findall(r"(\d\.\d+) of gradient at the top, (\d\.\d+)", of(
        "the-block/6", seed=seed, residual=True).sentence)[0])  # fmt: skip
    assert 0.9 * top < bottom < 1.3 * top


@pytest.mark.measured("08-counting-to-attention", "*A young dog hid")
def test_only_people_hide() -> None:
    """What this catches: a pair that is missing for one way of writing a word, and occurs for another."""
    from core.data.synthetic.story_grammar import PEOPLE
    from core.rooms.ngrams.inputs import CountedText

    text = CountedText("stories", "word")
    words = [token.strip() for token in text.tokenizer.tokens(text.train.tolist())]
    count = Counter(pairwise(words))
    hiding = {first for first, second in count if second == "hid"}
    assert hiding <= {one.name for one in PEOPLE} and "dog" in words
    sentence = ["A", "young", "dog", "hid", "under", "the", "box", "."]
    assert [pair for pair in pairwise(sentence) if count[pair] < 5] == [("dog", "hid")]


@pytest.mark.measured("08-counting-to-attention", "What percentage of the 6-grams")
def test_every_word_of_memory_makes_more_unseen() -> None:
    shares = [float(one) for one in re.findall(r"([\d.]+)% of order", of("counting-to-attention/3").sentence)]
    assert len(shares) == 6 and shares == sorted(shares) and shares[0] < shares[2] < shares[5]


@pytest.mark.measured("08-counting-to-attention", "Draw the share of letters")
def test_the_bottleneck_fades_from_the_start() -> None:
    right = np.array(came("counting-to-attention/6"))
    fall = -np.diff(right)
    assert (fall > 0).all() and fall[0] == fall.max()


@pytest.mark.measured("08-counting-to-attention", "In this training, where")
def test_it_writes_the_right_letters_and_reads_the_letter_itself_second() -> None:
    from core.rooms.seq2seq import alignment
    from core.rooms.seq2seq.inputs import TASKS

    found: Any = alignment.compute(alignment.Inputs(reversal="attention"), example("bottleneck"))
    assert set(TASKS["reversal"].verdict(found.seen).values()) == {"attention"[::-1]}
    assert found.stripe[1] > found.stripe[0] > found.stripe[-1]


@pytest.mark.measured("short/5-short-training", "Draw how the loss falls")
@pytest.mark.measured("09-gpt", "Draw the loss over")
def test_most_of_the_fall_comes_first() -> None:
    loss = np.array(came("gpt/5"))  # after 1, 50, 100, … 500 steps
    assert loss[0] - loss[2] > 0.7 * (loss[0] - loss[-1])
