"""What answers the predictions of the lessons, against values made by hand or by another route."""

import copy
import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from core.inspect.reading.model_and_text import ModelAndText, read
from core.nn.tap import Trace
from core.train.experiment import rebuild
from core.train.experiments.live import Live
from core.ui.training import live
from tests.library.lessons.asked import came, of

BOAT = "Tom had a red boat. One day he took the"  # two heads read the boat, and one of them is needed


def example(name: str) -> Live:
    found = live.example(name)
    assert found is not None
    return found


def heights(place: str, **inputs: Any) -> np.ndarray:
    return np.array(came(place, **inputs))


@pytest.fixture(scope="module")
def given() -> ModelAndText:
    """The model of little stories and the text that most rooms open with."""
    from core.rooms.heads.inputs import Predicted

    return Predicted().given


@pytest.fixture(scope="module")
def ids(given: ModelAndText) -> torch.Tensor:
    return torch.tensor([given.ids])


@pytest.fixture(scope="module")
def trace(given: ModelAndText, ids: torch.Tensor) -> Any:
    with torch.no_grad(), Trace(given.model) as seen:
        given.model(ids)
    return seen


# Tokens, look-up, scores


def test_a_word_of_unseen_letters_costs_its_bytes() -> None:
    assert came("tokens/2") == len("Привет".encode())
    assert came("tokens/2.2", given={"text": "unhappiness", "vocab_size": 256}) == 11


def test_the_first_merge_is_the_most_frequent_pair() -> None:
    counts: Counter[str] = Counter()
    for word, n in {"low": 5, "lower": 2, "newest": 6, "widest": 3}.items():
        counts.update({"".join(pair): n for pair in pairwise(word)})
    assert counts.most_common(1)[0][1] == counts["es"] == 9
    assert (counts["lo"], counts["we"], counts["ne"]) == (7, 8, 6)  # what the lesson says of the other options
    assert came("tokens/3") == "es" and "9 times" in of("tokens/3").sentence


def test_tokens_by_doubling_begin_with_bytes_and_fall() -> None:
    from core.data import corpora

    tokens = heights("tokens/4")
    unread = corpora.split(corpora.load("python-topics").text)[1][:100_000]
    assert tokens[0] == pytest.approx(1000 * len(unread.encode()) / len(unread))
    assert (np.diff(tokens) < 0).all() and (np.diff(tokens, 2) > 0).all()  # each doubling saves less


def test_red_is_nearest_to_a_color(given: ModelAndText) -> None:
    table = given.model.get_parameter("tok_emb.weight").detach().double()
    red, *others = (table[given.vocabulary.index(word)] for word in (" red", " ball", " blue", " box"))
    cosines = [float(torch.cosine_similarity(red, other, 0)) for other in others]
    assert all(f"{cosine:.2f}" in of("tokens/8").sentence for cosine in cosines) and max(cosines) == cosines[1]


def test_the_look_up_by_hand() -> None:
    e = [math.exp(s) for s in (0.8, 0.6, -0.8, -0.6)]
    assert came("soft-dictionary/2") == pytest.approx(e[0] / sum(e), abs=1e-9)
    numbers = "~0.8~0.6~1~0~0~1~-1~0~0~-1~2~0.5~0.5~2~-2~1~-1~-1.5"
    assert came("soft-dictionary/5", numbers=f"1{numbers}") == "east"
    assert came("soft-dictionary/3", numbers=f"0.02{numbers}") == "best"
    assert "the soft one 360 times" in of("soft-dictionary/7").sentence
    found = {way: example("choosing").record[f"curve.{way}.found"][-1] for way in ("soft", "sampled", "argmax")}
    assert min(found["soft"], found["sampled"]) > 0.9 > 0.2 > found["argmax"]


def test_scores_by_hand() -> None:
    assert came("scaled-dot-product/1", positions=True) == came("scaled-dot-product/1", mask="causal") == "other"
    shares, generator = heights("scaled-dot-product/5"), torch.Generator().manual_seed(1)
    for i, share in enumerate(shares):
        q, k = (torch.randn(n, 4 * 2**i, generator=generator, dtype=torch.float64) for n in (2000, 64))
        assert share == pytest.approx(float((q @ k.T).softmax(-1).amax(-1).mean()), abs=0.12)  # other draws
    assert came("scaled-dot-product/6", d_k=16) == "more"
    assert came("scaled-dot-product/7", d_k=16) == pytest.approx(1 / 4)
    short, long = (12 * n * 64**2 + 2 * n**2 * 64 for n in (512, 1024))
    assert came("scaled-dot-product/8") == pytest.approx(long / short)


