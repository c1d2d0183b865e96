"""What the decoder room says of what it shows by default is so: the shipped model, the example, untrained models."""

import math
import re
from typing import Any

import numpy as np
import pytest
import torch

from core.inspect.logit_lens import logit_lens
from core.models import registry
from core.models.gpt import GPT
from core.rooms.decoder import first_loss, leak, lens, next_words, one_step, unembed, write
from core.rooms.decoder.compute import training_window
from core.rooms.decoder.compute.readout import embedding_similarity, last_row
from core.rooms.decoder.experiments import lens as task
from core.rooms.decoder.inputs import MAX_TOKENS, SENTENCE, read_window
from core.train import experiment

GIVEN = read_window(SENTENCE)


@pytest.fixture(scope="module")
def model() -> GPT:
    found: GPT = GIVEN.model  # type: ignore[assignment]
    return found


@pytest.fixture(scope="module")
def ids() -> list[int]:
    assert GIVEN.n_token == MAX_TOKENS
    return list(GIVEN.ids)


def test_frozen_step(model: GPT, ids: list[int]) -> None:
    found, tokenizer = training_window.predict_window(model, ids), GIVEN.tokenizer
    names = tokenizer.tokens(found.inputs.tolist())
    near, the = names.index(" near"), names.index(" the")
    assert tokenizer.tokens([found.targets[near]]) == [" the"] and found.probability[near] > 0.995
    assert tokenizer.tokens([found.targets[the]]) == [" park"]
    assert 0.05 < found.probability[the] < 0.5 and found.top_probabilities[the][2] > 0.05  # over several places
    assert (found.loss < 0.01).sum() >= 5 and (found.loss > 1).sum() >= 3
    assert found.loss[near] < 0.01 and found.loss[the] > 1
    for seed in range(5):  # the untrained copy's lines hardly leave ln V
        other = training_window.predict_window(registry.build(model.config, seed), ids)
        assert np.abs(other.loss - math.log(453)).max() < 0.8 and abs(other.mean - math.log(453)) < 0.2


@pytest.mark.measured("17-lecture-notes", "What is the mean loss")
def test_first_loss() -> None:
    found = first_loss.compute(first_loss.Inputs()).by_start
    blind, wide = math.log(512), found["torch"]
    assert (wide.window > blind).mean() > 0.5  # most of them cost more
    assert wide.variance.mean() == pytest.approx(1 / 3, abs=0.01)
    assert wide.every.mean() - blind == pytest.approx(1 / 6, abs=0.005)
    assert round(first_loss.theoretical_loss(144, 512) - blind - 1 / 6, 3) == 0.001
    assert found["gpt2"].every.mean() - blind == pytest.approx(0.03, abs=0.003)
    assert np.allclose(found["zero"].window, blind, atol=1e-12)
    above = (wide.window > first_loss.NOTE_LOSS).sum()
    assert 2 <= above <= first_loss.N_SEED / 2  # the note's number is an ordinary throw


def test_last_row(model: GPT, ids: list[int], film: experiment.Record) -> None:
    found = embedding_similarity(model)
    assert not found.tied and abs(np.nanmean(found.own)) < 0.05
    small = film_model(film)
    related = embedding_similarity(small)
    assert related.tied and np.nanmean(related.own) == pytest.approx(1)
    # With tying, a logit is the dot product with the token's own embedding.
    row = last_row(small, film["probe"].tolist())
    own = small.tok_emb.weight.double().numpy() @ row.hidden
    assert np.allclose(row.logits, own, atol=1e-10)
    read = unembed.compute(unembed.Inputs(place=4))
    assert read.tokens[4] == " near" and read.words[read.row.shown[0]] == " the" and read.favorite > 0.99
    place = int(training_window.predict_window(model, ids).loss.argmax())
    row = last_row(model, ids[: place + 1])

    def against(i: int) -> float:
        """Of the twenty largest products, the share of those that go the other way."""
        products = row.hidden * row.rows[i]
        largest = products[np.argsort(-np.abs(products))[:20]]
        return float(min((largest < 0).mean(), (largest > 0).mean()))

    assert against(0) <= 0.2 < against(len(row.shown) - 1)


def test_lens() -> None:
    found = lens.compute(lens.Inputs())
    near = found.tokens.index(" near")
    assert [found.words[i] for i in found.top[:, near, 0]] == [" strong", " the", " the"]
    assert np.round(found.probabilities[:, near, 0], 2).tolist() == pytest.approx([0.15, 0.96, 1.0], abs=0.001)
    assert (np.diff(found.rank[:, :-1], axis=0) > 0).any()  # the rank need not climb


def test_optimizer_step(model: GPT, ids: list[int]) -> None:
    name, place = one_step.DEFAULT, (3, 5)
    found = one_step.check_gradient(model, ids, name, place)
    assert found.errors[1] / found.errors[2] == pytest.approx(100, rel=0.25)
    best = int(found.errors.argmin())
    assert 2 <= best <= 6 and found.errors[-1] > 1e4 * found.errors[best]
    for other in (place, (0, 0), (7, 9)):
        way = one_step.follow_weight(model, ids, name, other, n_step=1, learning_rate=1e-3)
        assert abs(way[0].move) == pytest.approx(1e-3, rel=0.02)
    unused = next(i for i in range(model.config.vocab_size) if i not in ids)
    assert one_step.follow_weight(model, ids, "tok_emb.weight", (unused, 3), n_step=1, learning_rate=1e-3)[0].move == 0
    way = one_step.follow_weight(model, ids, name, place, n_step=one_step.N_STEP, learning_rate=1e-3)
    assert one_step.N_STEP == 8 and way[-1].loss < 0.02 < 0.3 < way[0].loss
    assert (np.diff([one.loss for one in way]) < 0).all()
    large = [one.loss for one in one_step.compute(one_step.Inputs(rate=0.01)).updates]
    assert large[1] > large[0] > large[-1]


