"""Answers on the soft dictionary: a query against keys, and what hard look-up does to gradients."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import shown


@answer("look-up.best-weight")
def best_weight(temperature: float = 1.0) -> Answer:
    """The share of the entry that fits best, for the query and the keys that the exhibit begins with."""
    from core.rooms.step_by_step.compute import soft_lookup

    found = soft_lookup.look_up(replace(soft_lookup.default(2), temperature=temperature))
    best = found.best[0]
    scores = ", ".join(f"{name} {score:.1f}" for name, score in zip(soft_lookup.NAMES, found.scores, strict=True))
    return Answer(
        float(found.weights[best]),
        f"Scores: {scores}. The softmax gives “{soft_lookup.NAMES[best]}” {found.weights[best]:.3f}.",
        soft_lookup.look_up,
    )


@answer("look-up.longer-key")
def longer_key(entry: str = "north", factor: float = 3.0) -> Answer:
    """Which entry wins when one key is made longer, its direction as it was."""
    from core.rooms.step_by_step.compute import soft_lookup

    asked = soft_lookup.default(2)
    place = soft_lookup.NAMES.index(entry)
    keys = list(asked.keys)
    keys[place] = tuple(factor * one for one in keys[place])
    found = soft_lookup.look_up(replace(asked, keys=tuple(keys)))
    scores = ", ".join(f"{name} {score:.1f}" for name, score in zip(soft_lookup.NAMES, found.scores, strict=True))
    return Answer(soft_lookup.NAMES[found.best[0]], f"Scores now: {scores}.", soft_lookup.look_up)


@answer("look-up.hot")
def hot(temperature: float = 50.0) -> Answer:
    """What the soft answer goes towards as the temperature rises: the best value, nothing, or the mean."""
    import numpy as np

    from core.rooms.step_by_step.compute import soft_lookup

    found = soft_lookup.look_up(replace(soft_lookup.default(2), temperature=temperature))
    limits = {"best": found.hard, "nothing": np.zeros_like(found.soft), "mean": found.mean}
    nearest = min(limits, key=lambda name: float(np.linalg.norm(found.soft - limits[name])))
    return Answer(
        nearest,
        f"At temperature {temperature:g} the weights are {_listed(found.weights)}, and the answer is "
        f"({_listed(found.soft)}); the mean of the values is ({_listed(found.mean)}).",
        soft_lookup.look_up,
    )


@answer("look-up.jumps")
def jumps(steps: int = 360) -> Answer:
    """In how many of the steps of a query round its circle the hard answer changes; the soft one always does."""
    import numpy as np

    from core.rooms.step_by_step.compute import soft_lookup

    asked = soft_lookup.default(2)
    # Half a step aside, so that no query stands where two keys fit equally well.
    angles = (np.arange(steps + 1) + 0.5) * 2 * np.pi / steps
    answers = [
        soft_lookup.look_up(replace(asked, query=(float(np.cos(angle)), float(np.sin(angle))))) for angle in angles
    ]
    pairs = list(pairwise(answers))
    hard = sum(bool((one.hard != other.hard).any()) for one, other in pairs)
    soft = sum(bool((one.soft != other.soft).any()) for one, other in pairs)
    return Answer(hard, f"In {steps} steps the hard answer changes {hard} times, the soft one {soft} times.",
                  soft_lookup.look_up)  # fmt: skip


@answer("look-up.argmax-gradient")
def argmax_gradient() -> Answer | NotYet:
    """How much of a gradient reaches the scores through arg-max, in the shipped models before their training."""
    import numpy as np

    from core.rooms.hard_attention import gradients
    from core.ui.training import live

    run = live.example("choosing")
    if run is None:
        return NotYet("The trained example isn't on this machine. Train one further down, then look again.")
    found = gradients.compute(gradients.Inputs(variant="argmax"), run).exact
    largest = {"soft": float(np.abs(found.soft).max()), "argmax": float(np.abs(found.argmax).max())}
    came = "none" if largest["argmax"] == 0 else "small" if largest["argmax"] < largest["soft"] else "large"
    return Answer(
        came,
        f"The largest gradient that reaches a score is {largest['soft']:.3f} through the mixture, and "
        f"{largest['argmax']:g} where only the best card is read.",
        gradients.look.score_gradients,
    )


@answer("look-up.who-finds-the-card")
def who_finds_the_card() -> Answer:
    """Which of three ways to read learn to look at the right card."""
    from core.rooms.hard_attention.experiments.choosing import NAMES, Chooser
    from core.rooms.hard_attention.three_ways import found_at, outcome

    run = shown("choosing")
    steps = {variant: step for variant, step in found_at(run).items() if variant != "bare"}
    told = "; ".join(
        f"{NAMES[variant]}: {'never' if step is None else f'after {step} steps'}" for variant, step in steps.items()
    )
    return Answer(outcome(run), f"When nine tenths of the weight was on the right card: {told}.", Chooser.loss)


def _listed(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)
