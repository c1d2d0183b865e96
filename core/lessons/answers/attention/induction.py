"""Answers on the induction head: what guessing costs, what one layer can do, and what each head is needed for."""

import math

from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import own, shown
from core.train.experiments.live import Live

NAME = "induction"
LITTLE = 0.2  # nats: a rise below it is hardly one


def _n_head(live: Live) -> int:
    return int(live.options["n_head"])


def _starred(live: Live) -> tuple[tuple[int, int], tuple[int, int]]:
    """The head of layer 0 that reads the token before, and the head of layer 1 that reads what followed."""
    from core.rooms.heads_at_work.compute.induction import induction_scores, previous_scores
    from core.rooms.heads_at_work.experiments import induction as task

    weights = live.record["frames.two.weights"][-1:] / 255
    writer = int(previous_scores(weights, task.N_PROBE)[-1, 0].argmax())
    reader = int(induction_scores(weights, task.N_PROBE)[-1, 1].argmax())
    return (0, writer), (1, reader)


@answer("induction.blind")
def blind() -> Answer:
    """What guessing blindly costs, in nats: the loss of a model that holds all tokens for equally likely."""
    import torch

    from core.rooms.heads_at_work.experiments import induction as task

    ids, periods = task.held_out(0)
    even = torch.zeros(*ids.shape, task.VOCAB_SIZE)
    loss = float(task.repeat_loss(even, ids, periods))
    return Answer(
        round(loss, 2),
        f"A model that gives each of {task.VOCAB_SIZE} tokens the same probability has a loss of **{loss:.3f}** nats "
        "on sequences like these.",
        task.repeat_loss,
    )


@answer("induction.one-layer")
def one_layer() -> Answer:
    """Where one layer ends: near "zero", at the cost of knowing which tokens there are ("bag"), or "blind"."""
    from core.rooms.heads_at_work.experiments import induction as task
    from core.train.experiment import rebuild

    live = shown(NAME)
    ids, periods = task.held_out(live.seed)
    model = rebuild(live.record, "one", task.config(1, _n_head(live)))
    loss, bag = float(task.repeat_loss(model(ids), ids, periods)), task.bag_loss(periods)
    return Answer(
        "zero" if loss < bag / 2 else "bag" if loss < (bag + math.log(task.VOCAB_SIZE)) / 2 else "blind",
        f"Its loss on the repeat is **{loss:.2f}** nats. A guess among the tokens that have been there has {bag:.2f}, "
        f"a guess among all {math.log(task.VOCAB_SIZE):.2f}.",
        task.repeat_loss,
    )


@answer("induction.loss-curve")
def loss_curve(x: list[float]) -> Answer:
    """The loss on the repeat of two layers, at these steps of the training that is shown."""
    import numpy as np

    from core.rooms.heads_at_work.experiments import induction as task

    live = shown(NAME)
    steps, losses = live.record["step"], live.record["curve.two.loss"]
    heights = [float(y) for y in np.interp(x, steps, losses)]
    falls = np.diff(losses)
    at = int(falls.argmin())
    return Answer(
        heights,
        f"Measured with seed {live.seed}, at {len(steps)} moments, on new sequences. It falls fastest around step "
        f"{int(steps[at])}: from {losses[at]:.2f} to {losses[at + 1]:.2f} nats within {int(steps[at + 1] - steps[at])} "
        "steps.",
        task.Induction.advance,
    )


@answer("induction.without")
def without(which: str) -> Answer:
    """The loss with heads off: "same", "half" way back, as "blind" as guessing, or "worse".

    Args:
        which: "writer", the starred head of layer 0; "reader", that of layer 1; "readers", all of layer 1.
    """
    from core.inspect import knockouts
    from core.rooms.heads_at_work.experiments import induction as task
    from core.rooms.heads_at_work.induction import loss_without

    live = shown(NAME)
    writer, reader = _starred(live)
    heads = {
        "writer": (writer,),
        "reader": (reader,),
        "readers": tuple((1, head) for head in range(_n_head(live))),
    }[which]
    before, after = (loss_without(live, off) for off in ((), heads))
    blind_loss = math.log(task.VOCAB_SIZE)
    if after - before < LITTLE:
        name = "same"
    elif after > blind_loss + LITTLE:
        name = "worse"
    else:
        name = "blind" if after > blind_loss - LITTLE else "half"
    listed = " and ".join(f"{layer}.{head}" for layer, head in heads)
    return Answer(
        name,
        f"Without head {listed} the loss on the repeat goes from {before:.2f} to **{after:.2f}** nats; a "
        f"blind guess has {blind_loss:.2f}.",
        knockouts.logits_without,
    )


@answer("induction.own-one-head")
def own_one_head() -> Answer | NotYet:
    """Whether the learner's own two-layer model learned to copy: "born" (loss below 0.5), "begun", or "not"."""
    from core.rooms.heads_at_work.experiments import induction as task

    mine = own(NAME, n_head=1)
    if isinstance(mine, NotYet):
        return mine
    loss = float(mine.record["curve.two.loss"][-1])
    bag = task.bag_loss(task.held_out(mine.seed)[1])
    n = _n_head(mine)
    return Answer(
        "born" if loss < 0.5 else "begun" if loss < bag - LITTLE else "not",
        f"With {n} head{'s' * (n > 1)} in each layer and seed {mine.seed}, your two layers end at **{loss:.2f}** nats; "
        f"a guess among the tokens that have been there has {bag:.2f}.",
        task.Induction.advance,
    )