# Positions, masks


@pytest.mark.parametrize(("scheme", "outcome"), [("sinusoidal", "other"), ("alibi", "same")])
def test_reversed_words(scheme: str, outcome: str) -> None:
    assert came("positions/1", scheme=scheme) == outcome


@pytest.mark.parametrize("seed", [1, 2])
def test_orders_with_other_weights(seed: int) -> None:
    assert came("positions/3", weights=seed) == "two" and came("positions/9", weights=seed) == "alibi"
    assert came("positions/8", seed=seed) == "same"


def test_positions_by_hand() -> None:
    apart = np.arange(0, 25, 2)
    np.testing.assert_allclose(
        heights("positions/5"), sum(np.cos(apart / 10000 ** (2 * i / 16)) for i in range(8)), atol=1e-12
    )
    p, i = np.arange(64)[:, None], np.arange(4)
    off = np.cos(p / 10000 ** ((2 * i + 1) / 8)) - np.cos(p / 10000 ** (2 * i / 8))
    assert came("positions/6") == pytest.approx(np.abs(off).max())
    assert came("lecture-notes/4", width=8) == round(float(np.abs(off).max()), 2)
    table = read("stories-learned", "Tom").model.get_parameter("pos_emb.weight").detach().double()
    cosines = torch.cosine_similarity(table[:-1], table[1:], -1)
    assert came("positions/7") == pytest.approx(float(cosines.mean()), abs=1e-6)


def test_masks_by_hand(given: ModelAndText) -> None:
    from core.rooms.masks.inputs import SENTENCE

    assert came("masks/1", kinds=["Full"]) == 36
    own = float(read("stories", SENTENCE).attention.scores[0, 3, 0, 0])
    assert came("masks/4", layer=0, head=3) == pytest.approx(100 * 13 / (math.exp(own) + 13), abs=1e-3)


# Many heads, the block


def test_heads_share_the_width() -> None:
    assert of("many-heads/1").sentence.count(f"{4 * 512**2:,}") == 2
    for width, n_head in ((32, 8), (8, 1)):
        assert came("many-heads/2", d_model=width, n_head=n_head) == width
        assert came("many-heads/3", d_model=width, n_head=n_head) == width // n_head


@pytest.mark.parametrize("threshold", [0.2, 0.65])
def test_previous_token_heads_are_counted_from_the_weights(trace: Any, threshold: float) -> None:
    weights = [trace[f"blocks.{layer}.attn.weights"][0] for layer in range(2)]  # (H, T, T)
    means = torch.cat([one.diagonal(-1, -2, -1).mean(-1) for one in weights])
    assert came("many-heads/4", threshold=threshold) == int((means >= threshold).sum())


def test_heads_taken_away_through_the_weights(given: ModelAndText) -> None:
    def without(text: ModelAndText, *heads: tuple[int, int]) -> torch.Tensor:
        """Switch heads off by zeroing what W_o takes from them."""
        changed = copy.deepcopy(text.model)
        for layer, head in heads:
            weight = changed.get_parameter(f"blocks.{layer}.attn.w_o.weight")
            width = weight.shape[1] // text.config.n_head
            with torch.no_grad():
                weight[:, head * width : (head + 1) * width] = 0
        with torch.no_grad():
            found: torch.Tensor = changed(torch.tensor([text.ids]))[0, -1].softmax(-1)
        return found

    boat = given.other(BOAT)
    expected = int(without(boat).argmax())
    left = [float(without(boat, (1, head))[expected]) for head in (1, 2)]
    assert left[0] < 0.2 and left[1] > 0.99
    assert all(f"{one:.1%}" in of("many-heads/6").sentence for one in left)
    expected = int(without(given).argmax())
    for pair in ([(0, 0), (0, 1)], [(1, 0), (1, 3)]):
        both = float(without(given, *pair)[expected])
        off = [f"{layer}.{head}" for layer, head in pair]
        assert came("many-heads/7", off=off) == pytest.approx(100 * both, abs=0.06)


