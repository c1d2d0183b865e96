"""Answers on positions: words shuffled through real stacks, and tables of sines and cosines."""

from core.lessons.answers.answer import Answer, NotYet, answer
from core.ui.numbers import power_of_ten

SENTENCE = "Mia saw the dog before Tom came"
NAMES = {"sinusoidal": "sines and cosines", "rotary": "RoPE", "alibi": "ALiBi"}
ROUNDING = 1e-9  # these stacks compute with 64-bit numbers; what the order changes is many times larger


@answer("positions.shuffled")
def shuffled(sentence: str = SENTENCE, scheme: str = "none", n_layer: int = 2, seed: int = 0) -> Answer:
    """Whether an encoder's outputs are the same rows in another order, when the words are reversed."""
    from core.rooms.positions.compute import word_order

    largest = _reversed(sentence, scheme, n_layer, seed)
    return Answer(
        "same" if largest < ROUNDING else "other",
        f"The largest difference between a word's outputs in the two orders is {power_of_ten(largest)}.",
        word_order.shuffle,
    )


@answer("positions.past-shuffled")
def past_shuffled(sentence: str = SENTENCE, seed: int = 0) -> Answer:
    """With how many causal layers, without positions, the last word notices that the words before it were shuffled."""
    from core.rooms.positions import causal

    every = causal.compute(causal.Inputs(text=sentence, seed=seed)).every
    change = {n: every[n].last for n in (1, 2)}
    came = "both" if change[1] > ROUNDING else "two" if change[2] > ROUNDING else "never"
    return Answer(
        came,
        f"Its output moves by {power_of_ten(change[1])} with one layer, and by {change[2]:.2f} with two.",
        causal.word_order.shuffle,
    )


@answer("positions.dot-products")
def dot_products(distances: list[float], width: int = 16) -> Answer:
    """The dot product of sinusoidal positions that stand so far apart."""
    import torch

    from core.nn.positions import sinusoidal

    table = sinusoidal(int(max(distances)) + 1, width, dtype=torch.float64)
    curve = [float(table[0] @ table[int(distance)]) for distance in distances]
    return Answer(curve, f"It begins at {curve[0]:.2f}, half the width, and ends at {curve[-1]:.2f}.", sinusoidal)


@answer("positions.slip")
def slip(n_position: int = 64, width: int = 8) -> Answer:
    """The largest error of a single number in a lecture note's table of positions."""
    import torch

    from core.nn.positions import sinusoidal
    from core.rooms.positions.compute.lecture_positions import lecture_table

    right = sinusoidal(n_position, width, dtype=torch.float64)
    error = float((lecture_table(n_position, width) - right).abs().max())
    return Answer(
        error,
        f"That's the worst of {n_position * width} numbers ({n_position} positions, width {width}).",
        lecture_table,
    )


@answer("positions.at-zero")
def at_zero(width: int = 128) -> Answer:
    """What sinusoidal positions add to the first token."""
    import torch

    from core.nn.positions import sinusoidal

    first = sinusoidal(1, width, dtype=torch.float64)[0]
    values = set(first.tolist())
    came = {frozenset({0.0}): "nothing", frozenset({0.0, 1.0}): "ones"}.get(frozenset(values), "other")
    return Answer(
        came,
        f"A first vector of width {width} holds {int((first == 0).sum())} zeros and {int((first == 1).sum())} ones.",
        sinusoidal,
    )


@answer("positions.learned-neighbors")
def learned_neighbors() -> Answer | NotYet:
    """Mean cosine of neighboring positions in the table of a trained model."""
    from core.inspect import positions
    from core.inspect.reading.model_key import ModelUnreadable
    from core.rooms.positions import learned

    try:
        found = learned.compute(learned.Inputs())
    except ModelUnreadable:
        return NotYet("The model with learned positions isn't on this machine, so there is no table to measure.")
    assert isinstance(found, learned.Table), "it has learned positions"
    by_distance = found.by_distance
    middle = len(by_distance) // 2
    return Answer(
        float(by_distance[1]),
        f"Of {len(by_distance)} learned positions, neighbors have a mean cosine of {by_distance[1]:.2f}, positions "
        f"{middle} apart one of {by_distance[middle]:.2f}.",
        positions.learned,
    )


@answer("positions.both-moved")
def both_moved(query: int = 9, key: int = 4, by: int = 10, width: int = 8, seed: int = 0) -> Answer:
    """What becomes of a rotary score when the query and the key both move on by as many places."""
    from core.inspect import positions

    scores = positions.rotary_scores(*positions.drawn_pair(width, seed), max(query, key) + by + 1)
    before, after = float(scores[query, key]), float(scores[query + by, key + by])
    came = "same" if abs(after - before) < ROUNDING else "grows" if after > before else "falls"
    return Answer(
        came,
        f"Query at {query} and key at {key}: {before:.4f}. Query at {query + by} and key at {key + by}: {after:.4f}.",
        positions.rotary_scores,
    )


@answer("positions.mirror")
def mirror(sentence: str = SENTENCE, seed: int = 0) -> Answer:
    """Which of three schemes cannot tell a sentence from its mirror image, in an encoder of two layers."""
    from core.rooms.positions.compute import word_order

    change = {scheme: _reversed(sentence, scheme, 2, seed) for scheme in ("sinusoidal", "rotary", "alibi")}
    said = ", ".join(
        f"{name} {power_of_ten(change[scheme]) if change[scheme] < 1e-3 else f'{change[scheme]:.1g}'}"
        for scheme, name in NAMES.items()
    )
    return Answer(
        min(change, key=lambda scheme: change[scheme]),
        f"Largest difference of a word's outputs in the two orders: {said}.",
        word_order.shuffle,
    )


def _reversed(sentence: str, scheme: str, n_layer: int, seed: int) -> float:
    """How much a word's output in the reversed sentence differs from its output before, at most."""
    from core.rooms.positions import shuffle

    asked = shuffle.Inputs(text=sentence, how="reverse", scheme=scheme, n_layer=n_layer, weights=seed)
    return shuffle.compute(asked).largest
