"""The contracts of BERT, ViT and the multi-scale ViT beyond those of all models (`test_models.py`)."""

import torch

from core.inspect.costs import parameters
from core.models.bert import BERTConfig
from core.models.images.multiscale_vit import MultiScaleViTConfig, join_windows, shifted_window_mask, split_windows
from core.models.images.vit import ViTConfig
from core.nn.tap import Trace
from tests.library.contracts.promises import (
    BERTS,
    MULTISCALES,
    VITS,
    B,
    T,
    V,
    differs,
    each,
    inputs,
    lively,
    with_next,
)


@each(BERTS)
def test_padding_changes_nothing(config: BERTConfig) -> None:
    model, ids = lively(config), inputs(config)["ids"]
    mask = torch.arange(T) < torch.tensor([[T], [4], [1]])
    logits = model(ids, mask)
    other = model(ids.where(mask, (ids + 1) % V), mask)
    for row, n in enumerate((T, 4, 1)):
        there = slice(None) if config.head == "sequence" else slice(n)
        torch.testing.assert_close(logits[row][there], model(ids[row : row + 1, :n])[0], atol=1e-12, rtol=0)
        assert torch.equal(other[row][there], logits[row][there])  # what stands in the padding is never read
    with Trace(model) as trace:
        model(ids, mask)
    assert not trace["blocks.1.attn.weights"].masked_select(~mask[:, None, None, :]).any()
    assert model.mask(4).all() and model.mask(4).shape == (4, 4)


@each(BERTS)
def test_every_position_reads_in_both_directions(config: BERTConfig) -> None:
    model, ids = lively(config), inputs(config)["ids"]
    with torch.no_grad():
        for t in (0, 3, T - 1):
            assert bool(differs(model.body(with_next(ids, t, V)), model.body(ids)).all())


@each(BERTS)
def test_segments(config: BERTConfig) -> None:
    model, ids = lively(config), inputs(config)["ids"]
    if config.head == "masked":
        assert (model.head.unembed.weight is model.tok_emb.weight) == config.head_style.tied
    if not config.n_segment:
        assert model.seg_emb is None
        return
    first, second = torch.zeros_like(ids), torch.ones_like(ids)
    assert torch.equal(model(ids), model(ids, None, first)) and not torch.equal(model(ids), model(ids, None, second))
    if config.pad_id is not None:  # positions are counted from the padding: tests/library/parity
        return
    embed = model.embed(ids) - model.seg_emb.weight[0]
    torch.testing.assert_close(embed, model.tok_emb(ids) + model.pos_emb.weight[:T], atol=1e-12, rtol=0)


@each(VITS)
def test_a_patch_is_read_by_all_and_without_positions_their_order_is_nothing(config: ViTConfig) -> None:
    model, images, p = lively(config), inputs(config)["images"], config.patch_size
    other = images.clone()
    other[:, :, 0, 0] += 1
    with torch.no_grad(), Trace(model) as trace:
        model(images)
        model(other)
    changed, reached = (differs(*trace.steps(key)) for key in ("embed", "final"))
    assert changed.sum(1).tolist() == [1] * B and bool(changed[:, 1].all()) and bool(reached.all())
    assert model.mask(4).all() and model.mask(4).shape == (4, 4)
    with torch.no_grad():
        model.pos_emb.weight.zero_()
        swapped = images.clone()
        swapped[..., :p, :p], swapped[..., -p:, -p:] = images[..., -p:, -p:], images[..., :p, :p]
        torch.testing.assert_close(model(swapped), model(images), atol=1e-12, rtol=0)


# --- many scales ---------------------------------------------------------------------------------------------------


@each(MULTISCALES)
def test_taps_around_the_blocks_and_counts(config: MultiScaleViTConfig) -> None:
    model = lively(config)
    with torch.no_grad(), Trace(model) as trace:
        model(**inputs(config))
    last = len(config.n_layer) - 1
    n_token, widths = [config.side(s) ** 2 for s in range(last + 1)], [config.width(s) for s in range(last + 1)]
    expected: dict[str, tuple[int, ...]] = {
        "patches": (B, n_token[0], config.n_channel * config.patch_size**2), "embed": (B, n_token[0], widths[0]),
        "final": (B, n_token[-1], widths[-1]), "mean": (B, widths[-1]), "logits": (B, config.n_class or widths[-1]),
    }  # fmt: skip
    expected |= {f"stages.{s}.out": (B, n_token[s], widths[s]) for s in range(last + 1)}
    expected |= {f"stages.{s}.merged": (B, n_token[s], widths[s]) for s in range(1, last + 1)}
    assert {key: tuple(trace[key].shape) for key in trace if ".blocks." not in key} == expected
    assert all(len(trace.steps(key)) == 1 for key in trace)
    counted = parameters.count_config_parameters(config)
    assert counted.total == sum(p.numel() for p in model.parameters())
    biases = sum(n * (2 * config.window_of(s) - 1) ** 2 * config.n_head[s] for s, n in enumerate(config.n_layer))
    assert counted.term("positions").count == biases
    merges = sum(4 * config.width(s - 1) * config.width(s) for s in range(1, len(config.n_layer)))
    assert sum(term.count for term in counted.terms if term.name == "other") == merges


@each(MULTISCALES)
def test_windows_are_cut_and_put_back(config: MultiScaleViTConfig) -> None:
    side, w = config.side(0), config.window_of(0)
    x = torch.arange(2 * side**2).reshape(2, -1, 1)
    for shift in range(w):
        apart = split_windows(x, side, w, shift)
        assert apart.shape == (2 * (side // w) ** 2, w * w, 1)
        assert torch.equal(join_windows(apart, side, w, shift), x)
        first = [shift + row * side + column + shift * side for row in range(w) for column in range(w)]
        if shift + w <= side:
            assert apart[0, :, 0].tolist() == first
    mask = shifted_window_mask(side, w, w // 2)
    assert mask.diagonal(dim1=2, dim2=3).all() and torch.equal(mask, mask.mT)
    assert not mask.all() and (side == w or mask[0].all())  # windows at the lower and right ends hold strangers


def test_a_window_reads_nothing_of_another_and_a_shifted_one_nothing_from_the_other_end() -> None:
    config = MultiScaleViTConfig(image_size=8, patch_size=1, d_model=4, n_layer=(2,), n_head=(2,), window=4)
    model, x = lively(config), inputs(config)["images"]
    other = x.clone()
    other[:, :, 0, 0] += 1
    with torch.no_grad(), Trace(model) as trace:
        model(x)
        model(other)
    for layer, shift, end in ((0, 0, 4), (1, 2, 6)):
        first, second = trace.steps(f"stages.0.blocks.{layer}.resid_out")
        gap = join_windows(first - second, 8, 4, shift).abs().amax(-1)[0].reshape(8, 8) > 0
        reached = torch.zeros(8, 8, dtype=torch.bool)
        reached[:end, :end] = True  # its window; then the three shifted windows that begin within it
        assert torch.equal(gap, reached)