def test_a_head_made_to_read_what_it_read_anyway_changes_nothing(given: ModelAndText) -> None:
    tokens, last = [token.strip() for token in given.tokens], given.n_token - 1

    def reads(place: int) -> list[Any]:
        return [last, [float(i == place) for i in range(last + 1)]]

    assert came("many-heads/8", row=reads(last - tokens[::-1].index("Mia"))) == "own"
    assert came("many-heads/8", row=reads(tokens.index("wall"))) == "else"
    assert came("many-heads/8", row=reads(0), head=1) == "own"


def test_the_block_from_the_trace(trace: Any) -> None:
    for layer, value in enumerate(("alike", "longer")):
        written = float(trace[f"blocks.{layer}.mlp.out"][0, -1].norm())
        stream = float(trace[f"blocks.{layer}.resid_mid"][0, -1].norm())
        assert came("the-block/1", layer=layer) == value
        assert f"length {written:.1f} to one of {stream:.1f}" in of("the-block/1", layer=layer).sentence
        share = float((trace[f"blocks.{layer}.mlp.pre"][0, -1] > 0).double().mean())
        assert came("the-block/4", layer=layer) == pytest.approx(100 * share, abs=0.06)


@pytest.mark.parametrize("source", ["uniform", "normal"])
def test_skew_stays(source: str) -> None:
    from core.rooms.block.compute import moments

    x = moments.draw(source, 768, 0)
    skew = float((((x - x.mean()) / x.std()) ** 3).mean())
    assert came("the-block/2", source=source, width=768) == pytest.approx(skew, abs=0.006)


def test_layers_in_a_row() -> None:
    assert came("the-block/5", width=8, hidden=4) == "one" and "off by" in of("the-block/5").sentence
    assert came("the-block/6", residual=True) == "most"
    feed_forward, blocks = 12 * (8 * 768**2 + 5 * 768), 12 * (12 * 768**2 + 13 * 768)
    total = blocks + (50_257 + 1_024) * 768 + 2 * 768
    assert came("the-block/9") == round(100 * feed_forward / total, 1)
    assert heights("the-block/7") == pytest.approx(example("depth").record["diversity.none_8"][0], abs=6e-4)


# From counting to attention, GPT


def test_pairs_and_longer_n_grams_by_sets() -> None:
    from core.rooms.ngrams.inputs import Text

    text = Text("stories", "word")
    train, val = text.train.tolist(), text.val.tolist()
    assert came("counting-to-attention/1") == round(100 * len(set(pairwise(train))) / len(set(train)) ** 2, 1)
    seen = {tuple(train[i : i + 6]) for i in range(len(train) - 5)}
    new = [tuple(val[i : i + 6]) for i in range(len(val) - 5)]
    share = sum(one not in seen for one in new) / len(new)
    assert came("counting-to-attention/3") == pytest.approx(100 * share, abs=0.1)
    own = list(pairwise(text.tokenizer.encode("Tom hid under the box.")))
    assert sum(pair not in set(pairwise(train)) for pair in own) == 1
    assert "“Tom hid” never occurs" in of("counting-to-attention/2").sentence
    assert came("counting-to-attention/2", own="Tom and Mia") != "zero"


def test_the_bottleneck_is_measured_as_the_training_measured_it() -> None:
    trained = example("bottleneck").record
    at = [trained["lengths"].tolist().index(length) for length in (4, 8, 12, 16, 20, 25, 30)]
    expected = trained["curve.without.forced"][-1][at]
    assert heights("counting-to-attention/6") == pytest.approx(expected, abs=0.06)


def test_who_is_best_by_the_record() -> None:
    found = example("budget-stories").record
    bits = {net: found[f"curve.10k.{net}"][-1] for net in ("gru", "gpt")} | {"ngram": found["ngram.10k"].min()}
    assert came("counting-to-attention/9", text="stories") == min(bits, key=bits.__getitem__)


