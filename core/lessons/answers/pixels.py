"""Answers on pictures as rows of pixels, and on captions."""

from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import own, shown
from core.ui.text import escape_markdown, percent

EARLY = 0.9  # a share of captions from which a part counts as learned


@answer("pixels.worst-palette")
def worst_palette(photo: str = "china", n_color: int = 16) -> Answer:
    """Which of three palettes is furthest off this photograph: its "own", an "even" one, or the "other"'s."""
    from core.inspect.reading.pictures import photograph
    from core.rooms.pixels import quantise
    from core.rooms.pixels.compute.palette import learn

    picture, off = photograph(photo), {}
    for source in (quantise.OWN, quantise.EVEN, quantise.OTHER):
        result = quantise.compute(quantise.Inputs(picture=picture, n_color=n_color, source=source))
        off[source] = result.chosen.distortion.root
    told = ", ".join(f"{quantise.LABELS[name]} {error:.1f}" for name, error in off.items())
    return Answer(
        max(off, key=lambda name: off[name]),
        f"How far red, green and blue, from 0 to 255, are typically off, with {n_color} colors learned on: {told}.",
        learn,
    )


@answer("pixels.who-depends")
def who_depends() -> Answer:
    """Whose bits per pixel change more with the order: the "model"'s, the "ngram"'s, "both" or "none"."""
    from core.rooms.pixels import orders
    from core.rooms.pixels.compute import pixels as writing

    apart = orders.compute(orders.Inputs(guess="none", judge=shown("digits")), shown("pixels")).apart
    return Answer(
        orders.who_depends(*apart),
        f"Between the two orders ImageGPT's bits per pixel differ by {apart[0]:.3f}, those of the 2-gram by "
        f"{apart[1]:.3f}.",
        writing.bits,
    )


@answer("pixels.likeliest")
def likeliest(digit: int = 7, rows: int = 4) -> Answer:
    """What the ViT sees in the completion that always takes the likeliest level: the digit, as a word of its own."""
    from core.inspect.reading.pictures import held_out_digit
    from core.rooms.pixels import complete
    from core.rooms.pixels.compute import pixels as writing

    picture, warmth = held_out_digit(digit), complete.TEMPERATURE
    asked = [
        complete.Inputs(judge=shown("digits"), picture=picture, rows=rows, temperature=one) for one in (0.0, warmth)
    ]
    cold, warm = (complete.compute(inputs, shown("pixels")).answers.said for inputs in asked)
    said = int(cold[0])
    n_right = int((warm == picture.label).sum())
    return Answer(
        str(said) if said in (picture.label, 9) else "other",
        f"At temperature 0 it always draws the same picture, and the ViT sees a **{said}** in it. At "
        f"{warmth:g}, it sees the digit {picture.label} in {n_right} of {len(warm)}.",
        writing.write,
    )


@answer("pixels.twice-the-side")
def twice_the_side(side: int = 32) -> Answer:
    """How many times as many pairs attention compares if the picture is twice as wide and high."""
    from core.rooms.pixels.compute.picture_cost import picture_cost, pixel_tokens

    small, large = (picture_cost(pixel_tokens(n), 64, 4).pairs for n in (side, 2 * side))
    return Answer(
        large / small,
        f"{side} × {side} pixels are {pixel_tokens(side):,} tokens and {small:,} pairs; {2 * side} × {2 * side} are "
        f"{pixel_tokens(2 * side):,} tokens and {large:,} pairs.",
        picture_cost,
    )


@answer("pixels.untrained-probe")
def untrained_probe() -> Answer:
    """Percent of digits that a linear probe reads from a model that was never trained, at its best layer."""
    from core.rooms.pixels import probe
    from core.rooms.pixels.compute.probe import linear_probe

    result = probe.compute(probe.Inputs(judge=shown("digits")), shown("pixels"))
    trained, untrained = result.trained[result.best].held_out, result.untrained[result.best].held_out
    return Answer(
        round(100 * untrained),
        f"From the trained model's best layer {trained:.1%} are read, from the same layer untrained {untrained:.1%}. "
        f"From the 64 pixels themselves: {result.raw.held_out:.1%}.",
        linear_probe,
    )


@answer("captions.one-vector")
def one_vector() -> Answer:
    """How many captions of 360 are right when the decoder reads one vector in place of all patches."""
    from core.data import images
    from core.rooms.captions.experiments import captions as task

    true = task.truth(images.held_out())
    right = {name: int((shown(name).record["written"] == true).all(1).sum()) for name in ("captions", "captions-class")}
    return Answer(
        right["captions-class"],
        f"Of {len(true)} captions, {right['captions-class']} are right from one vector and {right['captions']} from "
        "all patches.",
        task.write,
    )


@answer("captions.after-an")
def after_an(first: int = 30, second: int = 187) -> Answer:
    """What follows "an" when the picture behind it is exchanged for another digit: "eight", "second" or "other"."""
    from core.inspect.reading.pictures import held_out_digit
    from core.rooms.captions import swap
    from core.rooms.captions.compute import captions
    from core.rooms.captions.compute.captioning import change

    two = held_out_digit(second)
    mixed = swap.compute(swap.Inputs(first=held_out_digit(first), second=two, word=1), shown("captions")).mixed
    word = mixed.words[1]
    name = "eight" if word == "eight" else "second" if word == captions.NAMES[two.label or 0] else "other"
    return Answer(
        name,
        f"It writes “{escape_markdown(mixed.text)}”, and gives “{escape_markdown(word)}” "
        f"{percent(float(mixed.sure[1]))}.",
        change,
    )


@answer("captions.own-first")
def own_first() -> Answer | NotYet:
    """Which part of the caption came first to nine in ten in the learner's own training: "digit", "ink", "slant"."""
    from core.rooms.captions.experiments import captions as task

    mine = own("captions", n_step=400)
    if isinstance(mine, NotYet):
        return mine
    steps = mine.record["curve.step"]
    reached = {}
    for name in ("digit", "ink", "slant"):
        curve = mine.record[f"curve.{name}"]
        above = (curve >= EARLY).nonzero()[0]
        reached[name] = int(steps[above[0]]) if len(above) else 1 + int(steps[-1])
    told = ", ".join(f"the {name} at step {step:,}" for name, step in reached.items())
    return Answer(min(reached, key=lambda name: reached[name]), f"First right nine times in ten: {told}.", task.loss)
