"""Answers on GPT: what a training step asks, what an untrained one pays, who notices what, the optimizer."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from core.lessons.answers.answer import Answer, answer
from core.lessons.answers.trainings import shown
from core.ui.numbers import power_of_ten

if TYPE_CHECKING:
    from core.inspect.reading.model_and_text import ModelAndText


def window(text: str = "") -> "ModelAndText":
    """A short text for the model of little stories, or that of the decoder's room."""
    from core.rooms.decoder import inputs

    return inputs.window(text or inputs.SENTENCE)


@answer("gpt.how-many-lessons")
def how_many_lessons() -> Answer:
    """How many predictions one pass over the room's text makes."""
    from core.rooms.decoder.compute import training_window

    here = window()
    n = len(training_window.taught(here).loss)
    return Answer(n, f"The text has {here.n_token} tokens, and one pass made {n} predictions.", training_window.teach)


@answer("gpt.dearest")
def dearest(words: list[str], text: str = "") -> Answer:
    """Which of these words of a text, or of the room's, cost the stories model most."""
    from core.rooms.decoder.compute import training_window

    here = window(text)
    losses = training_window.taught(here).loss
    named = {here.tokens[t + 1].strip(): float(loss) for t, loss in reversed(list(enumerate(losses)))}
    costs = {word: named[word] for word in words}
    told = ", ".join(f"“{word}” {cost:.2f}" for word, cost in costs.items())
    return Answer(max(costs, key=costs.__getitem__), f"Their losses, in nats: {told}.", training_window.teach)


@answer("gpt.untrained-loss")
def untrained_loss(vocab_size: int, seed: int) -> Answer:
    """The mean loss of an untrained copy of the stories model with a vocabulary of another size, in nats."""
    import torch

    from core.models import registry
    from core.rooms.decoder.compute import training_window

    config = replace(window().config, vocab_size=vocab_size)
    drawn = torch.randint(vocab_size, (config.context_length,), generator=torch.Generator().manual_seed(seed))
    loss = training_window.teach(registry.build(config, seed), drawn.tolist()).mean
    return Answer(
        round(loss, 2),
        f"The untrained copy, seed {seed}, has a mean loss of {loss:.3f} nats over {len(drawn) - 1} random tokens; "
        f"the logarithm of {vocab_size:,} is {math.log(vocab_size):.3f}.",
        training_window.teach,
    )


@answer("gpt.loss-without-mask")
def loss_without_mask() -> Answer:
    """What becomes of the stories model's loss on its text without the mask: it "falls", "rises", or is the "same"."""
    from core.rooms.decoder import leak
    from core.rooms.decoder.compute import leak_test

    leaks = leak.compute(leak.Inputs()).leaks
    masked, bare = leaks[True].loss, leaks[False].loss
    return Answer(
        "same" if abs(bare - masked) < 0.1 * masked else "rises" if bare > masked else "falls",
        f"The mean loss of the text is {masked:.2f} nats with the mask and **{bare:.2f}** without it.",
        leak_test.with_mask,
    )


@answer("gpt.lens")
def lens(after: str, block: int) -> Answer:
    """Whether the word that the model answers after a token stands in front after a block already: "yes" or "no"."""
    from core.rooms.decoder import lens as room

    found = room.compute(room.Inputs())
    place = [token.strip() for token in found.tokens].index(after)
    said = [found.words[int(i)].strip() for i in found.top[:, place, 0]]
    shares = found.probabilities[:, place, 0]
    rows = ["the embedding", *(f"after layer {n}" for n in range(len(said) - 2)), "the output"]
    told = ", ".join(f"{row}: “{word}” {share:.2f}" for row, word, share in zip(rows, said, shares, strict=True))
    return Answer("yes" if said[block + 1] == said[-1] else "no", f"After “{after}”, by {told}.", room.compute)


@answer("gpt.first-move")
def first_move(name: str, one: list[int], other: list[int], rate: float) -> Answer:
    """How far AdamW's first step moves a weight with a large gradient beside one with a small one."""
    from core.rooms.decoder.compute import one_step
    from core.train.optimizers import AdamW

    here = window()
    steps = [
        one_step.follow(here.model, here.ids, name, place, n_step=1, learning_rate=rate)[0] for place in (one, other)
    ]
    ratio = abs(steps[0].gradient / steps[1].gradient)
    moves = [abs(step.move) for step in steps]
    gradients = [power_of_ten(step.gradient, 3) for step in steps]
    value = "alike" if max(moves) < 1.01 * min(moves) else "further" if moves[0] > moves[1] else "less"
    return Answer(
        value,
        f"Their gradients are {gradients[0]} and {gradients[1]}, {ratio:.0f} times apart. Their first moves are "
        f"{power_of_ten(moves[0], 3)} and {power_of_ten(moves[1], 3)}.",
        AdamW.step,
    )


@answer("gpt.forced-or-free")
def forced_or_free(length: int) -> Answer:
    """Whether reading the truth flatters a model that writes strings backwards: how far the two shares are apart."""
    from core.inspect import forcing
    from core.rooms.seq2seq.experiments.bottleneck import model_of

    found = forcing.by_place(model_of(shown("bottleneck")), length, 64, seed=0)
    forced, free = float(found.forced.mean()), float(found.free.mean())
    return Answer(
        "worse" if free < forced - 0.02 else "better" if free > forced + 0.02 else "alike",
        f"On 64 random strings of {length} letters, {forced:.0%} of the letters are right when the true ones before "
        f"each are given, and {free:.0%} when the model reads what it wrote.",
        forcing.by_place,
    )


@answer("gpt.loss-curve")
def loss_curve(steps: list[int]) -> Answer:
    """The curve of the loss over a training of a small GPT."""
    import numpy as np

    from core.rooms.decoder.experiments import lens as task

    now = shown(task.NAME)
    at, losses = now.record["curve.step"], now.record["curve.loss"]
    # One batch is luck: the mean over the ten steps around it, the very first step alone.
    near = [np.abs(at - step) <= (5 if step > at[0] else 0) for step in steps]
    found = [float(losses[places].mean()) if places.any() else float(losses[-1]) for places in near]
    return Answer(
        [round(loss, 3) for loss in found],
        f"{found[0]:.2f} nats at the first step, "
        + ", ".join(f"{loss:.2f} after {step}" for step, loss in zip(steps[1:], found[1:], strict=True))
        + f". The loss of a blind guess is {float(now.record['blind']):.2f}.",
        task.Lens.advance,
    )