def test_the_dearest_word_by_cross_entropy(given: ModelAndText) -> None:
    text = given.other("Zoe had a red kite, and Sam had a yellow book.", 14)
    with torch.no_grad():
        logits = given.model(torch.tensor([text.ids]))[0]
    losses = torch.nn.functional.cross_entropy(logits[:-1], torch.tensor(text.ids[1:]), reduction="none")
    names = [token.strip() for token in text.tokens[1:]]
    told = ", ".join(f"“{word}” {losses[names.index(word)]:.2f}" for word in ("had", "red", "kite"))
    assert told in of("gpt/3").sentence


def test_an_untrained_model_guesses_nearly_blindly() -> None:
    for vocab_size, seed in ((453, 0), (50_257, 1)):
        assert abs(came("gpt/3.2", vocab_size=vocab_size, seed=seed) - math.log(vocab_size)) < 0.06


def test_the_loss_without_the_mask(given: ModelAndText, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.rooms.decoder.inputs import Looked

    text = torch.tensor(Looked().given.ids)

    def loss() -> float:
        with torch.no_grad():
            return float(torch.nn.functional.cross_entropy(given.model(text[None])[0, :-1], text[1:]))

    masked = loss()
    monkeypatch.setattr(given.model, "mask", lambda *_: None)
    bare = loss()
    monkeypatch.undo()
    assert f"{masked:.2f} nats with the mask and **{bare:.2f}**" in of("gpt/4").sentence


def test_the_lens_by_hand(given: ModelAndText) -> None:
    from core.rooms.decoder.inputs import Looked

    with torch.no_grad(), Trace(given.model) as seen:
        logits = given.model(torch.tensor([Looked().given.ids]))[0]
        model: Any = given.model
        after_first = model.unembed(model.norm(seen["blocks.0.resid_out"][0]))
    said = [given.vocabulary[int(one[7].argmax())].strip() for one in (after_first, logits)]  # after "."
    assert f"after layer 0: “{said[0]}”" in of("gpt/9").sentence and f"the output: “{said[1]}”" in of("gpt/9").sentence
    assert came("gpt/9") == ("yes" if said[0] == said[1] else "no")


def test_steps_and_strings() -> None:
    assert came("gpt/10", rate=0.01) == "alike" and came("gpt/8", reversal="quick") == "alike"
    found, losses = example("lens").record, heights("gpt/5")
    assert losses[0] == pytest.approx(found["curve.loss"][0], abs=1e-3)
    assert losses[5] == pytest.approx(found["curve.loss"][244:255].mean(), abs=1e-3)


# Decoding


@pytest.fixture(scope="module")
def next_row(given: ModelAndText, ids: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        found: torch.Tensor = given.model(ids[:, :2])[0, -1].double()
    return found


def test_favorite_and_temperature_by_the_formula(next_row: torch.Tensor) -> None:
    assert came("decoding/1") == pytest.approx(100 * float(next_row.softmax(-1).max()), abs=0.06)
    by_hand = [float((next_row / t).softmax(-1).max()) for t in (0.25, 0.5, 1, 1.5, 2, 3, 4)]
    assert heights("decoding/3") == pytest.approx(by_hand, abs=6e-4)
    assert came("decoding/3.2", t=2) == int(((next_row / 2).softmax(-1) > 0).sum()) == len(next_row)


@pytest.mark.parametrize("hundredths", [1, 49, 50, 51, 74, 76, 87, 88, 94, 100])
def test_top_p_in_exact_arithmetic(hundredths: int) -> None:
    shares = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 16), Fraction(1, 16)]
    n = next(n for n in range(1, 6) if sum(shares[:n]) >= Fraction(hundredths, 100))
    assert came("decoding/4", p=hundredths / 100) == n


def test_the_order_of_the_knobs(next_row: torch.Tensor) -> None:
    def n_kept(p: torch.Tensor) -> int:
        return int((p.sort(descending=True)[0].cumsum(-1) < 0.9).sum()) + 1

    first, second = n_kept((next_row / 2).softmax(-1)), n_kept(next_row.softmax(-1))
    assert f"{first} tokens are left; with top-p first, {second}." in of("decoding/5").sentence
    assert came("decoding/5", t=1) == "same"


