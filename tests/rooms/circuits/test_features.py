"""Features against their formulas, names against places counted by hand, and what is said of the training."""

from typing import Any

import numpy as np
import pytest
import torch

from core.models import pretrained
from core.nn.tap import Trace
from core.rooms.circuits import features, names
from core.rooms.circuits.compute import naming
from core.rooms.circuits.compute.cards import N_NAMED, direct_effect, feature_cards, naming_text
from core.rooms.circuits.compute.dictionary import (
    SparseAutoencoder,
    explained_variance,
    logits_with,
    reconstruction_loss,
)
from core.rooms.circuits.experiments import features as task
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.training.live_experiments import example_run
from tests.counts import SEEDS
from tests.library.learning.once import trained


def small(n_fire: int = 2) -> tuple[SparseAutoencoder, torch.Tensor]:
    """A dictionary that was moved, and activations."""
    generator = torch.Generator().manual_seed(3)
    made = SparseAutoencoder(5, 7, n_fire, torch.randn(5, generator=generator), generator)
    for weight in made.parameters():
        weight.data.add_(torch.randn(weight.shape, generator=generator))
    return made.requires_grad_(False), torch.randn(11, 5, generator=generator)


def shipped() -> ExperimentRun:
    run = example_run("features")
    assert run is not None
    return run


def live(seed: int) -> ExperimentRun:
    record = trained("features", seed)
    last = int(record["step"][-1])
    return ExperimentRun(record, {"n_step": last}, seed, last, last, name="features")


def test_what_is_rebuilt_is_the_formula() -> None:
    made, x = small()
    for row, rebuilt in zip(x.numpy(), made(x).numpy(), strict=True):
        heard = np.maximum(made.listens.numpy() @ (row - made.middle.numpy()) + made.bias.numpy(), 0)
        by_hand = made.middle.numpy().copy()
        for i in np.argsort(-heard)[:2]:
            by_hand += heard[i] * made.says[i].numpy() / np.linalg.norm(made.says[i])
        np.testing.assert_allclose(rebuilt, by_hand, atol=1e-5)
    left = ((x - made(x)) ** 2).sum() / ((x - x.mean(0)) ** 2).sum()
    assert explained_variance(made, x) == pytest.approx(1 - float(left), abs=1e-6)


def test_sleeping_features_learn_and_do_not_change_what_is_rebuilt() -> None:
    made, x = small()
    awake, fired = reconstruction_loss(made, x, torch.zeros(7, dtype=torch.bool))
    assert float(awake) == pytest.approx(float((x - made(x)).square().sum(-1).mean()), abs=1e-5)
    assert (fired > 0).sum(-1).max() <= 2
    sleeps = fired.amax(0) <= fired.amax(0).median()
    made.requires_grad_(True)
    reconstruction_loss(made, x, torch.ones(7, dtype=torch.bool) & sleeps)[0].backward()
    grad = made.bias.grad
    assert grad is not None and (grad[sleeps & (made.dense_activations(x) > 0).any(0)] != 0).all()


def test_a_name_is_chosen_on_one_half_and_judged_on_the_other() -> None:
    n = 400
    truth = np.zeros((n, 2), bool)
    truth[::4, 0] = truth[1::4, 1] = True
    kinds = naming.PositionKinds(("one", "two"), np.array([naming.OWN, naming.NEIGHBOR]), truth)
    values = torch.zeros(n, 2)
    values[::4, 0] = 1.0
    values[300:, 0] = 1.0  # in the second half it fires elsewhere, too
    values[1::4, 1] = -1.0  # low where it is "two"
    found = naming.name_units(values, kinds, both_ways=True)
    assert found.kind.tolist() == [0, 1] and found.level[1] < 0
    fires, is_one = values[200:, 0].numpy() > 0, truth[200:, 0]
    assert found.precision[0] == pytest.approx((fires & is_one).sum() / fires.sum())
    assert found.recall.tolist() == [1, 1] and found.fits.tolist() == [False, True]
    assert not naming.name_units(values, kinds).fits[1], "a feature can't fire by being low"


def test_the_shorter_name_wins_unless_a_longer_one_fits_better() -> None:
    truth = np.zeros((400, 2), bool)
    truth[::4] = True
    kinds = naming.PositionKinds(("own", "pair"), np.array([naming.OWN, naming.PAIR]), truth)
    values = torch.from_numpy(truth[:, :1].astype(np.float32))
    assert naming.name_units(values, kinds).kind.tolist() == [0]
    truth[2::4, 0] = True  # now it is wider than where the number fires
    assert naming.name_units(values, kinds).kind.tolist() == [1]