def test_leak() -> None:
    for into in ("Tom", "looked", "the"):
        leaks = leak.compute(leak.Inputs(into=into)).leaks
        assert leaks[True].before == 0.0 and leaks[False].before > 1
    assert leaks[False].loss > 2 * leaks[True].loss  # it only gets confused
    found = leak.compute(leak.Inputs(place=10))
    assert [found.leaks[masked].n_noticed[10] for masked in (True, False)] == [0, 10]


@pytest.fixture(scope="module")
def film() -> experiment.Record:
    return experiment.run_experiment("lens").record


def film_model(film: experiment.Record) -> GPT:
    """The model of the example, after its last step."""
    found: GPT = task.recorded_model(film, task.Options())
    return found


def test_the_example_is_what_the_code_makes_now(film: experiment.Record) -> None:
    running = experiment.make_experiment("lens", {}, 0)
    while running.step < 20:
        running.advance()
    now = running.record()
    n = len(now["step"])
    assert n > 10 and np.array_equal(now["step"], film["step"][:n]) and np.array_equal(now["probe"], film["probe"])
    assert np.allclose(now["frames.truth"], film["frames.truth"][:n], atol=0.02, equal_nan=True)
    last = logit_lens(film_model(film), film["probe"].tolist())
    assert np.array_equal(last.top[..., 0], film["frames.top"][-1, ..., 0])
    assert np.allclose(last.truth, film["frames.truth"][-1].astype(np.float32), atol=1e-3, equal_nan=True)


def test_the_film(film: experiment.Record) -> None:
    tokenizer, steps = experiment.tokenizer_of(film), film["step"].tolist()
    names = np.array(tokenizer.tokens(range(tokenizer.vocab_size)))
    said, share = names[film["frames.top"][..., 0]], film["frames.probabilities"][..., 0].astype(float)
    read = names[film["probe"]]
    assert (said[0, 0] == read).mean() > 0.8 and share[0, 0].max() < 0.015  # a whisper
    at = read.tolist().index(" and")
    assert said[-1, 0, at] == " and" and share[-1, 0, at] > 0.995
    early = steps.index(18)
    assert set(said[early, -1]) <= {".", " the", " and", "\n"}
    first, second = [i for i, token in enumerate(read) if token == " Mia"]
    assert said[early, -1, first] == said[early, -1, second]
    assert (said[-1, -1, first], said[-1, -1, second]) == (" played", " hid")
    assert torch.tensor(film["curve.loss"][-1]) < 1 < film["blind"]


def test_next_words_are_those_of_the_model_itself(film: experiment.Record) -> None:
    found = next_words.compute(next_words.Inputs(), experiment.run_experiment("lens"))
    ids = torch.tensor(film["probe"].astype(np.int64))
    with torch.no_grad():
        shares = film_model(film)(ids[None])[0, :-1].softmax(-1).numpy()
    names = experiment.tokenizer_of(film).tokens(range(shares.shape[-1]))
    answers = shares[np.arange(len(ids) - 1), ids[1:]]
    assert [found.words[i] for i in found.top[-1, :, 0]] == [names[i] for i in shares.argmax(-1)]
    assert np.allclose(found.probabilities[-1, :, 0], shares.max(-1), atol=2e-3)
    assert np.allclose(found.truth[-1], answers, atol=2e-3)
    assert found.is_right[-1].tolist() == (shares.argmax(-1) == ids[1:].numpy()).tolist()
    at = found.steps.tolist()
    assert [int(found.is_right[at.index(step)].sum()) for step in (0, 18, 500)] == [0, 4, 8]
    assert found.probabilities[-1, ~found.is_right[-1], 0].max() < 0.6  # it misses only where it is unsure
    assert found.probabilities[0].max() < 0.02  # before training all are about equally likely


def test_the_small_model_writes_stories_and_loses_track_of_names(film: experiment.Record) -> None:
    run = experiment.run_experiment("lens")

    def story(**inputs: Any) -> write.WrittenStory:
        return write.compute(write.Inputs(**inputs), run)

    one, other = (task.stories_tokenizer().decode(story(seed=seed).written.tokens.tolist()) for seed in (0, 1))
    assert one != other
    for text in (one, other):
        assert "looked" in text and {"Lily", "Leo", "Rosa", "Nora", "Ben", "Zoe"} & {*re.findall(r"[A-Z][a-z]+", text)}
    # Before training all words are nearly equally likely: these are the weights that the training started with.
    found = story(model="before").written
    assert found.probabilities.min() * task.stories_tokenizer().vocab_size > 0.5
    assert found.probabilities.max() * task.stories_tokenizer().vocab_size < 1.5
    begun = experiment.make_experiment("lens", {}, 0).record()
    for name, weight in registry.build(task.recorded_config(film, task.Options()), 0).named_parameters():
        assert np.array_equal(weight.detach().numpy(), begun[f"model.lens.{name}"]), name
