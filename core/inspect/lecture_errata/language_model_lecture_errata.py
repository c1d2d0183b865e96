"""Errata about language models, run on a table of probabilities, on a decoder, and on an encoder with two gaps."""

from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.inspect.gaps import fill_two_gaps
from core.inspect.lecture_errata import FloatArray, LectureErratum, LectureErratumResult
from core.models.bert import BERT

LABELS = module_labels(__name__)

_OUTCOMES = tuple(f"{i:03b}" for i in range(8))  # all texts of three words, each 0 or 1


def _random_joint_distribution(seed: int) -> FloatArray:
    """Return random joint probabilities (2, 2, 2) of three words."""
    drawn = np.random.default_rng(seed).exponential(size=(2, 2, 2))
    return np.asarray(drawn / drawn.sum())


def _against(wrong: FloatArray, seed: int) -> tuple[FloatArray, FloatArray]:
    return wrong.reshape(1, 8), _random_joint_distribution(seed).reshape(1, 8)


def _drop_first_condition(seed: int) -> LectureErratumResult:
    """Compare p(z1) p(z2 | z1) p(z3 | z2) with the joint probability."""
    p = _random_joint_distribution(seed)
    first_two, last_two = p.sum(2), p.sum(0)
    wrong, right = _against(first_two[:, :, None] * (last_two / last_two.sum(1, keepdims=True))[None], seed)
    off = float(np.abs(wrong - right).sum() / 2)
    return LectureErratumResult(
        wrong,
        right,
        ("p",),
        _OUTCOMES,
        off,
        LABELS["drop_first_condition.unit"],
        LABELS("drop_first_condition.said", sum=wrong.sum(), off=off),
    )


def _count_first_factor_twice(seed: int) -> LectureErratumResult:
    """Compare p(t1) times the product from n = 1 with the product from n = 2."""
    p = _random_joint_distribution(seed)
    wrong, right = _against(p.sum((1, 2))[:, None, None] * p, seed)
    return LectureErratumResult(
        wrong,
        right,
        ("p",),
        _OUTCOMES,
        float(1 - wrong.sum()),
        LABELS["count_first_factor_twice.unit"],
        LABELS("count_first_factor_twice.said", sum=wrong.sum()),
    )


def _condition_on_itself(seed: int) -> LectureErratumResult:
    """Compare p(z_i | z_1..i), which has z_i in its condition, with p(z_i | z_1..i-1)."""
    p = _random_joint_distribution(seed)
    factors = []
    for i in range(1, 4):
        up_to_i = p.sum(tuple(range(i, 3)))
        factors.append((up_to_i / up_to_i).reshape(up_to_i.shape + (1,) * (3 - i)))  # p(z_i, z_1..i) / p(z_1..i)
    wrong, right = _against(factors[0] * factors[1] * factors[2], seed)
    return LectureErratumResult(
        wrong,
        right,
        ("p",),
        _OUTCOMES,
        float(wrong.sum() - 1),
        LABELS["condition_on_itself.unit"],
        LABELS("condition_on_itself.said", sum=wrong.sum()),
    )


