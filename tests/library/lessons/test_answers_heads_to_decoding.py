"""What answers the predictions of the lessons from many heads to decoding, against another route to the same value."""

import copy
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from core.lessons.answers import ANSWERS, Answer
from core.lessons.answers.stories import stories
from core.nn.tap import Trace
from core.train.experiment import EXAMPLES, start, unpack
from core.ui.models import models
from core.ui.training import live

BOAT = "Tom had a red boat. One day he took the"  # two heads read the boat, and one of them is needed


def came(name: str, /, **given: Any) -> Any:
    found = ANSWERS[name](**given)
    assert isinstance(found, Answer), found
    assert found.sentence
    return found.value


def curve(name: str, /, **given: Any) -> np.ndarray:
    values = came(name, **given)
    assert isinstance(values, Sequence)
    return np.array(values)


def record(name: str) -> dict[str, Any]:
    return dict(unpack((EXAMPLES / f"{name}.safetensors").read_bytes())[0])


@pytest.fixture(scope="module")
def model() -> Any:
    return models.load(models.shipped_key()).model


@pytest.fixture(scope="module")
def ids() -> torch.Tensor:
    return torch.tensor([models.unpack(stories().packed)])


@pytest.fixture(scope="module")
def trace(model: Any, ids: torch.Tensor) -> Any:
    with torch.no_grad(), Trace(model) as seen:
        model(ids)
    return seen


# Many heads


def test_heads_share_the_width() -> None:
    assert came("heads.cost-of-more", d_model=512, n_head=8) == "same"
    assert ANSWERS["heads.cost-of-more"](d_model=512, n_head=8).sentence.count(f"{4 * 512**2:,}") == 2


@pytest.mark.parametrize(("width", "n_head"), [(16, 4), (32, 8), (8, 1)])
def test_a_head_sees_all_of_a_token_and_without_w_o_fills_its_own_part(width: int, n_head: int) -> None:
    assert came("heads.reach", d_model=width, n_head=n_head) == width
    assert came("heads.without-w-o", d_model=width, n_head=n_head) == width // n_head


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.65])
def test_previous_token_heads_are_counted_from_the_weights(trace: Any, threshold: float) -> None:
    weights = [trace[f"blocks.{layer}.attn.weights"][0] for layer in range(2)]  # (H, T, T)
    means = torch.cat([one.diagonal(-1, -2, -1).mean(-1) for one in weights])
    assert came("heads.previous-token", threshold=threshold) == int((means >= threshold).sum())


def without(model: Any, heads: list[tuple[int, int]], ids: torch.Tensor) -> torch.Tensor:
    """Switch heads off by zeroing what W_o takes from them."""
    changed = copy.deepcopy(model)
    for layer, head in heads:
        weight = changed.blocks[layer].attn.w_o.weight
        width = weight.shape[1] // changed.config.n_head
        with torch.no_grad():
            weight[:, head * width : (head + 1) * width] = 0
    with torch.no_grad():
        return changed(ids)[0, -1].softmax(-1)


def test_heads_taken_away_through_the_weights(model: Any, ids: torch.Tensor) -> None:
    boat = torch.tensor([models.unpack(stories(BOAT).packed)])
    expected = int(without(model, [], boat).argmax())
    left = {head: float(without(model, [(1, head)], boat)[expected]) for head in (1, 2)}
    assert left[1] < 0.2 and left[2] > 0.99
    for one, other in ((1, 2), (2, 1)):
        assert came("heads.missed", layer=1, one=one, other=other, text=BOAT) == "1"
    assert came("heads.missed", layer=1, one=2, other=2, text=BOAT) == "same"
    assert came("heads.missed", layer=1, one=0, other=1) == "0"  # the model's own text needs another head
    expected = int(without(model, [], ids).argmax())
    for pair in ([(0, 0), (0, 1)], [(1, 0), (1, 3)]):
        both = float(without(model, pair, ids)[expected])
        assert came("heads.both-off", heads=[list(one) for one in pair]) == pytest.approx(100 * both, abs=0.06)