def test_draws_follow_the_probability(next_row: torch.Tensor) -> None:
    p = float(next_row.softmax(-1).max())
    counts = [came("decoding/6", seed=seed) for seed in range(6)]
    assert len(set(counts)) > 3
    assert all(abs(count - 1000 * p) < 4 * math.sqrt(1000 * p * (1 - p)) for count in counts)


def test_greedy_misses_a_likelier_sentence(given: ModelAndText) -> None:
    text = given.other("Tom and Mia played near the park. Mia hid in the grass. Tom looked under the tree. No")

    def p(words: str) -> float:
        new = [given.vocabulary.index(word) for word in words.split("|")]
        with torch.no_grad():
            rows = given.model(torch.tensor([[*text.ids, *new]]))[0].double().log_softmax(-1)
        return math.exp(sum(float(rows[text.n_token - 1 + k, token]) for k, token in enumerate(new)))

    greedy, other = p(" Mia|!| Tom| looked| behind| the| big| stone|."), p(" Mia|!| Then| he| looked| in| the| grass|.")
    assert other / greedy > 3
    assert f"probability {greedy:.2f}" in of("decoding/2").sentence
    assert f"probability {other:.2f}" in of("decoding/2").sentence
    assert came("decoding/2", n_beam=1) == "same"


# From BERT to the notes


def test_gaps_by_hand() -> None:
    from core.rooms.encoder import directions, together
    from core.rooms.encoder.experiments import masked
    from core.rooms.encoder.inputs import pair

    assert came("bert/2") == pytest.approx(1000 * 0.15 * 0.8, abs=5)
    opened = pair(example("masked"))
    words = opened.words
    ids = torch.tensor([[words.class_id, *words.encode(masked.PROBE)]])
    ids[0, [together.FIRST, together.SECOND]] = words.mask_id
    best = opened.bert(ids)[0, [together.FIRST, together.SECOND], : words.n_plain].argmax(-1).tolist()
    assert came("bert/5") == "_".join(words.labels(best))
    text = torch.tensor([[words.class_id, *words.encode(directions.Inputs().text)]])
    gap = directions.Inputs().gap
    left = opened.twin(text[:, :gap])[0, -1].softmax(-1)[text[0, gap]]
    assert came("bert/6") == pytest.approx(100 * float(left), abs=0.06)


def test_the_words_that_turn_a_verdict() -> None:
    from core.data.synthetic import reviews
    from core.rooms.encoder.inputs import judge

    model = judge(example("finetune"), "full", 1_000)

    def praise(text: str) -> str:
        ids = reviews.WORDS.encode(reviews.tokenize(text))
        return f"{float(model(torch.tensor([ids]))[0].softmax(-1)[reviews.PRAISE]):.0%}"

    said = of("bert/9").sentence
    assert f"praise: {praise('soup not good.')}; without “soup” {praise('not good.')}" in said
    assert f"without “not” {praise('soup good.')}, without “good” {praise('soup not.')}." in said
    held = {way: float(example("finetune").record[f"fine.{way}.held"][-1][1]) for way in ("scratch", "frozen", "full")}
    assert came("bert/8") == max(held, key=lambda way: held[way])


def test_translation() -> None:
    from core.rooms.encoder_decoder.compute import languages

    english = "the small red dog sees some white cats now"
    tamari = languages.to_tamari(english)
    assert tamari is not None
    assert came("t5/2") == (len(tamari.split()) + 1) * len(english.split())
    assert came("t5/4", at=7) == "n"  # the first verb is written by then
    assert came("t5/5", sentences="usual") == "same"  # up to its first mistake both read the same
    assert came("t5/8", sentiment="The soup was lovely but the waiter was rude.") == "blame"
    assert came("t5/7") == round(math.exp(1 - 8 / 7), 3)