NGRAM_ERRATA = (
    LectureErratum(
        where="3:157", name=LABELS["drop_first_condition.name"], run=_drop_first_condition,
        note=r"$p(z \mid x) = p(z_1 \mid x)\, p(z_2 \mid z_1, x)\, p(z_3 \mid z_2, x)$.",
        right=LABELS["drop_first_condition.right"],
    ),
    LectureErratum(
        where="5:216", name=LABELS["count_first_factor_twice.name"], run=_count_first_factor_twice,
        note=r"$p(t_1) \prod_{n=1}^{N} p(t_n \mid t_1, \ldots, t_{n-1})$.",
        right=r"$p(t_1) \prod_{n=2}^{N} p(t_n \mid t_1, \ldots, t_{n-1})$.",
    ),
    LectureErratum(
        where="3:173", name=LABELS["condition_on_itself.name"], run=_condition_on_itself,
        note=LABELS["condition_on_itself.note"],
        right=LABELS["condition_on_itself.right"],
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
        wrong,
        right,
        ("p",),
        tuple(vocabulary[i] for i in columns),
        off,
        LABELS["predicting_row.unit"],
        LABELS("predicting_row.said", n_ids=len(ids), n_ids_2=len(ids) + 1, shape=p.shape[1]),
    )


def _number_of_rows(model: nn.Module, ids: Sequence[int], vocabulary: Sequence[str]) -> LectureErratumResult:
    """Compare the distributions for inputs a_0 to a_n: n as written, and the n + 1 that the model returns."""
    p = _log_probs(model, ids).exp().numpy()
    right = np.sort(p, axis=1)[:, ::-1][:, :_N_TOP]
    wrong = right.copy()
    wrong[-1] = np.nan
    best = vocabulary[int(p[-1].argmax())].strip()
    return LectureErratumResult(
        wrong,
        right,
        tuple(f"p(x | a0..a{i})" if i else "p(x | a0)" for i in range(len(ids))),
        tuple(f"{i}." for i in range(1, _N_TOP + 1)),
        1.0,
        LABELS["number_of_rows.unit"],
        LABELS("number_of_rows.said", n_ids=len(ids), n_ids_2=len(ids) - 1, n_p=len(p), best=best, max=p[-1].max()),
    )


def _loss_on_inputs(model: nn.Module, ids: Sequence[int], vocabulary: Sequence[str]) -> LectureErratumResult:
    """Compare each position's loss with the inputs as targets and with the next tokens as targets."""
    log_p = _log_probs(model, ids)[:-1]
    targets = torch.tensor(list(ids))
    wrong, right = (F.nll_loss(log_p, goal, reduction="none").numpy()[None] for goal in (targets[:-1], targets[1:]))
    return LectureErratumResult(
        wrong,
        right,
        (LABELS["loss_on_inputs.loss"],),
        tuple(f"{t} {vocabulary[i]}" for t, i in enumerate(ids[:-1])),
        float(wrong.mean() - right.mean()),
        LABELS["loss_on_inputs.unit"],
        LABELS("loss_on_inputs.said", mean=wrong.mean(), mean_2=right.mean()),
    )


def _double_log_softmax(model: nn.Module, ids: Sequence[int], vocabulary: Sequence[str]) -> LectureErratumResult:
    """Compare each position's loss with a log-softmax of log-probabilities and of logits."""
    log_p = _log_probs(model, ids)[:-1]
    targets = torch.tensor(list(ids)[1:])
    wrong = F.cross_entropy(log_p, targets, reduction="none").numpy()[None]  # applies its own log-softmax
    right = F.nll_loss(log_p, targets, reduction="none").numpy()[None]
    off = float(np.abs(wrong - right).max())
    return LectureErratumResult(
        wrong,
        right,
        (LABELS["double_log_softmax.loss"],),
        tuple(f"{t} {vocabulary[i]}" for t, i in enumerate(ids[:-1])),
        off,
        LABELS["double_log_softmax.unit"],
        LABELS("double_log_softmax.said", off=off),
    )


DECODER_ERRATA = (
    LectureErratum(
        where="3:194", name=LABELS["predicting_row.name"], run=_predicting_row,
        note=LABELS["predicting_row.note"],
        right=LABELS["predicting_row.right"],
    ),
    LectureErratum(
        where="4:261", name=LABELS["number_of_rows.name"], run=_number_of_rows,
        note=LABELS["number_of_rows.note"],
        right=LABELS["number_of_rows.right"],
    ),
    LectureErratum(
        where="4:400", name=LABELS["loss_on_inputs.name"], kind="value", run=_loss_on_inputs,
        note=LABELS["loss_on_inputs.note"],
        right=LABELS["loss_on_inputs.right"],
    ),
    LectureErratum(
        where="4:342", name=LABELS["double_log_softmax.name"], kind="value", run=_double_log_softmax,
        note=LABELS["double_log_softmax.note"],
        right=LABELS["double_log_softmax.right"],
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
        p,
        q,
        first,
        second,
        off,
        LABELS["no_joint_probability.unit"],
        LABELS("no_joint_probability.said", first=first[a], second=second[b], p=p[a, b], q=q[a, b]),
    )


ENCODER_ERRATA = (
    LectureErratum(
        where="1:156", name=LABELS["no_joint_probability.name"], run=_no_joint_probability,
        titles=(LABELS["no_joint_probability.title_written"], LABELS["no_joint_probability.title_right"]),
        note=LABELS["no_joint_probability.note"],
        right=LABELS["no_joint_probability.right"],
    ),
)  # fmt: skip