def test_a_head_made_to_read_what_it_read_anyway_changes_nothing() -> None:
    tokens = [token.strip() for token in stories().tokens]
    assert came("heads.made-to-read", layer=1, head=0, token=len(tokens) - 1 - tokens[::-1].index("Mia")) == "own"
    assert came("heads.made-to-read", layer=1, head=0, token=tokens.index("Tom")) == "read"
    assert came("heads.made-to-read", layer=1, head=0, token=tokens.index("wall")) == "else"
    assert came("heads.made-to-read", layer=1, head=1, token=tokens.index("Tom")) == "own"


def test_the_head_missed_most() -> None:
    assert came("heads.missed-most") == "other"


# The block


def test_written_length_from_the_trace(trace: Any) -> None:
    for layer in range(2):
        written = float(trace[f"blocks.{layer}.mlp.out"][0, -1].norm())
        stream = float(trace[f"blocks.{layer}.resid_mid"][0, -1].norm())
        ratio = written / stream
        value = "shorter" if ratio < 0.5 else "alike" if ratio < 1.5 else "longer"
        assert came("block.written-length", layer=layer) == value
    assert (came("block.written-length", layer=0), came("block.written-length", layer=1)) == ("alike", "longer")


def test_units_on_from_the_trace(trace: Any) -> None:
    for layer in range(2):
        share = float((trace[f"blocks.{layer}.mlp.pre"][0, -1] > 0).double().mean())
        assert came("block.units-on", layer=layer) == pytest.approx(100 * share, abs=0.06)


@pytest.mark.parametrize("source", ["exponential", "uniform", "normal"])
def test_skew_stays(source: str) -> None:
    from core.rooms.block.compute import moments

    x = moments.draw(source, 768, 0)
    skew = float((((x - x.mean()) / x.std()) ** 3).mean())
    assert came("block.skew-after", source=source, width=768) == pytest.approx(skew, abs=0.006)


@pytest.mark.parametrize(("width", "hidden"), [(16, 64), (8, 4)])
def test_two_linear_layers_are_one(width: int, hidden: int) -> None:
    assert came("block.two-linear", width=width, hidden=hidden) == "one"


def test_gradient_needs_the_path() -> None:
    assert came("block.gradient-left", n_layer=16, residual=True) == "most"
    assert came("block.gradient-left", n_layer=16, residual=False) == "less"
    assert came("block.gradient-left", n_layer=1, residual=False) == "most"


def test_diversity_is_that_of_the_experiment_before_its_first_step() -> None:
    first = start("depth", {}, 0).record()["diversity.none_8"][0]
    assert curve("block.diversity") == pytest.approx(first, abs=6e-4)
    assert curve("block.diversity") == pytest.approx(record("depth")["diversity.none_8"][0], abs=6e-4)


def test_who_learns_is_read_from_the_accuracies() -> None:
    found = {name: record("depth")[f"curve.{name}.accuracy"][-1] for name in ("none_8", "none_2")}
    assert found["none_2"] > 0.95 > found["none_8"]
    assert came("block.who-learns") == "two"


def test_share_of_gpt_2() -> None:
    d, n_layer = 768, 12
    feed_forward = n_layer * (8 * d * d + 5 * d)
    blocks = n_layer * (12 * d * d + 13 * d)
    total = blocks + (50_257 + 1_024) * d + 2 * d
    assert came("block.share-of", which="gpt2", term="feed-forward") == round(100 * feed_forward / total, 1)
    assert feed_forward / blocks == pytest.approx(2 / 3, abs=0.01)


# From counting to attention


@pytest.fixture(scope="module")
def reading() -> Any:
    from core.rooms.ngrams.inputs import Text

    return Text("stories", "word")