def test_kinds_are_places_counted_by_hand() -> None:
    text = naming_text()
    tokens: list[str] = text.tokenizer.tokens(text.ids.flatten().tolist())
    for name in ("“not”", "after “thank”", "“there” after “not”", "a toy after “a”"):
        column = text.kinds.truth[:, text.kinds.names.index(name)]
        for at in np.flatnonzero(column)[:50]:
            word, before = tokens[at].strip().lower(), tokens[at - 1].strip().lower()
            assert {
                "“not”": word == "not",
                "after “thank”": before == "thank",
                "“there” after “not”": (word, before) == ("there", "not"),
                "a toy after “a”": before == "a",
            }[name]
    n_not = sum(token.strip().lower() == "not" for token in tokens)
    assert text.kinds.truth[:, text.kinds.names.index("“not”")].sum() == n_not


def test_the_direct_effect_is_what_the_logits_do_at_a_standing_norm() -> None:
    found: Any = pretrained.load(task.MODEL)
    ids = torch.tensor([found.tokenizer.encode("\n\nLily had a red")])
    direction = torch.randn(384, generator=torch.Generator().manual_seed(2))
    with torch.no_grad(), Trace(found.model) as trace:
        plain = found.model(ids)[0, -1].double()
    last = trace["blocks.1.resid_out"][0, -1]
    moved = logits_with(found.model, ids, lambda x: x + 1e-3 * direction)[0, -1].double()
    written = found.model.blocks[1].mlp.w_out.weight @ direction
    centered, stream = written - written.mean(), last - last.mean()
    deviation = stream.square().mean().sqrt()
    along = centered - stream * (stream @ centered) / stream.square().sum()  # what the norm doesn't take back
    exact = found.model.unembed.weight @ (found.model.norm.weight * along) / deviation
    np.testing.assert_allclose((moved - plain) / 1e-3, exact, atol=0.05 * float(exact.abs().max()))
    by_part = found.model.unembed.weight @ (found.model.norm.weight * centered)
    np.testing.assert_allclose(direct_effect(found.model, direction), by_part - by_part.mean(), atol=1e-4)


def test_a_card_tells_what_the_model_does() -> None:
    run, text = shipped(), naming_text()
    made, scale = task.recorded_autoencoder(run.record), float(run.record["scale"])
    card = feature_cards(run)[0]
    fired = made.encode(text.acts / scale)[..., card.number]
    row, t = divmod(int(fired.argmax()), text.ids.shape[1])
    ids = text.ids[row : row + 1, : t + 1]

    def without(x: torch.Tensor) -> torch.Tensor:
        return x - scale * made.encode(x / scale)[..., card.number, None] * made.directions[card.number]

    on, off = (logits_with(text.model, ids, edit)[0, -1].softmax(-1) for edit in (lambda x: x, without))
    for k, token in enumerate(card.likely):
        i = text.tokenizer.tokens(range(len(on))).index(token)
        np.testing.assert_allclose(card.probabilities[:, k], [on[i], off[i]], atol=1e-4)
    assert card.moved == pytest.approx(float((on - off).abs().sum() / 2), abs=1e-4)
    assert fired.max() > 0 and max(card.values) == 1 and (fired > 0).float().mean() == pytest.approx(card.share)


def claims(run: ExperimentRun) -> None:
    """What the room and its lesson say, of one training."""
    found, named = features.compute(features.Inputs(), run), names.compute(names.Inputs(), run)
    assert found.outcome is not None and found.outcome.answer == "few"
    assert named.outcome is not None and named.outcome.answer == "more"
    assert named.n_named["found"] >= N_NAMED and named.n_named["random"] <= 2 and named.n_named["neurons"] <= 5
    assert named.named["found"][1] > 2 * named.named["untrained"][1], "with others' tokens, the trained one has more"
    assert named.named["untrained"][0] > 5 * named.named["untrained"][1], "an untrained one names its own tokens"
    assert named.recovered > 0.95 and 0.6 < named.explained[0] < named.explained[1]
    assert named.again < 0.4 < named.close
    assert sum(card.moved > 0.3 for card in found.cards if card.name) >= 3
    assert all(len(texts) == 4 for texts in found.texts)


@pytest.mark.measured("today/9-features", "By the same rule, how many of the layer's 384 neurons")
@pytest.mark.measured("today/9-features", "In that untrained model, how many features")
@pytest.mark.measured("today/9-features", "Which names are a sign")
def test_what_is_said_of_the_example() -> None:
    claims(shipped())


@pytest.mark.measured("today/9-features", "By the same rule, how many of the layer's 384 neurons")
@pytest.mark.measured("today/9-features", "In that untrained model, how many features")
@pytest.mark.measured("today/9-features", "Which names are a sign")
@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_it_holds_with_other_seeds(seed: int) -> None:
    claims(live(seed))
