"""Generation with models whose every probability is known."""

import math
from functools import partial

import pytest
import torch
from torch import Tensor, nn

from core.generate import filters
from core.generate.decode import generate
from core.models.registry import build
from tests.configs import gpt


class Fixed(nn.Module):
    """The same logits everywhere, whatever the text."""

    def __init__(self, logits: Tensor):
        super().__init__()
        self.row = logits

    def forward(self, ids: Tensor) -> Tensor:
        return self.row.expand(*ids.shape, -1)


class Counts(nn.Module):
    """Says surely that the next token is the last one plus one, modulo V; keeps the lengths that it saw."""

    def __init__(self, vocab_size: int, context_length: int | None = None):
        super().__init__()
        self.vocab_size = vocab_size
        self.seen: list[int] = []
        if context_length is not None:
            self.config = type("Config", (), {"context_length": context_length})

    def forward(self, ids: Tensor) -> Tensor:
        self.seen.append(ids.shape[1])
        return 50.0 * nn.functional.one_hot((ids + 1) % self.vocab_size, self.vocab_size).float()


def tiny(**changes: object) -> nn.Module:
    return build(gpt(vocab_size=17, context_length=8, n_layer=2, n_head=2, d_model=8, **changes), seed=1)


def tokens(*args: object, **options: object) -> list[int]:
    return [int(step.token) for step in generate(*args, **options)]  # type: ignore[arg-type]


def test_a_step_says_all_that_happened() -> None:
    logits = torch.tensor([2.0, 1.0, 0.0, -1.0])
    step = next(generate(Fixed(logits), torch.tensor([[0, 1]]), 1, filters=[partial(filters.top_k, k=2)], seed=3))
    assert torch.equal(step.logits, logits[None])
    assert step.kept.tolist() == [[True, True, False, False]]
    expected = torch.tensor([[math.e / (math.e + 1), 1 / (math.e + 1), 0, 0]])
    torch.testing.assert_close(step.probabilities, expected)
    assert step.draw is not None
    token = 0 if float(step.draw) < float(expected[0, 0]) else 1
    assert step.token.tolist() == [token]
    torch.testing.assert_close(step.log_prob, expected[:, token].log())


def test_draws_of_a_uniform_model_are_uniform_within_and_across_sequences() -> None:
    batch = torch.zeros(400, 1, dtype=torch.long)
    drawn = torch.stack([step.token for step in generate(Fixed(torch.zeros(10)), batch, 50, seed=5)], 1)
    assert drawn.shape == (400, 50)
    for table in (drawn.flatten(), drawn[:, 0].repeat(1), drawn[0]):
        count = torch.bincount(table, minlength=10).double()
        chi_square = float(((count - count.mean()) ** 2 / count.mean()).sum())
        assert chi_square < 27.88  # 9 degrees of freedom, p = 0.001
    pairs = torch.bincount(
        (drawn[:-1] * 10 + drawn[1:]).flatten(), minlength=100
    ).double()  # neighbours: seeds b, b + 1
    assert float(((pairs - pairs.mean()) ** 2 / pairs.mean()).sum()) < 148.23  # 99 degrees of freedom, p = 0.001


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("positions", ["learned", "rotary", "alibi"])
def test_a_batch_gives_what_its_prompts_give_alone(greedy: bool, positions: str) -> None:
    model = tiny(positions=positions)
    prompts = [[1], [2, 3, 4], [5] * 12, [16, 0]]  # one longer than the context
    before = torch.get_rng_state()
    together = [step.token.tolist() for step in generate(model, prompts, 12, greedy=greedy, seed=7)]
    for b, prompt in enumerate(prompts):
        assert [row[b] for row in together] == tokens(model, prompt, 12, greedy=greedy, seed=7 + b)
    assert torch.equal(before, torch.get_rng_state())  # the global generator has no part in it
    assert greedy or tokens(model, [1], 12, seed=7) != tokens(model, [1], 12, seed=8)


def test_shapes_follow_the_prompt() -> None:
    model = tiny()
    one = next(generate(model, torch.tensor([1, 2]), 1))
    many = next(generate(model, torch.tensor([[1, 2]]), 1))
    assert one.token.shape == () and one.logits.shape == (17,) and one.kept.shape == (17,)
    assert many.token.shape == (1,) and many.logits.shape == (1, 17) and many.draw is not None
    assert torch.equal(one.token, many.token[0])