def test_pairs_and_longer_n_grams_by_sets(reading: Any) -> None:
    train, val = reading.train.tolist(), reading.val.tolist()
    n = len(set(train))
    assert came("before.pairs-seen", corpus="stories", cut="word") == round(100 * len(set(pairwise(train))) / n**2, 1)
    for order in (1, 2, 6):
        seen = {tuple(train[i : i + order]) for i in range(len(train) - order + 1)}
        new = [tuple(val[i : i + order]) for i in range(len(val) - order + 1)]
        share = sum(one not in seen for one in new) / len(new)
        assert came("before.never-seen", corpus="stories", cut="word", order=order) == pytest.approx(
            100 * share, abs=0.1
        )


def test_one_unseen_pair_makes_a_sentence_impossible(reading: Any) -> None:
    train, text = reading.train.tolist(), "Tom hid under the box."
    pairs = set(pairwise(train))
    own = list(pairwise(reading.tokenizer.encode(text)))
    assert sum(pair not in pairs for pair in own) == 1
    assert came("before.sentence", text=text, order=2) == "zero"
    assert came("before.sentence", text=text, order=1) == "tiny"
    assert came("before.sentence", text="Tom", order=1) == "likely"


def test_recurrent_nets_forget_and_attention_does_not() -> None:
    sizes = {kind: came("before.gradient-of-a-net", kind=kind, distance=40) for kind in ("rnn", "lstm", "attention")}
    assert sizes["rnn"] < sizes["lstm"] < -6 and abs(sizes["attention"]) < 1
    assert sizes["lstm"] < came("before.gradient-of-a-net", kind="lstm", distance=10) < -1


@pytest.mark.parametrize("variant", ["with", "without"])
def test_the_bottleneck_is_measured_like_the_training_measured_it(variant: str) -> None:
    lengths = [4, 8, 12, 16, 20, 25, 30]
    trained = record("bottleneck")
    at = [trained["lengths"].tolist().index(length) for length in lengths]
    found = curve("before.bottleneck", variant=variant, lengths=lengths)
    assert found == pytest.approx(trained[f"curve.{variant}.forced"][-1][at], abs=0.06)


def test_where_it_looks_from_the_weights() -> None:
    from core.rooms.seq2seq import alignment

    word = "attention"
    seen = alignment.compute(alignment.Inputs(reversal=word), live.current("bottleneck")).seen  # type: ignore[arg-type]
    weights, n = seen.weights, len(word)
    own = np.mean([weights[t, n - 1 - t] for t in range(n)])
    right = np.sum([weights[t, n - t] for t in range(1, n)]) / (n - 1)
    assert right > own
    assert came("before.where-it-looks", word=word) == "right"


def test_soft_and_drawn_find_the_card() -> None:
    found = {way: record("choosing")[f"curve.{way}.found"][-1] for way in ("soft", "sampled", "argmax")}
    assert min(found["soft"], found["sampled"]) > 0.9 > 0.2 > found["argmax"]
    assert came("look-up.who-finds-the-card") == "both"


@pytest.mark.parametrize(("text", "name", "amount"), [("real", "budget", "10k"), ("stories", "budget-stories", "all")])
def test_who_is_best_by_the_record(text: str, name: str, amount: str) -> None:
    found = record(name)
    bits = {net: found[f"curve.{amount}.{net}"][-1] for net in ("gru", "gpt")} | {
        "ngram": found[f"ngram.{amount}"].min()
    }
    assert came("before.who-is-best", text=text, amount=amount) == min(bits, key=bits.__getitem__)


def test_only_the_transformer_notices_the_ending() -> None:
    assert came("before.notices-the-ending") == "gpt"


# GPT


@pytest.fixture(scope="module")
def window() -> list[int]:
    from core.lessons.answers.gpt import window

    return list(window().ids)


def test_one_pass_asks_one_question_less_than_there_are_tokens(window: list[int]) -> None:
    assert came("gpt.how-many-lessons") == len(window) - 1 == 13