def test_patches_that_are_hidden() -> None:
    from core.data import images
    from core.rooms.patches.compute.patch_effect import effect_of_each
    from core.train.experiments.digit_reader import Reader

    reader, held = Reader(example("digits")), images.held_out()
    effect = effect_of_each(reader.model(), torch.from_numpy(held.shades[:60]), "removed")
    n, p = len(effect), reader.patch_size
    ink = held.pixels[:60].reshape(n, 8 // p, p, 8 // p, p).sum((2, 4)).reshape(n, -1)
    blank = int((ink[np.arange(n), np.abs(effect).argmax(1)] == 0).sum())
    assert came("vision/3") / 360 == pytest.approx(blank / n, abs=0.15)
    right = heights("vision/4")
    assert right[0] == pytest.approx(100 * float(example("digits").record["curve.vit.accuracy"][-1]))
    assert (np.diff(right[:5]) < 0).all() and right[6] < 10
    # With nothing left to read it says the same of every picture.
    assert round(right[-1] * 3.6) in np.bincount(held.labels).tolist()


def test_positions_of_patches() -> None:
    table = example("digits").record["model.vit.pos_emb.weight"].astype(np.float64)[1:]
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosine, places = unit @ unit.T, np.stack(np.divmod(np.arange(16), 4), 1)
    across, down = (np.abs(places[:, None, i] - places[None, :, i]) for i in (1, 0))
    beside, above = cosine[(across == 1) & (down == 0)].mean(), cosine[(across == 0) & (down == 1)].mean()
    assert f"left or right of it {beside:.2f}, above or below it {above:.2f}" in of("vision/5").sentence


def test_pixels_and_captions() -> None:
    from core.data import images
    from core.rooms.captions.experiments import captions

    assert came("pixels-and-captions/1", n_color=2) in ("even", "other")
    assert came("pixels-and-captions/3", rows=7) == "8"  # hardly anything is left to write
    some = images.held_out().some(np.arange(40))
    written = captions.write(captions.captioner(example("captions-class"), "class"), torch.from_numpy(some.shades))
    assert (written == example("captions-class").record["written"][:40]).all()
    exact = float(example("captions-class").record["curve.exact"][-1])
    assert came("pixels-and-captions/7") == round(360 * exact) < 349


def test_what_the_masked_model_makes_of_a_bottle_and_a_cup() -> None:
    from core.data.synthetic import BottleAndCup, referents
    from core.rooms.heads_at_work.experiments.three_switches import VARIANTS

    model = rebuild(example("three-switches").record, "causal", VARIANTS["causal"])
    ids, _ = referents.encode([BottleAndCup("bottle", "cup", "full")])
    with torch.no_grad():
        p = float(model(torch.from_numpy(ids))[0, referents.IT].softmax(-1)[list(referents.NOUN_IDS)].max())
    assert came("three-switches/2.2") == round(100 * p)
    assert "changes by at most **0**" in of("three-switches/2.2").sentence
    assert "changes by at most **0**" not in of("three-switches/2.2", model="full").sentence
    assert came("three-switches/4", model="full") == "turns"


@pytest.mark.parametrize(("place", "heads"), [("6", [(0, 0)]), ("6.2", [(1, 0)]), ("6.3", [(1, 0), (1, 1)])])
def test_without_heads_by_weights(place: str, heads: list[tuple[int, int]]) -> None:
    """Switching off a head is the same as having zeros where its numbers enter W_o."""
    from core.rooms.heads_at_work.compute.induction import induction_scores, previous_scores
    from core.rooms.heads_at_work.experiments import induction

    record = example("induction").record
    weights = record["frames.two.weights"][-1] / 255
    assert previous_scores(weights, induction.N_PROBE)[0].argmax() == 0  # the starred heads are 0.0 and 1.0
    assert induction_scores(weights, induction.N_PROBE)[1].argmax() == 0
    model = rebuild(record, "two", induction.config(2, 2))
    for layer, head in heads:
        model.get_parameter(f"blocks.{layer}.attn.w_o.weight")[:, 32 * head : 32 * (head + 1)] = 0
    ids, periods = induction.held_out(0)
    assert f"**{float(induction.repeat_loss(model(ids), ids, periods)):.2f}**" in of(f"induction/{place}").sentence
    curve = np.interp(np.arange(0, 301, 25), record["step"], record["curve.two.loss"])
    assert heights("induction/4") == pytest.approx(curve)


def test_slips() -> None:
    assert came("lecture-notes/2", d_k=4) == 1
    assert came("lecture-notes/10", text="abc", padding=0) == 3
    assert came("lecture-notes/9") == pytest.approx(math.log(512) + 1 / 6, abs=0.02)