def test_greedy_takes_the_most_probable_token_without_sampling() -> None:
    steps = list(generate(Counts(5), [3], 4, greedy=True))
    assert [int(step.token) for step in steps] == [4, 0, 1, 2] and all(step.draw is None for step in steps)
    assert tokens(Fixed(torch.tensor([0.0, 1.0, 1.0])), [0], 2, greedy=True) == [1, 1]  # the lowest id among equals


def test_eos_ends_each_sequence_and_the_last_ends_all() -> None:
    steps = list(generate(Counts(6), [[3], [1]], 10, greedy=True, eos_id=5))
    assert [step.token.tolist() for step in steps] == [[4, 2], [5, 3], [5, 4], [5, 5]]
    assert [step.ended.tolist() for step in steps] == [[False, False], [True, False], [True, False], [True, True]]
    assert steps[2].log_prob[0] == 0
    assert tokens(Counts(6), [3], 10, greedy=True, eos_id=5) == [4, 5]


def test_each_of_several_end_tokens_ends_a_sequence() -> None:
    steps = list(generate(Counts(8), [[3], [0], [1]], 10, greedy=True, eos_id={5, 2}))
    assert [step.token.tolist() for step in steps] == [[4, 1, 2], [5, 2, 2]]
    assert [step.ended.tolist() for step in steps] == [[False, False, True], [True, True, True]]
    assert tokens(Counts(8), [3], 3, greedy=True, eos_id=()) == [4, 5, 6]
    with pytest.raises(ValueError, match="eos_id=8 is outside the vocabulary: 0 to 7"):
        generate(Counts(8), [3], 1, eos_id=[2, 8])
    with pytest.raises(TypeError, match="eos_id must be a whole number"):
        generate(Counts(8), [3], 1, eos_id="2")


def test_the_model_sees_no_more_than_its_context() -> None:
    model = Counts(50, context_length=4)
    assert tokens(model, [0, 1], 5, greedy=True) == [2, 3, 4, 5, 6]
    assert model.seen == [2, 3, 4, 4, 4]


def test_filters_run_in_their_order() -> None:
    model = Fixed(torch.tensor([3.0, 2.0, 1.0, 0.0]))
    hot, narrow = partial(filters.temperature, t=10.0), partial(filters.top_p, p=0.7)
    first = next(generate(model, [0], 1, filters=[hot, narrow]))
    last = next(generate(model, [0], 1, filters=[narrow, hot]))
    assert first.kept.sum() == 3 and last.kept.sum() == 2


def test_filters_with_open_ids_get_the_text_so_far() -> None:
    model = Fixed(torch.tensor([3.0, 2.0, 1.0, 0.0]))
    once = partial(filters.no_repeat_ngram, n=1)
    assert [step.token.tolist() for step in generate(model, [[0], [3, 1]], 2, filters=[once], greedy=True)] == [
        [1, 0],
        [2, 2],
    ]
    with pytest.raises(ValueError, match="removed every token"):
        tokens(model, [0], 4, filters=[once], greedy=True)


@pytest.mark.parametrize("prompt", [[], [[]], [[1], []], torch.zeros(0, dtype=torch.long)])
def test_an_empty_prompt_is_refused_before_the_first_step(prompt: object) -> None:
    with pytest.raises(ValueError, match="the prompt is empty"):
        generate(tiny(), prompt, 3)  # type: ignore[arg-type]


def test_other_mistakes_are_refused_in_words() -> None:
    assert tokens(tiny(), [1], 0) == []
    with pytest.raises(ValueError, match="max_new_tokens=-1"):
        generate(tiny(), [1], -1)
    for seed in (-1, 10**30):
        with pytest.raises(ValueError, match="must be a whole number"):
            generate(tiny(), [1], 1, seed=seed)
    with pytest.raises(ValueError, match=r"\(T,\) or \(B, T\)"):
        generate(tiny(), torch.zeros(1, 1, 1, dtype=torch.long), 1)
    with pytest.raises(ValueError, match="aren't numbers"):
        tokens(Fixed(torch.tensor([math.nan, 0.0])), [0], 1)
