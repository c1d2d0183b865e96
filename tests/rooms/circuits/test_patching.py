"""Patching against plain runs with one edit: what is put in, where, and that nothing else moves; and what is said.

What this catches: a vector put in at another place or in another row of the batch, a path that leaks into another
reader, a control that changes what it may not, and sentences about the models that ship which no longer hold.
"""

import numpy as np
import pytest
import torch

from core.browser.message_capture import MessageToWidget
from core.browser.message_packing import unpack_message
from core.data.synthetic import referents
from core.inspect import patch
from core.models import registry
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.nn.tap import Trace
from core.rooms.circuits import patching, paths
from core.rooms.circuits.compute import pronoun_patching
from core.rooms.circuits.compute.pronoun_patching import DONORS, MODELS, Patches
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.training.live_experiments import example_run
from tests.counts import SEEDS
from tests.drawn import drawn
from tests.library.learning.once import trained

PLAIN = GPTConfig(
    vocab_size=12, context_length=11, n_layer=2, n_head=2, d_model=16, tied=False,
    block=BlockStyle(feed_forward=False, bias=False),
)  # fmt: skip
WHOLE = GPTConfig(vocab_size=12, context_length=11, n_layer=2, n_head=2, d_model=16, causal=False)


def lively(config: GPTConfig) -> torch.nn.Module:
    """A model whose weights are large enough for every path to matter."""
    model = registry.build(config, 0).double().eval().requires_grad_(False)
    generator = torch.Generator().manual_seed(1)
    for weight in model.parameters():
        weight.copy_(torch.randn(weight.shape, generator=generator, dtype=weight.dtype) / 3)
    return model


def run_of(name: str, seed: int) -> ExperimentRun:
    record = trained(name, seed)
    last = int(record["step"][-1])
    return ExperimentRun(
        record, {"n_head": {"explanation": 4, "induction": 2}[name], "n_step": last}, seed, last, last, name=name
    )


def test_a_patch_is_a_run_with_one_vector_of_another() -> None:
    model = lively(WHOLE)
    ids, others = torch.tensor([3, 1, 4, 1, 5, 9]), torch.tensor([[2, 7, 1, 8, 2, 8], [1, 6, 1, 8, 0, 3]])
    donors = patch.run_traced(model, others)
    for site in [*patch.residual_sites(model), *patch.component_sites(model)]:
        found = pronoun_patching.patch_positions(model, ids, donors[site.key], site)[:, :, 4]
        for row, place in np.ndindex(2, 6):
            at = (place,) if site.head is None else (site.head, place)

            def one(x: torch.Tensor, row: int = row, at: tuple[int, ...] = at, key: str = site.key) -> torch.Tensor:
                x = x.clone()
                x[0][at] = donors[key][row][at]
                return x

            with Trace(model, {site.key: one}):
                by_hand = model(ids[None])[0, 4]
            torch.testing.assert_close(found[row, place], by_hand, atol=1e-12, rtol=0)
    assert len(patch.component_sites(model)) == 6, "two heads and a feed-forward in each of two layers"


def test_all_paths_together_are_the_head_itself_and_none_is_nothing() -> None:
    model, prompts = lively(PLAIN), paths.sample_prompts(12, 3, n=5)
    own, other = patch.run_traced(model, prompts.clean), patch.run_traced(model, prompts.corrupted)

    def put(x: torch.Tensor) -> torch.Tensor:
        x = x.clone()
        x[:, 1] = other["blocks.0.attn.heads"][:, 1]
        return x

    everyone = paths.head_inputs(range(2))
    whole = patch.run_traced(model, prompts.clean, {"blocks.0.attn.heads": put})["logits"][:, -1]
    found = paths.run_through_path(model, prompts.clean, other, 1, everyone, own=own)["logits"][:, -1]
    torch.testing.assert_close(found, whole, atol=1e-12, rtol=0)
    nobody = paths.run_through_path(model, prompts.clean, other, 1, [])["logits"][:, -1]
    torch.testing.assert_close(nobody, own["logits"][:, -1], atol=1e-12, rtol=0)
    assert not torch.allclose(whole, nobody, atol=1e-3)


def test_the_two_texts_differ_in_two_places_and_in_what_follows() -> None:
    prompts = paths.sample_prompts(32, 0)
    differ = (prompts.clean != prompts.corrupted).nonzero()[:, 1].reshape(-1, 2)
    assert (differ == torch.tensor([paths.QUERY, paths.SWAP])).all()
    for text, follows in ((prompts.clean, prompts.right), (prompts.corrupted, prompts.wrong)):
        for row, token in zip(text.tolist(), follows.tolist(), strict=True):
            assert row[row.index(row[-1]) + 1] == token


def check_patches(one: Patches) -> None:
    """What is true of every model that has learned it."""
    first, it, ending = referents.FIRST_POSITION, referents.IT_POSITION, referents.ENDING_POSITION
    twin, own = one.share[:, 0], one.share[:, list(DONORS).index("own")]
    assert np.abs(own).max() < 1e-3, "its own vector changes nothing"
    np.testing.assert_allclose(twin[:, 0, ending], 1, atol=1e-4)  # the word that differs is all that differs at first
    np.testing.assert_allclose(twin[:, 2, it], 1, atol=1e-4)  # and "it" all that is read at the end
    assert np.abs(np.delete(twin[:, 0], ending, -1)).max() < 1e-4
    assert one.share[0, 1, 1, first] > 0.25, "a stranger with the same ending moves the logit difference, too"


