"""Answers on scaled dot-product attention: a small layer's rows, the softmax, the root, and what length costs."""

from core.lessons.answers.answer import Answer, answer
from core.ui.numbers import power_of_ten


@answer("scores.same-word-twice")
def same_word_twice(sentence: str, word: str, positions: bool = False, causal: bool = False) -> Answer:
    """Whether two places of one word have the same row of the output of a small layer."""
    import numpy as np

    from core.rooms.step_by_step.compute import attention_walkthrough

    words = tuple(sentence.split())
    found = attention_walkthrough.walk(attention_walkthrough.Layer(positions=positions, is_causal=causal), words)
    first, second = [t for t, one in enumerate(words) if one == word][:2]
    off = float(np.abs(found.out[first] - found.out[second]).max())
    return Answer(
        "same" if off == 0 else "other",
        f"The two rows of the output differ by at most {power_of_ten(off, 2) if off < 1e-3 else round(off, 3)}.",
        attention_walkthrough.walk,
    )


@answer("scores.all-higher")
def all_higher(scores: list[float], by: float) -> Answer:
    """What becomes of the weights when every score of a row rises by the same."""
    import torch

    from core.nn.attention import masked_softmax

    row = torch.tensor(scores, dtype=torch.float64).expand(1, 1, 1, -1)
    before, after = (masked_softmax(one)[0, 0, 0] for one in (row, row + by))
    largest, now = float(before.max()), float(after.max())
    same = bool(torch.allclose(before, after, rtol=0, atol=1e-12))
    return Answer(
        "same" if same else "sharper" if now > largest else "flatter",
        f"The largest weight was {largest:.4f} and is {now:.4f}.",
        masked_softmax,
    )


@answer("scores.top-by-doubling")
def top_by_doubling(first: int = 4, doublings: int = 7, seed: int = 0) -> Answer:
    """A query's largest weight on average, without the root, while the width of its vectors doubles again and again."""
    from core.rooms.step_by_step.compute import score_scaling

    found = [score_scaling.measure(first * 2**i, seed) for i in range(doublings + 1)]
    return Answer(
        [one.top[0] for one in found],
        f"It rises from {found[0].top[0]:.2f} at a width of {found[0].d_k} to {found[-1].top[0]:.2f} at "
        f"{found[-1].d_k}. With the root, it is {found[0].top[1]:.2f} and {found[-1].top[1]:.2f}.",
        score_scaling.measure,
    )


@answer("scores.gradient")
def gradient(d_k: int, seed: int = 0) -> Answer:
    """What gradients at the queries become without the root: "more" or "less" for all, or "few" (most less, some more).

    By the median and the mean over the queries.
    """
    from core.rooms.step_by_step.compute import score_scaling

    three = [score_scaling.measure(d_k, seed + i) for i in range(3)]
    mean, median = three[0].gradient_mean, three[0].gradient_median
    told = "; ".join(
        f"seed {seed + i}: mean {one.gradient_mean[0]:.2f} without and {one.gradient_mean[1]:.2f} with the root, "
        f"median {one.gradient_median[0]:.2f} and {one.gradient_median[1]:.2f}"
        for i, one in enumerate(three)
    )
    return Answer(
        "few" if median[0] < median[1] and mean[0] > mean[1] else "more" if mean[0] > mean[1] else "less",
        f"Length of the gradient at {score_scaling.N_QUERY} queries of width {d_k}. {told[0].upper()}{told[1:]}.",
        score_scaling.query_gradients,
    )


@answer("scores.root-outside")
def root_outside(d_k: int = 64, seed: int = 0) -> Answer:
    """What a row of weights sums to when the root stands outside of the softmax."""
    from core.rooms.step_by_step.compute import score_scaling

    found = score_scaling.root_inside_and_out(d_k, seed)
    return Answer(
        round(float(found.row_sum[1]), 9),
        f"With the root inside, the same numbers give rows that sum to {found.row_sum[0]:.3f}.",
        score_scaling.root_inside_and_out,
    )


@answer("scores.twice-as-long")
def twice_as_long(n_token: int = 512, d_model: int = 64, n_head: int = 4) -> Answer:
    """How many times the multiply-adds of a block a text of twice the length takes."""
    from core.inspect.costs import layer_cost

    short, long = (layer_cost.layer_cost(n, d_model, n_head) for n in (n_token, 2 * n_token))
    return Answer(
        long.total / short.total,
        f"{short.total:,} multiplications with additions at {n_token} tokens, {long.total:,} at {2 * n_token}. At "
        f"{n_token}, work on pairs makes up {short.quadratic / short.total:.0%}.",
        layer_cost.layer_cost,
    )
