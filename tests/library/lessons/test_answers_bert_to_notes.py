"""What answers the predictions of the lessons from BERT to the lecture notes, against another route to the same."""

import math
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import torch

from core.lessons.answers import ANSWERS, Answer, NotYet
from core.rooms.step_by_step.compute import score_scaling
from core.train.experiments.live import Live
from core.ui.training import live

OWN = {
    "encoder.own-entities": "entities",
    "translation.own": "translation",
    "vision.own-bag": "digits",
    "captions.own-first": "captions",
    "switches.own-one-layer": "three-switches",
    "induction.own-one-head": "induction",
    "slips.own-written": "lecture",
}


def of(name: str, **given: Any) -> Answer:
    found = ANSWERS[name](**given)
    assert isinstance(found, Answer) and found.sentence and found.code is not None
    return found


def came(name: str, **given: Any) -> Any:
    return of(name, **given).value


def example(name: str) -> Live:
    found = live.example(name)
    assert found is not None
    return found


@pytest.mark.parametrize(("name", "experiment"), OWN.items())
def test_own_trainings_are_waited_for(name: str, experiment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(ANSWERS[name](), NotYet)
    mine = replace(example(experiment), is_example=False)
    monkeypatch.setattr(live, "own", lambda which, options: replace(mine, step=mine.n_step - 1))
    assert isinstance(ANSWERS[name](), NotYet)  # it still goes on
    monkeypatch.setattr(live, "own", lambda which, options: mine)
    assert isinstance(ANSWERS[name](), Answer)


def test_masked_words() -> None:
    assert came("encoder.masked-words", n=1000) == pytest.approx(1000 * 0.15 * 0.8, abs=5)


def test_gaps_filled_and_labels_as_the_training_measured_them() -> None:
    right = float(example("masked").record["curve.accuracy"][-1])
    found = of("encoder.gaps-filled")
    assert f"{100 * right:.0f}%" in found.sentence
    assert found.value == "more" and 0.6 < right < 0.95
    tuned = example("finetune").record
    held = {way: float(tuned[f"fine.{way}.held"][-1][1]) for way in ("scratch", "frozen", "full")}
    assert came("encoder.few-labels", n=20) == max(held, key=lambda way: held[way]) == "full"


def test_gaps_by_hand() -> None:
    from core.rooms.encoder import directions, together
    from core.rooms.encoder.experiments import masked as task
    from core.rooms.encoder.inputs import pair

    opened = pair(example("masked"))
    words = opened.words
    ids = torch.tensor([[words.class_id, *words.encode(task.PROBE)]])
    ids[0, [together.FIRST, together.SECOND]] = words.mask_id
    best = opened.bert(ids)[0, [together.FIRST, together.SECOND], : words.n_plain].argmax(-1).tolist()
    assert came("encoder.two-gaps") == "_".join(words.labels(best)) == "a_apple"
    text = torch.tensor([[words.class_id, *words.encode(directions.Inputs().text)]])
    gap = directions.Inputs().gap
    left = opened.twin(text[:, :gap])[0, -1].softmax(-1)[text[0, gap]]
    assert came("encoder.from-the-left") == pytest.approx(100 * float(left), abs=0.06)


def test_the_words_that_turn_a_verdict() -> None:
    from core.data.synthetic import reviews
    from core.rooms.encoder.inputs import judge

    model = judge(example("finetune"), "full", 1_000)
    words = reviews.tokenize("soup not good.")
    assert words[:3] == ["soup", "not", "good"]

    def praise(text: list[str]) -> float:
        ids = [reviews.WORDS.class_id, *reviews.WORDS.encode(text)]
        return float(model(torch.tensor([ids]))[0].softmax(-1)[reviews.PRAISE])

    moved = [abs(praise(words[:i] + words[i + 1 :]) - praise(words)) for i in range(3)]
    assert moved[0] > 0.9 and moved[1] > 0.9 and moved[2] < 0.1
    left = [came("encoder.without", review="soup not good.", word=word) for word in words[:3]]
    assert left == ["praise", "praise", "blame"]


def test_a_word_that_is_looked_at_least() -> None:
    from core.rooms.encoder import class_attention

    soup, *others = class_attention.compute(class_attention.Inputs(), example("finetune")).weights[1:4]
    assert soup < min(others)


def test_translation() -> None:
    from core.rooms.encoder_decoder.compute import languages

    english = "the small red dog sees some white cats now"
    tamari = languages.to_tamari(english)
    assert tamari is not None
    assert came("translation.cross-weights", english=english) == (len(tamari.split()) + 1) * len(english.split()) == 90
    two = {"first": "the small dogs see a red cat", "second": "a queen does not love the white birds now"}
    assert came("translation.verb-after-swap", **two, at=4) == "s"
    assert came("translation.verb-after-swap", **two, at=7) == "n"  # the first verb is written by then
    assert came("translation.whole-sentences", which="longer") == "same"  # up to its first mistake both read the same
    assert came("translation.whole-sentences", which="usual") == "same"
    assert came("translation.verdict", review="The soup was lovely but the waiter was rude.") == "blame"
    assert came("translation.verdict", review="The waiter was rude but the soup was lovely.") == "praise"
    reference = "lo kano pico la mila granda vides ne"
    assert came("translation.bleu", reference=reference, written=reference[:-3]) == round(math.exp(1 - 8 / 7), 3)
    assert came("translation.bleu", reference=reference, written=reference) == 1


def test_more_beams() -> None:
    assert came("translation.more-beams", few=1, many=8) == "same"


def test_tokens_of_a_picture() -> None:
    assert came("vision.tokens", side=224, patch=16) == 14 * 14 + 1
    assert came("vision.tokens", side=8, patch=2) == 17  # the title of the lesson


def test_patches_that_are_hidden() -> None:
    from core.data import images
    from core.rooms.patches.compute.patch_effect import effect_of_each
    from core.train.experiments.digit_reader import Reader

    reader, held = Reader(example("digits")), images.held_out()
    effect = effect_of_each(reader.model(), torch.from_numpy(held.shades[:60]), "removed")
    n, p = len(effect), reader.patch_size
    ink = held.pixels[:60].reshape(n, 8 // p, p, 8 // p, p).sum((2, 4)).reshape(n, -1)
    blank = int((ink[np.arange(n), np.abs(effect).argmax(1)] == 0).sum())
    assert came("vision.empty-patches") / 360 == pytest.approx(blank / n, abs=0.15)
    heights = np.array(came("vision.hidden-curve", x=[0, 1, 2, 4, 8, 16]))
    assert heights[0] == pytest.approx(100 * float(example("digits").record["curve.vit.accuracy"][-1]))
    assert (np.diff(heights[:5]) < 0).all() and heights[4] < 10
    # With nothing left to read it says the same of every picture.
    assert round(heights[-1] * 3.6) in np.bincount(held.labels).tolist()


def test_positions_of_patches() -> None:
    table = example("digits").record["model.vit.pos_emb.weight"].astype(np.float64)[1:]
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosine, places = unit @ unit.T, np.stack(np.divmod(np.arange(16), 4), 1)
    across, down = (np.abs(places[:, None, i] - places[None, :, i]) for i in (1, 0))
    beside, above = cosine[(across == 1) & (down == 0)].mean(), cosine[(across == 0) & (down == 1)].mean()
    assert came("vision.most-alike") == "side" and beside > above
    assert came("vision.bag") == "half"


def test_palettes() -> None:
    found = of("pixels.worst-palette", photo="china", n_color=16)
    assert found.value == "other"
    assert came("pixels.worst-palette", photo="china", n_color=2) in ("even", "other")


def test_pixels() -> None:
    assert came("pixels.twice-the-side", side=16) == 16
    assert came("pixels.who-depends") == "ngram"
    assert came("pixels.likeliest", digit=7, rows=4) == "9"
    assert came("pixels.likeliest", digit=7, rows=7) == "8"  # hardly anything is left to write


@pytest.mark.slow  # both models read all digits: three seconds
def test_the_probe_of_an_untrained_model() -> None:
    assert 60 < came("pixels.untrained-probe") < 90


def test_captions() -> None:
    from core.data import images
    from core.rooms.captions.experiments import captions as task

    some = images.held_out().some(np.arange(40))
    model = task.captioner(example("captions-class"), "class")
    written = task.write(model, torch.from_numpy(some.shades))
    assert (written == example("captions-class").record["written"][:40]).all()
    right = came("captions.one-vector")
    assert right == round(360 * float(example("captions-class").record["curve.exact"][-1])) < 349
    assert came("captions.after-an", first=30, second=187) == "eight"


def test_switches_as_the_training_measured_them() -> None:
    record = example("three-switches").record
    for variant in ("full", "causal", "no_positions", "one_layer"):
        share = float(record[f"curve.{variant}.accuracy"][-1])
        assert came("switches.right", variant=variant) == round(100 * share)
    outcomes = [came("switches.which", variant=one) for one in ("full", "causal", "no_positions", "one_layer")]
    assert outcomes == ["all", "half", "half", "less"]
    turns = [came("switches.turns", variant=one) for one in ("full", "one_layer", "causal")]
    assert turns == ["turns", "stays", "stays"]


def test_what_the_masked_model_makes_of_a_bottle_and_a_cup() -> None:
    from core.data.synthetic import BottleAndCup, referents
    from core.rooms.heads_at_work.experiments.three_switches import VARIANTS
    from core.train.experiment import rebuild

    model = rebuild(example("three-switches").record, "causal", VARIANTS["causal"])
    ids, _ = referents.encode([BottleAndCup("bottle", "cup", "full")])
    with torch.no_grad():
        p = float(model(torch.from_numpy(ids))[0, referents.IT].softmax(-1)[list(referents.NOUN_IDS)].max())
    assert came("switches.sure", variant="causal") == round(100 * p) < 60
    assert "changes by at most **0**" in of("switches.sure", variant="causal").sentence
    assert "changes by at most **0**" not in of("switches.sure", variant="full").sentence


def test_induction() -> None:
    record = example("induction").record
    assert came("induction.blind") == round(math.log(32), 2)
    assert came("induction.one-layer") == "bag"
    steps = record["step"][[0, 20, 60]].tolist()
    assert came("induction.loss-curve", x=steps) == pytest.approx(record["curve.two.loss"][[0, 20, 60]].tolist())


@pytest.mark.parametrize(("which", "outcome"), [("writer", "worse"), ("reader", "same"), ("readers", "worse")])
def test_without_heads_by_weights(which: str, outcome: str) -> None:
    """Switching off a head is the same as having zeros where its numbers enter W_o."""
    from core.rooms.heads_at_work.experiments import induction as task
    from core.train.experiment import rebuild

    heads = {"writer": [(0, 0)], "reader": [(1, 0)], "readers": [(1, 0), (1, 1)]}[which]
    model = rebuild(example("induction").record, "two", task.config(2, 2))
    for layer, head in heads:
        model.get_parameter(f"blocks.{layer}.attn.w_o.weight")[:, 32 * head : 32 * (head + 1)] = 0
    ids, periods = task.held_out(0)
    loss = float(task.repeat_loss(model(ids), ids, periods))
    found = of("induction.without", which=which)
    assert found.value == outcome and f"**{loss:.2f}**" in found.sentence


def test_slips_of_positions() -> None:
    i, j = np.arange(64)[:, None], np.arange(8)[None]
    right = np.where(j % 2 == 0, np.sin(i / 1e4 ** (j / 8)), np.cos(i / 1e4 ** ((j - 1) / 8)))
    note = np.where(j % 2 == 0, np.sin(i / 1e4 ** (j / 8)), np.cos(i / 1e4 ** (j / 8)))
    assert came("slips.position-error", width=8, n_position=64) == round(float(np.abs(right - note).max()), 2) == 1.96
    assert came("slips.position-error", width=128, n_position=64) == 1.99
    assert came("slips.position-zero") == 3


def test_slips_of_attention() -> None:
    assert came("slips.row-sum", d_k=64) == came("slips.row-sum", d_k=4) == 1
    found = score_scaling.root_inside_and_out(64, 0)
    assert found.row_sum[1] == pytest.approx(1 / 8) and found.error[2] > found.error[1]
    assert came("slips.leak") == 7
    assert came("slips.row-of-ones", letters="headache", padding=2) == 10
    assert came("slips.row-of-ones", letters="abc", padding=0) == 3


def test_slips_of_norms_and_losses() -> None:
    first = came("slips.first-loss")
    assert first == pytest.approx(math.log(512) + 1 / 6, abs=0.02)
    assert math.log(512) < first < 6.5316


def test_options_of_a_record_are_plain() -> None:
    assert isinstance(example("induction").options, dict | MappingProxyType)
