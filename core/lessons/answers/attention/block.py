"""Answers on the block: the residual stream, norms, feed-forward layers, depth, and where the parameters are."""

from core.cache import MAX_FIGURES, memoize
from core.lessons.answers.answer import Answer, answer
from core.lessons.answers.trainings import shown
from core.ui.numbers import power_of_ten


@answer("block.written-length")
def written_length(layer: int) -> Answer:
    """How long the vector is that the feed-forward layer adds at the last word, beside the stream it read from."""
    from core.rooms.block import through_the_block
    from core.rooms.block.compute import residual_stream

    lengths = through_the_block.compute(through_the_block.Inputs(layer=layer)).lengths
    written, stream = lengths["feed-forward writes"], lengths["stream after attention"]
    ratio = written / stream
    value = "shorter" if ratio < 0.5 else "alike" if ratio < 1.5 else "longer"
    return Answer(
        value,
        f"In layer {layer}, at the last word, feed-forward adds a vector of length {written:.1f} to one of "
        f"{stream:.1f}: {ratio:.1f} times as long.",
        residual_stream.record,
    )


@answer("block.skew-after")
def skew_after(source: str, width: int) -> Answer:
    """The skew of drawn numbers after LayerNorm."""
    from core.nn.norms import LayerNorm
    from core.rooms.block import layer_norm

    before, after = layer_norm.compute(layer_norm.Inputs(source=source, width=width)).moments
    return Answer(
        round(after.skew, 2),
        f"For {width:,} {source} numbers: mean {before.mean:.2f} becomes {abs(after.mean):.2f}, variance "
        f"{before.variance:.2f} becomes {after.variance:.2f}, and skew {before.skew:.2f} becomes {after.skew:.2f}.",
        LayerNorm,
    )


@answer("block.units-on")
def units_on(layer: int) -> Answer:
    """How many of a feed-forward layer's units are on at the last word, in percent."""
    from core.rooms.block import feed_forward

    units = feed_forward.compute(feed_forward.Inputs(layer=layer))
    share = units.share
    return Answer(
        round(100 * float(share[-1]), 1),
        f"At the last word {units.n_on} of {units.n_unit} units are on, {share[-1]:.0%}; on average over the text "
        f"{share.mean():.0%}.",
        feed_forward.Units,
    )


@answer("block.two-linear")
def two_linear(width: int, hidden: int) -> Answer:
    """What two linear layers without a bend between them are worth, tried out: "one" if one matrix does the same."""
    import torch

    from core.nn.feed_forward import relu

    generator = torch.Generator().manual_seed(0)
    x, w_in, w_out = (
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        for shape in ((32, width), (width, hidden), (hidden, width))
    )
    single = w_in @ w_out
    plain = float((x @ w_in @ w_out - x @ single).abs().max() / (x @ single).abs().max())
    bent = float((relu(x @ w_in) @ w_out - x @ single).abs().max() / (x @ single).abs().max())
    return Answer(
        "one" if plain < 1e-9 else "two",
        f"Two random layers, {width} to {hidden} to {width} numbers: one matrix of {width} × {width}, their product, "
        f"gives the same up to {power_of_ten(plain)} of the largest output. With a nonlinearity (ReLU) between them "
        f"it's off by {bent:.0%}.",
    )


@answer("block.gradient-left")
def gradient_left(n_layer: int, residual: bool) -> Answer:
    """How much gradient arrives at the first of some pre-norm layers: which of four sizes."""
    from core.charts.decades import told
    from core.rooms.block.compute import gradients

    found = gradients.by_depth("pre", residual, "narrow", 0)[n_layer]
    share = float(found[0] / found[-1])
    value = "most" if share > 0.1 else "hundredth" if share > 1e-4 else "less"
    paths = "with" if residual else "without"
    return Answer(
        value,
        f"{n_layer} layers {paths} residual paths, just drawn: {told(float(found[-1]))} of gradient at the top, "
        f"{told(float(found[0]))} at the bottom.",
        gradients.arriving,
    )


@memoize(MAX_FIGURES)
def untrained_diversity(name: str, seed: int) -> tuple[float, ...]:
    """How different the words of a sentence are before each layer and after the last, in a model just drawn."""
    import torch

    from core.data.synthetic import referents
    from core.nn.start import start_wide
    from core.rooms.block.experiments import depth
    from core.train.experiments.naming import Namer

    model = Namer(depth.VARIANTS[name], seed, seed, 1).trainer.model
    if not depth.VARIANTS[name].block.residual:
        start_wide(model, seed)
    ids, _ = referents.encode(referents.split(seed)[0][:32])
    return tuple(depth.diversity(depth.stream(model, torch.from_numpy(ids))).tolist())


@answer("block.diversity")
def diversity() -> Answer:
    """The curve of how different 14 words still are after 0 to 8 layers without residual paths."""
    from core.charts.decades import told
    from core.rooms.block.experiments import depth

    found = untrained_diversity("none_8", 0)
    return Answer(
        [round(value, 3) for value in found],
        f"Eight layers as they start, without residual paths: {found[0]:.2f} before the first, {found[1]:.2f} after "
        f"one, {found[2]:.2f} after two, {told(found[4])} after four and {told(found[8])} after eight. With paths: "
        f"{untrained_diversity('pre_8', 0)[8]:.2f} after eight.",
        depth.diversity,
    )


@answer("block.who-learns")
def who_learns() -> Answer:
    """Which of the two models without residual paths learn the task."""
    from core.rooms.block import collapse
    from core.rooms.block.experiments import depth

    found = collapse.compute(collapse.Inputs(), shown("depth"))
    two, eight = found.accuracy["none_2"], found.accuracy["none_8"]
    return Answer(
        found.learned,
        f"After {found.run.step} steps, on new sentences, two layers are right in {two:.0%} and eight in {eight:.0%}. "
        "Chance is one noun of eight.",
        depth.Depth,
    )


@answer("block.share-of")
def share_of(which: str, term: str) -> Answer:
    """How many percent of a known model's parameters are in one of its parts."""
    from core.inspect.costs import parameters
    from core.rooms.block.parameters import PRESETS

    record = parameters.count_config(PRESETS[which])
    return Answer(
        round(100 * record.share(term), 1),
        f"{record.term(term).count:,} of {record.total:,} parameters are in the {term} parts.",
        parameters.count_config,
    )