def test_the_dearest_word_by_cross_entropy(model: Any, window: list[int]) -> None:
    with torch.no_grad():
        logits = model(torch.tensor([window]))[0]
    losses = torch.nn.functional.cross_entropy(logits[:-1], torch.tensor(window[1:]), reduction="none")
    names = [models.vocabulary(models.shipped_key())[i].strip() for i in window[1:]]
    costs = {word: float(losses[names.index(word)]) for word in ("park", "under", "bench")}
    assert came("gpt.dearest", words=list(costs)) == max(costs, key=costs.__getitem__)


def test_an_untrained_model_guesses_nearly_blindly() -> None:
    for vocab_size, seed in ((453, 0), (50_257, 0), (50_257, 1), (50_257, 2)):
        blind = math.log(vocab_size)
        assert abs(came("gpt.untrained-loss", vocab_size=vocab_size, seed=seed) - blind) < 0.06


def test_nobody_notices_the_future(model: Any, window: list[int]) -> None:
    changed = [*window]
    changed[6] = window[0]
    with torch.no_grad():
        before, after = (model(torch.tensor([one]))[0, :6] for one in (window, changed))
    assert torch.equal(before, after)


def test_the_loss_without_the_mask(model: Any, window: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    from torch.nn.functional import cross_entropy

    def loss() -> float:
        with torch.no_grad():
            return float(cross_entropy(model(torch.tensor([window]))[0, :-1], torch.tensor(window[1:])))

    masked = loss()
    monkeypatch.setattr(model, "mask", lambda *_: None)
    bare = loss()
    assert bare > 2 * masked
    monkeypatch.undo()
    assert came("gpt.loss-without-mask") == "rises"
    assert f"{masked:.2f} nats" in ANSWERS["gpt.loss-without-mask"]().sentence


def test_the_lens_by_hand(model: Any, window: list[int]) -> None:
    with torch.no_grad(), Trace(model) as seen:
        logits = model(torch.tensor([window]))[0]
    after_first = model.unembed(model.norm(seen["blocks.0.resid_out"][0]))
    for place, after in ((4, "near"), (7, "."), (6, "park")):
        is_there = int(after_first[place].argmax()) == int(logits[place].argmax())
        assert is_there == (came("gpt.lens", after=after, block=0) == "yes")
        assert came("gpt.lens", after=after, block=1) == "yes"


def test_adams_first_move_is_the_learning_rate() -> None:
    given: dict[str, Any] = {"name": "blocks.0.mlp.w_in.weight", "one": [3, 12], "other": [3, 11]}
    for rate in (0.001, 0.01):
        assert came("gpt.first-move", rate=rate, **given) == "alike"


def test_teacher_forcing_flatters_where_mistakes_are_made() -> None:
    assert came("gpt.forced-or-free", length=25) == "worse"
    assert came("gpt.forced-or-free", length=5) == "alike"


def test_the_loss_curve_is_that_of_the_record() -> None:
    found = record("lens")
    at = [1, 50, 250, 500]
    losses = curve("gpt.loss-curve", steps=at)
    assert losses[0] == pytest.approx(found["curve.loss"][0], abs=1e-3)
    assert losses[0] == pytest.approx(math.log(198), abs=0.1)
    assert (np.diff(losses) < 0).all()
    assert losses[2] == pytest.approx(found["curve.loss"][244:255].mean(), abs=1e-3)


# Decoding


@pytest.fixture(scope="module")
def next_row(model: Any, ids: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return model(ids[:, :2])[0, -1].double()


def test_favorite_and_temperature_by_the_formula(next_row: torch.Tensor) -> None:
    assert came("decoding.favorite") == pytest.approx(100 * float(next_row.softmax(-1).max()), abs=0.06)
    ts = [0.25, 0.5, 1.0, 2.0, 4.0]
    by_hand = [float((next_row / t).softmax(-1).max()) for t in ts]
    assert curve("decoding.temperature", temperatures=ts) == pytest.approx(by_hand, abs=6e-4)


@pytest.mark.parametrize("t", [0.5, 1.0, 2.0])
def test_temperature_removes_nothing(next_row: torch.Tensor, t: float) -> None:
    assert came("decoding.left-by-temperature", t=t) == int(((next_row / t).softmax(-1) > 0).sum()) == len(next_row)


@pytest.mark.parametrize("hundredths", [1, 49, 50, 51, 74, 75, 76, 87, 88, 94, 100])
def test_top_p_in_exact_arithmetic(hundredths: int) -> None:
    shares = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 16), Fraction(1, 16)]
    n = next(n for n in range(1, 6) if sum(shares[:n]) >= Fraction(hundredths, 100))
    assert came("decoding.kept-by-top-p", probabilities=[float(one) for one in shares], p=hundredths / 100) == n


