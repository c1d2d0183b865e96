"""Slips of the notes: the right versions against closed forms and torch, the wrong ones as the notes have them.

What this catches: a "right" side that is wrong itself, and a slip that no longer differs from what is right.
"""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from core.inspect import lecture_errata
from core.inspect.lecture_errata import LectureErratum, attention_errata, language_model_lecture_errata
from core.inspect.lecture_errata.attention_errata import K, T, random_tensors

DRAWN = (
    *attention_errata.ATTENTION_ERRATA, *attention_errata.POSITION_ERRATA, *attention_errata.BLOCK_ERRATA,
    *attention_errata.SIZE_ERRATA, *language_model_lecture_errata.NGRAM_ERRATA,
)  # fmt: skip
HARMLESS = {"1,000 or 50,000", "Log-softmax twice"}  # what they say is that nothing changes


class Tiny(torch.nn.Module):
    """Logits of seven tokens that depend on the token and its position alone."""

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        table = torch.randn(20, 7, generator=torch.Generator().manual_seed(3))
        return table[ids + torch.arange(ids.shape[1])]


GIVEN = (Tiny(), [1, 4, 2, 2, 6, 0], list("abcdefg"))


@pytest.mark.parametrize("slip", [*DRAWN, *language_model_lecture_errata.DECODER_ERRATA], ids=lambda slip: slip.name)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_both_versions_are_named_and_differ(slip: LectureErratum, seed: int) -> None:
    found = slip.run(seed) if slip in DRAWN else slip.run(*GIVEN)
    assert found.wrong.shape == found.right.shape == (len(found.rows), len(found.columns))
    assert np.isfinite(found.right).all() and found.said.endswith(".")
    if slip.name in HARMLESS:
        assert found.difference < 1e-12 and np.allclose(found.wrong, found.right)
    else:
        assert found.difference > 0.004 and not np.array_equal(found.wrong, found.right)


@pytest.mark.parametrize("slip", DRAWN, ids=lambda slip: slip.name)
def test_the_seed_alone_decides_and_the_global_generator_is_left_alone(slip: LectureErratum) -> None:
    torch.manual_seed(1)
    first = slip.run(4)
    torch.manual_seed(2)
    untouched = torch.get_rng_state()
    again = slip.run(4)
    assert torch.equal(torch.get_rng_state(), untouched)
    np.testing.assert_array_equal(first.wrong, again.wrong)
    np.testing.assert_array_equal(first.right, again.right)
    assert first.said == again.said


def run(name: str, seed: int = 0) -> lecture_errata.LectureErratumResult:
    return next(slip for slip in DRAWN if slip.name == name).run(seed)


def test_right_attention_is_torchs() -> None:
    q, k, v = (one[0, 0] for one in random_tensors(0, *[(1, 1, T, K)] * 3))
    torchs = F.scaled_dot_product_attention(q[None], k[None], v[None])[0].numpy()
    np.testing.assert_allclose(run("Scores in place of weights").right, torchs, atol=1e-12)
    np.testing.assert_allclose(run("Outputs from the second on").right, torchs, atol=1e-12)
    np.testing.assert_allclose(run("Scores in place of weights").wrong, (q @ k.T / K**0.5 @ v).numpy(), atol=1e-12)
    for name in ("The key's index", "No root in the masked line"):
        np.testing.assert_allclose(run(name).right.sum(-1), 1)
    np.testing.assert_allclose(run("The key's index").wrong, 1 / T)
    one = run("One matrix for all three").wrong
    np.testing.assert_allclose(one, one.T, atol=1e-12)
    before, after = run("A weight of its own key alone").wrong
    assert np.array_equal(before[1:], after[1:]) and before[0] != after[0]


def test_probabilities_sum_as_they_are_said_to() -> None:
    dropped, twice, itself = (run(slip.name, 5) for slip in language_model_lecture_errata.NGRAM_ERRATA)
    p = language_model_lecture_errata._random_joint_distribution(5)
    assert [found.right.sum() for found in (dropped, twice, itself)] == pytest.approx([1, 1, 1])
    assert dropped.wrong.sum() == pytest.approx(1) and itself.wrong.sum() == pytest.approx(8)
    assert twice.wrong.sum() == pytest.approx(float((p.sum((1, 2)) ** 2).sum()))
    bigram = [p[a, b].sum() * p[:, b, c].sum() / p[:, b].sum() for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    np.testing.assert_allclose(dropped.wrong[0], bigram)


def test_losses_of_the_decoder_are_torchs() -> None:
    model, ids, _ = GIVEN
    logits = model(torch.tensor([ids]))[0].double()
    by_name = {slip.name: slip.run(*GIVEN) for slip in language_model_lecture_errata.DECODER_ERRATA}
    shifted = F.cross_entropy(logits[:-1], torch.tensor(ids[1:]), reduction="none").numpy()
    np.testing.assert_allclose(by_name["The loss on the inputs"].right[0], shifted, atol=1e-12)
    np.testing.assert_allclose(by_name["Log-softmax twice"].right[0], shifted, atol=1e-12)
    rows = by_name["n + 1 distributions, of the decoder"]
    assert len(rows.rows) == len(ids) and np.isnan(rows.wrong[-1]).all() and not np.isnan(rows.wrong[:-1]).any()


def test_a_trillion_parameters_are_stored_and_less_than_a_billion_met() -> None:
    """Switch-C is published as 1,571 billion parameters, attention and embeddings included."""
    found = run("A trillion parameters")
    assert found.wrong.item() == pytest.approx(1_571, rel=0.001)
    assert found.right.item() == pytest.approx(found.wrong.item() / 2_048) and found.difference == pytest.approx(2_048)