@pytest.mark.measured("today/8-circuits", "Before the first layer, only the word")
@pytest.mark.measured("today/8-circuits", "In model b, the average flips")
def test_what_is_said_of_the_models_that_ship() -> None:
    run = example_run("explanation")
    assert run is not None
    found = patching.compute(patching.Inputs(guess="noun"), run)
    assert found.outcome.answer == "noun" and found.outcome.text == "at “bottle”"
    assert [found.turning(name) for name in MODELS] == [["bottle"], ["bottle"], []] and found.turning("c", 1) == [
        "bottle"
    ]
    for name in MODELS:
        check_patches(found.swaps[name])
        stranger = list(DONORS).index("stranger")
        assert not len(found.swaps[name].flips(0, 1, stranger)), "and turns no answer"
    enough, needed = found.averages["c"]
    assert enough < 0.6 and needed > 0.95, "one direction alone would have told half"
    mean = list(DONORS).index("mean")
    assert found.at_noun("b", mean) > 0.95 and abs(found.at_noun("b", mean, 1)) < 0.05, (
        "a mark for “empty” stands there"
    )


def test_the_opening_picture_shows_that_the_changed_word_no_longer_carries_the_answer() -> None:
    run = example_run("explanation")
    assert run is not None
    opening = patching.Inputs()
    assert (opening.site, opening.place) == (1, referents.ENDING_POSITION)
    for nouns in patching.SENTENCES:
        found = patching.compute(patching.Inputs(nouns=nouns), run)
        for model in MODELS:
            assert found.carrier(model, 0, 0) == referents.ENDING_POSITION
            assert found.carrier(model, 0, 2) == referents.IT_POSITION, "the answer is read there"
            assert referents.ENDING_POSITION not in found.swaps[model].flips(0, 1), "it still says its own noun"
        assert found.carrier("a", 0, 1) == referents.FIRST_POSITION
    assert found.carrier("a", [*DONORS].index("own"), 1) == -1, "no vector of its own flips it"


def test_one_head_wrote_the_ending_into_the_noun() -> None:
    run = example_run("explanation")
    assert run is not None
    found = patching.compute(patching.Inputs(guess="noun"), run)
    writer = found.writer("a")
    assert writer["name"] == "head 0.3"
    ids = torch.from_numpy(
        referents.encode_referent_sentences(pronoun_patching.sentence_pair("bottle", "cup"))[0]
    )  # empty, full
    model, key = pronoun_patching.recorded_model(run, "a"), "blocks.0.attn.heads"
    with Trace(model) as full:
        model(ids[1:])

    def put(x: torch.Tensor) -> torch.Tensor:
        x = x.clone()
        x[0, 3, referents.FIRST_POSITION] = full[key][0, 3, referents.FIRST_POSITION]
        return x

    with Trace(model, {key: put}):
        patched = model(ids[:1])[0, referents.IT_POSITION]
    plain = model(ids)[:, referents.IT_POSITION]
    cup, bottle = (referents.WORDS.index(noun) for noun in ("cup", "bottle"))
    before, after, whole = ((row[cup] - row[bottle]).item() for row in (plain[0], patched, plain[1]))
    assert writer["share"] == pytest.approx((after - before) / (whole - before), abs=1e-4)
    with Trace(model) as trace:
        model(ids[1:])
    weights = trace["blocks.0.attn.weights"][0, 3, referents.FIRST_POSITION]
    assert weights.argmax() == referents.ENDING_POSITION, "it has read the ending, which comes later"


def test_before_the_guess_the_answer_stays_on_the_server() -> None:
    before, after = (drawn("circuits.patching", **at) for at in ({}, {"patch_guess": "noun"}))
    for shown, is_told in ((before, False), (after, True)):
        assert shown.drawing is not None
        sent = [(one.widget, one.message) for one in shown.drawing.messages if isinstance(one, MessageToWidget)]
        assert [name for name, _ in sent].count("matrix") == (2 if is_told else 0)
        arrays = unpack_message(dict(sent)["one_vector"])[1]
        others = np.delete(arrays["p"][..., 1, :], referents.ENDING_POSITION, -1)
        assert others.any() == is_told and arrays["p"][..., 1, referents.ENDING_POSITION].all()
        assert (arrays["carriers"][..., 1] >= 0).any() == is_told


def check_paths(run: ExperimentRun) -> None:
    found = paths.compute(paths.Inputs(), run)
    assert found.found.right > 0.95 and found.found.together[:, found.writer, 1].min() > 0.95
    assert found.most_else < 0.05
    after = found.found.places[:, 1]  # after layer 0: one place later than the two tokens that changed places
    assert after[:, [paths.QUERY + 1, paths.SWAP + 1]].min() > 0.35
    assert np.abs(np.delete(after, [paths.QUERY + 1, paths.SWAP + 1], -1)).max() < 0.05


@pytest.mark.measured("today/8-circuits", "Through which input does the note reach")
def test_the_note_goes_into_k() -> None:
    run = example_run("induction")
    assert run is not None
    check_paths(run)


@pytest.mark.measured("today/8-circuits", "Through which input does the note reach")
@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_the_note_goes_into_k_from_every_seed(seed: int) -> None:
    check_paths(run_of("induction", seed))


@pytest.mark.measured("today/8-circuits", "Before the first layer, only the word")
@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_every_patch_that_must_hold_does_from_every_seed(seed: int) -> None:
    found = patching.compute(patching.Inputs(guess="noun"), run_of("explanation", seed))
    for name in MODELS:
        check_patches(found.swaps[name])
        turning = {*found.turning(name), *found.turning(name, 1)}
        assert turning and turning <= {"bottle", "cup"}, "after layer 0 it stands at a noun, in each of nine models"
