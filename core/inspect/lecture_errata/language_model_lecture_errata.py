"""Errata about language models, run on a table of probabilities, on a decoder, and on an encoder with two gaps."""

from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from core.inspect.gaps import fill_two_gaps
from core.inspect.lecture_errata import FloatArray, LectureErratum, LectureErratumResult
from core.models.bert import BERT

_OUTCOMES = tuple(f"{i:03b}" for i in range(8))  # all texts of three words, each 0 or 1


def random_joint_distribution(seed: int) -> FloatArray:
    """Return random joint probabilities (2, 2, 2) of three words."""
    drawn = np.random.default_rng(seed).exponential(size=(2, 2, 2))
    return np.asarray(drawn / drawn.sum())


def _against(wrong: FloatArray, seed: int) -> tuple[FloatArray, FloatArray]:
    return wrong.reshape(1, 8), random_joint_distribution(seed).reshape(1, 8)


def _drop_first_condition(seed: int) -> LectureErratumResult:
    """Compare p(z1) p(z2 | z1) p(z3 | z2) with the joint probability."""
    p = random_joint_distribution(seed)
    first_two, last_two = p.sum(2), p.sum(0)
    wrong, right = _against(first_two[:, :, None] * (last_two / last_two.sum(1, keepdims=True))[None], seed)
    off = float(np.abs(wrong - right).sum() / 2)
    return LectureErratumResult(
        wrong, right, ("p",), _OUTCOMES, off, "total variation distance",
        f"Both sum to 1 ({wrong.sum():.6f}), so nothing looks wrong; yet {off:.1%} of the probability lies in the "
        "wrong place. It's a bigram model, exact only if the first word tells nothing more about the third.",
    )  # fmt: skip


def _count_first_factor_twice(seed: int) -> LectureErratumResult:
    """Compare p(t1) times the product from n = 1 with the product from n = 2."""
    p = random_joint_distribution(seed)
    wrong, right = _against(p.sum((1, 2))[:, None, None] * p, seed)
    return LectureErratumResult(
        wrong, right, ("p",), _OUTCOMES, float(1 - wrong.sum()), "probability lost",
        "The product starts one factor too early and counts the first word twice. Over all sentences it then sums to "
        f"{wrong.sum():.3f}, not to 1.",
    )  # fmt: skip


def _condition_on_itself(seed: int) -> LectureErratumResult:
    """Compare p(z_i | z_1..i), which has z_i in its condition, with p(z_i | z_1..i-1)."""
    p = random_joint_distribution(seed)
    factors = []
    for i in range(1, 4):
        up_to_i = p.sum(tuple(range(i, 3)))
        factors.append((up_to_i / up_to_i).reshape(up_to_i.shape + (1,) * (3 - i)))  # p(z_i, z_1..i) / p(z_1..i)
    wrong, right = _against(factors[0] * factors[1] * factors[2], seed)
    return LectureErratumResult(
        wrong, right, ("p",), _OUTCOMES, float(wrong.sum() - 1), "too much, over all sentences",
        "What's already known has probability 1. So every factor is 1, every sentence is certain, and all eight add "
        f"up to {wrong.sum():.0f}. A model trained like this only copies its input.",
    )  # fmt: skip


NGRAM_ERRATA = (
    LectureErratum(
        where="3:157", name="A condition is forgotten", run=_drop_first_condition,
        note=r"$p(z \mid x) = p(z_1 \mid x)\, p(z_2 \mid z_1, x)\, p(z_3 \mid z_2, x)$.",
        right=r"The last factor is $p(z_3 \mid z_1, z_2, x)$.",
    ),
    LectureErratum(
        where="5:216", name="The first factor twice", run=_count_first_factor_twice,
        note=r"$p(t_1) \prod_{n=1}^{N} p(t_n \mid t_1, \ldots, t_{n-1})$.",
        right=r"$p(t_1) \prod_{n=2}^{N} p(t_n \mid t_1, \ldots, t_{n-1})$.",
    ),
    LectureErratum(
        where="3:173", name="A condition that holds the answer", run=_condition_on_itself,
        note=r"Train on all $p(z_i \mid z_{1:i}, x)$ at once.",
        right=r"$p(z_i \mid z_{1:i-1}, x)$: what comes before it, not itself.",
    ),
)  # fmt: skip

_N_TOP = 6


@torch.no_grad()
def _log_probs(model: nn.Module, ids: Sequence[int]) -> torch.Tensor:
    return cast(torch.Tensor, model(torch.tensor([list(ids)])))[0].double().log_softmax(-1)  # (T, V)


def _predicting_row(model: nn.Module, ids: Sequence[int], vocabulary: Sequence[str]) -> LectureErratumResult:
    """Compare the row that predicts token K of K tokens, which is already there, with the row for token K + 1."""
    p = _log_probs(model, ids).exp().numpy()
    top = np.argsort(-p[-1], kind="stable")[:_N_TOP]
    columns = list(dict.fromkeys([*top.tolist(), int(ids[-1])]))
    wrong, right = p[-2][columns][None], p[-1][columns][None]
    off = float(np.abs(p[-2] - p[-1]).sum() / 2)
    return LectureErratumResult(
        wrong, right, ("p",), tuple(vocabulary[i] for i in columns), off, "total variation distance",
        f"The text has K = {len(ids)} tokens. Its last row is about token {len(ids) + 1}; the row before is about "
        f"token {len(ids)}, which is already written. The notes also use K for the vocabulary, here {p.shape[1]}, and "
        "for the number of heads.",
    )  # fmt: skip


