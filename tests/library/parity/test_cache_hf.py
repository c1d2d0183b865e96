"""Decoding with a cache against Hugging Face's, and the drawing itself against the exact probabilities."""

from functools import partial

import pytest
import torch
from torch import Tensor, nn
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.generation import logits_process as hf

from core.generate import filters
from core.generate.decode import UniformDraws, generate, inverse_cdf
from core.models.gpt import GPT
from core.models.pretrained import model_from_state_dict

V = 61


def pair(seed: int) -> tuple[GPT2LMHeadModel, GPT]:
    """Put one set of weights into both programs, large enough that greedy text doesn't repeat one token."""
    config = GPT2Config(vocab_size=V, n_positions=64, n_embd=32, n_layer=3, n_head=4, bos_token_id=None,
                        eos_token_id=None, pad_token_id=0)  # fmt: skip
    theirs, generator = GPT2LMHeadModel(config).eval(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in theirs.named_parameters():
            is_gain = "ln_" in name and "weight" in name
            parameter.normal_(1.0 if is_gain else 0.0, 1.0 if "wpe" in name else 0.2, generator=generator)
    ours = model_from_state_dict(config.to_dict(), theirs.state_dict())
    return theirs, ours.eval().requires_grad_(False)


def theirs_writes(model: GPT2LMHeadModel, prompts: list[list[int]], n_new: int, **how: object) -> list[list[int]]:
    """Padded on the left, as Hugging Face wants it."""
    longest = max(map(len, prompts))
    ids = torch.tensor([[0] * (longest - len(one)) + one for one in prompts])
    mask = torch.tensor([[0] * (longest - len(one)) + [1] * len(one) for one in prompts])
    out = model.generate(ids, attention_mask=mask, do_sample=False, max_new_tokens=n_new, **how)
    return out[:, longest:].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_greedy_tokens_of_a_batch_with_unequal_prompts(seed: int) -> None:
    theirs, ours = pair(seed)
    prompts = [[5], [7, 8, 9, 10], [11, 12, 13, 14, 15, 16, 17, 18, 19], [20, 21]]
    expected = theirs_writes(theirs, prompts, 40)
    steps = [step.token for step in generate(ours, prompts, 40, greedy=True)]
    assert torch.stack(steps, 1).tolist() == expected
    assert len({token for row in expected for token in row}) > 10
    for prompt, row in zip(prompts, expected, strict=True):
        assert [int(step.token) for step in generate(ours, prompt, 40, greedy=True)] == row


@pytest.mark.parametrize("n_end", [1, 2])
def test_stop_tokens_end_the_same_texts_at_the_same_places(n_end: int) -> None:
    """One end token, or two, each of which ends a text of its own."""
    theirs, ours = pair(0)
    prompts = [[5, 6], [7, 8], [9, 10]]
    free = theirs_writes(theirs, prompts, 30)
    first = lambda stops: {next((token for token in row if token in stops), None) for row in free}  # noqa: E731
    pairs = ([one, other] for one in free[0] for other in free[1] + free[2])
    stops = [free[0][6]] if n_end == 1 else next(pair for pair in pairs if first(pair) == {*pair})
    expected = theirs_writes(theirs, prompts, 30, eos_token_id=stops)
    steps = list(generate(ours, prompts, 30, greedy=True, eos_id=stops if n_end > 1 else stops[0]))
    ours_rows = torch.stack([step.token for step in steps], 1).tolist()
    last = []
    for ours_row, theirs_row in zip(ours_rows, expected, strict=True):
        end = next((i + 1 for i, token in enumerate(theirs_row) if token in stops), len(theirs_row))
        assert ours_row[:end] == theirs_row[:end]
        last.append(ours_row[end - 1])
        assert set(ours_row[end:]) <= {last[-1]}  # an ended text repeats its own end token
        assert len([*generate(ours, prompts[len(last) - 1], 30, greedy=True, eos_id=stops)]) == end
    assert {*stops} <= {*last}


def test_all_filters_in_the_documented_order() -> None:
    """Penalty and n-grams first, then temperature, top-k, top-p, min-p, typical, epsilon, eta."""
    generator = torch.Generator().manual_seed(4)
    logits = 3 * torch.randn(400, 50, generator=generator)
    ids = torch.randint(50, (400, 12), generator=generator)
    chain = [
        (hf.RepetitionPenaltyLogitsProcessor(1.3), partial(filters.repetition_penalty, ids=ids, penalty=1.3)),
        (hf.NoRepeatNGramLogitsProcessor(1), partial(filters.no_repeat_ngram, ids=ids, n=1)),
        (hf.TemperatureLogitsWarper(1.7), partial(filters.temperature, t=1.7)),
        (hf.TopKLogitsWarper(30), partial(filters.top_k, k=30)),
        (hf.TopPLogitsWarper(0.93), partial(filters.top_p, p=0.93)),
        (hf.MinPLogitsWarper(0.02), partial(filters.min_p, p=0.02)),
        (hf.TypicalLogitsWarper(0.95), partial(filters.typical_p, p=0.95)),
        (hf.EpsilonLogitsWarper(0.01), partial(filters.epsilon, e=0.01)),
        (hf.EtaLogitsWarper(0.02), partial(filters.eta, e=0.02)),
    ]
    ours = logits
    cut = []
    for _, one in chain:
        before, ours = ours, one(ours)
        cut.append(bool(((ours == -torch.inf) & (before > -torch.inf)).any()))
    theirs = hf.LogitsProcessorList([one for one, _ in chain])(ids, logits)
    same = ((ours > -torch.inf) == (theirs > -torch.inf)).all(-1)
    assert same.float().mean() > 0.99  # a row whose mass lies on a boundary may fall either way
    torch.testing.assert_close(ours[same], theirs[same])
    assert sum(cut) >= 5  # the filters have work to do
    swapped = logits
    for n in (0, 1, 4, 2, 3, 5, 6, 7, 8):  # top-p before the temperature
        swapped = chain[n][1](swapped)
    assert not torch.equal(swapped > -torch.inf, ours > -torch.inf)


@pytest.fixture(scope="module")
def drawn() -> Tensor:
    """The first 100,000 numbers that `generate` draws with seed 7."""
    draws = UniformDraws([7])
    return torch.cat([draws.next() for _ in range(100_000)])


@pytest.mark.parametrize(
    "one",
    [
        None,
        partial(filters.temperature, t=0.6),
        partial(filters.top_k, k=5),
        partial(filters.top_p, p=0.8),
        partial(filters.min_p, p=0.1),
        partial(filters.typical_p, p=0.8),
        partial(filters.epsilon, e=0.03),
        partial(filters.eta, e=0.1),
    ],
    ids=lambda one: "softmax" if one is None else one.func.__name__,
)
def test_100_000_draws_have_the_filtered_probabilities(one: partial[Tensor] | None, drawn: Tensor) -> None:
    logits = 1.5 * torch.randn(20, generator=torch.Generator().manual_seed(2))

    class Fixed(nn.Module):
        def forward(self, ids: Tensor) -> Tensor:
            return logits.expand(*ids.shape, -1)

    first = next(generate(Fixed(), [0], 1, filters=[] if one is None else [one]))
    token = inverse_cdf(first.probabilities.expand(100_000, -1), drawn)
    count, expected = torch.bincount(token, minlength=20).double(), 100_000 * first.probabilities.double()
    assert not count[~first.kept].any()
    keep = expected > 5
    chi_square = float(((count - expected)[keep] ** 2 / expected[keep]).sum())
    degrees = int(keep.sum()) - 1
    assert degrees >= 2
    assert chi_square < degrees + 4 * (2 * degrees) ** 0.5 + 6  # beyond p = 0.001 for each of these degrees
    seven = [int(step.token) for step in generate(Fixed(), [0], 50, filters=[] if one is None else [one], seed=7)]
    assert seven == token[:50].tolist()
