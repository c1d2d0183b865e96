"""The losses after predicting: each beside its formula, or beside all that can happen, enumerated."""

import math
import re
from itertools import product

import pytest
import torch
from torch import Tensor

from core.rooms.assistant.compute import objectives
from core.rooms.assistant.compute.chat import (
    N_CHAT,
    STYLES,
    assistant_mask,
    find_answer,
    padded_chat,
    sample_demonstrations,
    styled_answer,
    tuning_loss,
)
from core.rooms.assistant.compute.world import (
    HARD_SUMS,
    IDS,
    QUESTIONS,
    SUMS,
    WORDS,
    color_question,
    decode_words,
    encode_words,
    sample_texts,
    statement,
    sum_question,
)


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def by_hand(logits: Tensor, ids: Tensor, mask: Tensor) -> list[float]:
    """Log probabilities of answers, one number at a time."""
    found = []
    for b in range(len(ids)):
        total = 0.0
        for t in range(1, ids.shape[1]):
            if mask[b, t]:
                row = [math.exp(float(x)) for x in logits[b, t - 1]]
                total += math.log(row[int(ids[b, t])] / sum(row))
        found.append(total)
    return found


def test_dpo_is_the_papers_equation_on_random_logits() -> None:
    """A swapped sign, a forgotten reference, or a mask that is shifted by one token."""
    ids = torch.randint(5, (4, 6), generator=torch.Generator().manual_seed(1))
    mask = torch.tensor([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 0], [0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 0]]).bool()
    policy, reference = drawn(4, 6, 5, seed=2), drawn(4, 6, 5, seed=3)
    parts = [objectives.answer_log_prob(one, ids, mask) for one in (policy, reference)]
    (c0, r0, c1, r1), (rc0, rr0, rc1, rr1) = by_hand(policy, ids, mask), by_hand(reference, ids, mask)
    wanted = 0.0
    for chosen, rejected, ref_chosen, ref_rejected in ((c0, r0, rc0, rr0), (c1, r1, rc1, rr1)):
        margin = 0.3 * ((chosen - ref_chosen) - (rejected - ref_rejected))
        wanted += -math.log(1 / (1 + math.exp(-margin))) / 2
    loss = objectives.dpo(parts[0][[0, 2]], parts[0][[1, 3]], parts[1][[0, 2]], parts[1][[1, 3]], 0.3)
    assert float(loss) == pytest.approx(wanted, abs=1e-12)
    same = objectives.dpo(*(parts[0][[0, 2]], parts[0][[1, 3]]) * 2, 0.3)
    assert float(same) == pytest.approx(math.log(2), abs=1e-12)  # where nothing has moved, it cannot tell them apart


LENGTH, VOCAB = 2, 3
OUTPUTS = torch.tensor(list(product(range(VOCAB), repeat=LENGTH)))


def all_log_probs(table: Tensor) -> Tensor:
    """(9,) of every output of a model whose logits are: row 0 at first, row 1 + x after x."""
    rows = table.log_softmax(-1)
    return torch.stack([rows[0, a] + rows[1 + a, b] for a, b in OUTPUTS.tolist()])


@pytest.mark.parametrize(("n", "kl"), [(2, 0.0), (2, 0.4), (3, 0.4)])
def test_the_policy_gradient_is_the_exact_gradient_on_average(n: int, kl: float) -> None:
    """All groups of n answers, each with its probability: a baseline that biases, a KL term of the wrong sign."""
    table, reference = drawn(4, VOCAB).requires_grad_(), all_log_probs(drawn(4, VOCAB, seed=1))
    rewards = drawn(len(OUTPUTS), seed=2)
    policy = all_log_probs(table)
    chances = policy.exp()
    divergence = (chances * (policy - reference)).sum()
    exact = torch.autograd.grad(-((chances * rewards).sum() - kl * divergence), table, retain_graph=True)[0]
    mean = torch.zeros_like(exact)
    for answers in product(range(len(OUTPUTS)), repeat=n):
        group = torch.tensor(answers)
        loss = objectives.policy_gradient(policy[group][None], reference[group][None], rewards[group][None], kl)
        weight = float(chances[group].prod().detach())
        mean += weight * torch.autograd.grad(loss, table, retain_graph=True)[0]
    torch.testing.assert_close(mean, exact, atol=1e-12, rtol=0)


def test_the_mask_opens_the_assistants_tokens_and_its_end_alone() -> None:
    """The user's words, the template, what fills up the rest; and an answer that never ends."""
    words = padded_chat(color_question("ball"), styled_answer(color_question("ball"), "red", "plain"))
    ids = torch.tensor([encode_words(words)])
    counted = [word for word, counts in zip(words, assistant_mask(ids)[0].tolist(), strict=True) if counts]
    assert counted == ["it", "is", "red", ".", "<end>"]
    endless = torch.tensor([encode_words((*words[:8], *["happy"] * (N_CHAT - 8)))])
    assert assistant_mask(endless).sum() == N_CHAT - 8
    logits = drawn(1, N_CHAT, len(WORDS)).requires_grad_()
    (gradient,) = torch.autograd.grad(tuning_loss(logits, ids), logits)
    assert gradient.abs().sum(-1)[0].nonzero().flatten().tolist() == [7, 8, 9, 10, 11]
    (gradient,) = torch.autograd.grad(tuning_loss(logits, ids, masked=False), logits)
    assert gradient.abs().sum(-1)[0].nonzero().flatten().tolist() == [*range(12)]


def test_the_worlds_truth_and_its_one_mistake() -> None:
    """A checker that takes the dropped ten for right, a sum without an answer among the words."""
    assert (sum_question(7, 5).truth, sum_question(7, 5).habit, sum_question(4, 5).habit) == ("12", "2", "")
    assert len(SUMS) == 100 and len(HARD_SUMS) == 45 and len({one.words for one in QUESTIONS}) == len(QUESTIONS)
    for question in (color_question("cup"), sum_question(9, 9)):
        for style in STYLES:
            assert find_answer(styled_answer(question, question.truth, style)) == question.truth
    assert find_answer(("what", "is", "3", "plus", "4", "?")) == "3"
    assert find_answer(("where", "is", "the", "cup", "now", "?", "red")) == ""


def test_a_statement_is_a_sentence_of_its_kind() -> None:
    """Fault: a sum is told in the words of a thing, or a place without its "in the"."""
    generator = torch.Generator().manual_seed(0)
    for question in QUESTIONS:
        said = " ".join(statement(question, generator))
        pattern = {
            "sum": r"\d plus \d is \d+ \.",
            "color": r"the \w+ is (red|blue|green|white|black) \.",
            "place": r"the \w+ is in the \w+ \.",
        }[question.kind]
        assert re.fullmatch(pattern, said), said


def test_in_plain_texts_no_question_is_answered() -> None:
    """A predictor that has seen answers would be no surprise."""
    for row in sample_texts(40, 25, torch.Generator().manual_seed(0)):
        words = decode_words(row)
        assert ("?" in words) != ("." in words) and "<user>" not in words
    shown = sample_demonstrations(200, torch.Generator().manual_seed(0))
    assert not {"bell", "coat", "ring"} & {word for row in shown for word in decode_words(row)}
    assert IDS["<end>"] == 0
