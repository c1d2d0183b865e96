"""Answers on the slips of lecture notes: each is run as written, beside what is right, and measured."""

from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import own, shown
from core.ui.text import percent


@answer("slips.position-error")
def position_error(width: int = 8, n_position: int = 64) -> Answer:
    """The largest error of a single number in a table of positions as a lecture's code makes it."""
    import torch

    from core.nn.positions import sinusoidal
    from core.rooms.positions.compute.lecture_positions import lecture_table

    off = (lecture_table(n_position, width) - sinusoidal(n_position, width, dtype=torch.float64)).abs()
    place, number = divmod(int(off.argmax()), width)
    return Answer(
        round(float(off.max()), 2),
        f"Of {n_position} positions of {width} numbers, number {number} of position {place} is off by "
        f"**{float(off.max()):.2f}**. More than 2 isn't possible between −1 and 1.",
        lecture_table,
    )


@answer("slips.position-zero")
def position_zero() -> Answer:
    """How many of the six printed numbers of a token at position 0 are wrong."""
    from core.rooms.positions.compute.lecture_positions import printed_token

    off = printed_token(0).off
    n = int((off > 0.5).sum())
    return Answer(
        n,
        f"**{n}** of {len(off)} are off, each by {off.max():.0f}: where position 0 has a 1, nothing was added.",
        printed_token,
    )


@answer("slips.row-sum")
def row_sum(d_k: int = 64) -> Answer:
    """What a row of weights adds up to where nothing is scaled."""
    from core.rooms.step_by_step.compute import score_scaling

    found = score_scaling.root_inside_and_out(d_k, 0)
    return Answer(
        round(float(found.row_sum[2]), 4),
        f"On average a row adds up to **{found.row_sum[2]:.4f}**, and the output is off by {found.error[2]:.0%} of its "
        f"length. Scaled after the softmax, to {found.row_sum[1]:.4f}, and {found.error[1]:.0%}.",
        score_scaling.root_inside_and_out,
    )


@answer("slips.leak")
def leak() -> Answer:
    """In how many heads the first row gives most of its weight to the future if blocked scores become 0 before the
    softmax."""
    from core.inspect.trace import attention
    from core.models import pretrained
    from core.rooms.masks.compute import mask_placement
    from core.rooms.masks.inputs import SENTENCE
    from core.ui.models.model_folders import shipped_folder

    opened = pretrained.load(shipped_folder("stories"))
    assert opened.tokenizer is not None  # the model that ships has its own
    record = attention(opened.model, list(opened.tokenizer.encode(SENTENCE)))
    shares = [
        float(mask_placement.four_ways(record.scores[layer, head], record.mask).leaks[1, 0])
        for layer in range(record.n_layer)
        for head in range(record.scores.shape[1])
    ]
    return Answer(
        sum(share > 0.5 for share in shares),
        f"In the {len(shares)} heads, layer by layer, the first row puts {', '.join(map(percent, shares))} of its "
        "weight on tokens that come later. With minus infinity it's none.",
        mask_placement.zero_before,
    )


@answer("slips.first-loss")
def first_loss() -> Answer:
    """The mean loss of untrained models of the note's own sizes, in nats, over all targets."""
    import math

    from core.rooms.decoder import first_loss as room

    found = room.first_losses("torch")
    return Answer(
        round(float(found.every.mean()), 2),
        f"{room.N_SEED} untrained models of just these sizes: **{found.every.mean():.3f}** on average over all "
        f"targets, {found.every.mean() - math.log(512):.3f} more than a blind guess. On the note's own 31 tokens they "
        f"lie between {found.window.min():.2f} and {found.window.max():.2f}; the note prints {room.NOTE_LOSS:.2f}.",
        room.first_losses,
    )


@answer("slips.row-of-ones")
def row_of_ones(letters: str = "headache", padding: int = 2) -> Answer:
    """What a row of weights adds up to in the attention class as written."""
    from core.rooms.hard_attention import lecture

    found = lecture.compute(lecture.Inputs(text=letters, padding=padding), shown("lecture")).reading
    assert found is not None, "as written it runs"
    return Answer(
        round(float(found.row_sums.mean()), 3),
        f"There are {found.weights.shape[1]} source tokens, padding included, and every weight is "
        f"{found.weights.min():g}. How strongly the scores react to the encoder's states: {found.asked:g}.",
        lecture.look.read,
    )


@answer("slips.own-written")
def own_written() -> Answer | NotYet:
    """The class as written beside no attention at all, in the learner's own training: "better" by 0.1 of the letters,
    "worse", or "same"."""
    from core.rooms.hard_attention.experiments import lecture as task

    mine = own("lecture", longest=8)
    if isinstance(mine, NotYet):
        return mine
    right = {name: float(mine.record[f"curve.{name}.accuracy"][-1]) for name in task.VARIANTS}
    gain = right["written"] - right[task.NO_ATTENTION]
    return Answer(
        "better" if gain >= 0.1 else "worse" if gain <= -0.1 else "same",
        f"Letters right: as written {right['written']:.2f}, without any attention {right[task.NO_ATTENTION]:.2f}, with "
        f"the encoder asked and one weight for each token {right['encoder-axis']:.2f}.",
        task.Lecture.advance,
    )