def test_the_order_of_the_knobs(next_row: torch.Tensor) -> None:
    def n_kept(p: torch.Tensor) -> int:
        return int((p.sort(descending=True)[0].cumsum(-1) < 0.9).sum()) + 1

    first, second = n_kept((next_row / 2).softmax(-1)), n_kept(next_row.softmax(-1))
    assert first > second
    assert came("decoding.order", t=2, p=0.9) == "more"
    assert came("decoding.order", t=1, p=0.9) == "same"


def test_draws_follow_the_probability(next_row: torch.Tensor) -> None:
    p = float(next_row.softmax(-1).max())
    counts = [came("decoding.draws", n=1000, seed=seed) for seed in range(8)]
    assert len(set(counts)) > 3
    assert all(abs(count - 1000 * p) < 4 * math.sqrt(1000 * p * (1 - p)) for count in counts)


def test_greedy_misses_a_likelier_sentence(model: Any) -> None:
    text = "Tom and Mia played near the park. Mia hid in the grass. Tom looked under the tree. No"
    ids = torch.tensor([models.unpack(stories(text).packed)])
    names = list(models.vocabulary(models.shipped_key()))

    def log_prob(words: str) -> float:
        new = [names.index(word) for word in words.split("|")]
        whole = torch.cat([ids[0], torch.tensor(new)])[None]
        with torch.no_grad():
            rows = model(whole)[0].double().log_softmax(-1)
        return sum(float(rows[ids.shape[1] - 1 + k, token]) for k, token in enumerate(new))

    greedy = log_prob(" Mia|!| Tom| looked| behind| the| big| stone|.")
    other = log_prob(" Mia|!| Then| he| looked| in| the| grass|.")
    assert math.exp(other - greedy) > 3
    assert came("decoding.greedy-misses", n_beam=3, text=text) == "twice"
    assert came("decoding.greedy-misses", n_beam=1, text=text) == "same"
    assert came("decoding.greedy-misses", n_beam=3) == "same"  # after the model's own text the two agree


def test_the_short_list_fails_only_where_something_ends() -> None:
    assert came("decoding.short-list", n_beam=3) == "ends"


def test_the_cache_saves_what_is_counted_in_a_run(model: Any, ids: torch.Tensor) -> None:
    from core.rooms.cache.compute import cached_writing

    race = cached_writing.race(model, ids[0].tolist(), 12, n_repeat=1)
    assert came("decoding.cache-saves", n_new=12) == round(float(race.work_anew.sum() / race.work.sum()), 1)


def test_where_greedy_lands_by_ranking_all_texts() -> None:
    from core.rooms.beam import truth

    shown = live.current("beam-truth")
    assert shown is not None
    found = truth.compute(truth.Inputs(), shown)
    rank = int((found.texts.log_probs > found.texts.log_probs[found.greedy]).sum()) + 1
    assert came("decoding.where-greedy-lands") == ("best" if rank == 1 else "near" if rank <= 20 else "far")