def _number_of_rows(model: nn.Module, ids: Sequence[int], vocabulary: Sequence[str]) -> LectureErratumResult:
    """Compare the distributions for inputs a_0 to a_n: n as written, and the n + 1 that the model returns."""
    p = _log_probs(model, ids).exp().numpy()
    right = np.sort(p, axis=1)[:, ::-1][:, :_N_TOP]
    wrong = right.copy()
    wrong[-1] = np.nan
    best = vocabulary[int(p[-1].argmax())].strip()
    return LectureErratumResult(
        wrong, right, tuple(f"p(x | a0..a{i})" if i else "p(x | a0)" for i in range(len(ids))),
        tuple(f"{i}." for i in range(1, _N_TOP + 1)), 1.0, "distribution missing",
        f"{len(ids)} inputs, a0 to a{len(ids) - 1}, give {len(p)} distributions. The one left out says what comes "
        f"next: “{best}”, {p[-1].max():.2f}. And they come from the **decoder**: an encoder's rows know what comes "
        "later (see the leak test).",
    )  # fmt: skip


def _loss_on_inputs(model: nn.Module, ids: Sequence[int], vocabulary: Sequence[str]) -> LectureErratumResult:
    """Compare each position's loss with the inputs as targets and with the next tokens as targets."""
    log_p = _log_probs(model, ids)[:-1]
    targets = torch.tensor(list(ids))
    wrong, right = (F.nll_loss(log_p, goal, reduction="none").numpy()[None] for goal in (targets[:-1], targets[1:]))
    return LectureErratumResult(
        wrong, right, ("loss",), tuple(f"{t} {vocabulary[i]}" for t, i in enumerate(ids[:-1])),
        float(wrong.mean() - right.mean()), "nats more on average",
        f"Asked for the token it has just read, this model has a loss of {wrong.mean():.2f} nats; asked for the next "
        f"one, {right.mean():.2f}. Trained on the first task, a model learns to copy, and its loss goes to 0.",
    )  # fmt: skip


def _double_log_softmax(model: nn.Module, ids: Sequence[int], vocabulary: Sequence[str]) -> LectureErratumResult:
    """Compare each position's loss with a log-softmax of log-probabilities and of logits."""
    log_p = _log_probs(model, ids)[:-1]
    targets = torch.tensor(list(ids)[1:])
    wrong = F.cross_entropy(log_p, targets, reduction="none").numpy()[None]  # applies its own log-softmax
    right = F.nll_loss(log_p, targets, reduction="none").numpy()[None]
    off = float(np.abs(wrong - right).max())
    return LectureErratumResult(
        wrong, right, ("loss",), tuple(f"{t} {vocabulary[i]}" for t, i in enumerate(ids[:-1])), off,
        "nats, largest difference",
        f"They differ by {off:.1g} at most: the probabilities already sum to 1, so a second log-softmax changes "
        "nothing. No test of the loss finds this slip, which costs nothing but time.",
    )  # fmt: skip


DECODER_ERRATA = (
    LectureErratum(
        where="3:194", name="K tokens, and the next", run=_predicting_row,
        note="“We have already generated K tokens”; the decoder predicts “the next token (K)”.",
        right="The next one is token K + 1.",
    ),
    LectureErratum(
        where="4:261", name="n + 1 distributions, of the decoder", run=_number_of_rows,
        note=r"“The encoder outputs” $p(x \mid a_0), \ldots, p(x \mid a_0 \ldots a_{n-1})$.",
        right=r"The **decoder** gives one for each of its n + 1 inputs, the last $p(x \mid a_0 \ldots a_n)$.",
    ),
    LectureErratum(
        where="4:400", name="The loss on the inputs", kind="value", run=_loss_on_inputs,
        note="`nn.NLLLoss()(output, inputs)`: the variable is called inputs.",
        right="The targets are the inputs shifted by one: position t predicts token t + 1.",
    ),
    LectureErratum(
        where="4:342", name="Log-softmax twice", kind="value", run=_double_log_softmax,
        note="The model ends in `log_softmax`. Followed by `cross_entropy`, in place of the note's `NLLLoss`, it's "
        "taken twice.",
        right="`NLLLoss` on log-probabilities, or `cross_entropy` on logits.",
    ),
)  # fmt: skip


def _no_joint_probability(
    model: BERT, ids: Sequence[int], gaps: tuple[int, int], mask_id: int, vocabulary: Sequence[str]
) -> LectureErratumResult:
    """Compare the probabilities of pairs of words in two gaps, with the first or the second gap filled first."""
    n_plain = len(vocabulary)
    orders = [fill_two_gaps(model, ids, order, mask_id, _N_TOP, n_plain) for order in (gaps, gaps[::-1])]
    p, q = orders[0].in_turn, orders[1].in_turn.T  # rows: words of the first gap, columns: of the second
    off = float(np.abs(p - q).max())
    a, b = np.unravel_index(int(np.abs(p - q).argmax()), p.shape)
    first, second = (tuple(vocabulary[i].strip() for i in ids) for ids in (orders[0].first, orders[0].second))
    return LectureErratumResult(
        p, q, first, second, off, "largest difference of a pair's probability",
        f"“{first[a]} {second[b]}” gets {p[a, b]:.3f} if the first gap is filled first, and {q[a, b]:.3f} if the "
        "second is. So BERT has no probability for a whole text, which a model that writes needs. It says what fits "
        "into gaps.",
    )  # fmt: skip


ENCODER_ERRATA = (
    LectureErratum(
        where="1:156", name="“Encoders are generative”", run=_no_joint_probability,
        titles=("First gap filled first", "Second gap filled first"),
        note="For encoders the note repeats the decoder's sentence: “generative models that output sequence of "
        "tokens”.",
        right="An encoder reads. Trained on gaps, it gives a whole text no probability: if it did, the two pictures "
        "would be the same.",
    ),
)  # fmt: skip
