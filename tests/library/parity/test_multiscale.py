"""Our multi-scale ViT gives what Hugging Face's Swin computes: answers, hidden states, every block's attention map.

The models are tiny, and no weight is left at its start value: default gains and biases hide swapped tensors.
"""

from typing import Any

import pytest
import torch
import transformers
from torch import Tensor

from core.models import registry
from core.models.images import multiscale_vit
from core.models.images.multiscale_vit import MultiScaleViT, MultiScaleViTConfig
from core.nn.tap import Trace

CLOSE = {"atol": 2e-5, "rtol": 0.0}
B = 2
SHAPES = {
    "three stages, two of them in windows": MultiScaleViTConfig(
        image_size=32, patch_size=2, n_channel=3, d_model=8, n_layer=(2, 3, 1), n_head=(1, 2, 4), window=4, n_class=5
    ),
    "an odd window": MultiScaleViTConfig(
        image_size=36, patch_size=3, d_model=8, n_layer=(2, 1), n_head=(2, 4), window=3, n_class=4
    ),
    "windows of two, four blocks": MultiScaleViTConfig(
        image_size=16, patch_size=2, d_model=8, n_layer=(4, 2, 1), n_head=(2, 2, 2), window=2
    ),
    "one window": MultiScaleViTConfig(image_size=8, patch_size=2, d_model=8, n_layer=(2,), n_head=(2,), window=4),
}
every_shape = pytest.mark.parametrize("config", SHAPES.values(), ids=SHAPES)
WIRED = SHAPES["three stages, two of them in windows"]


def theirs(config: MultiScaleViTConfig) -> Any:
    """Hugging Face's, eager, with all parameters random."""
    model = transformers.SwinForImageClassification(
        transformers.SwinConfig(
            image_size=config.image_size, patch_size=config.patch_size, num_channels=config.n_channel,
            embed_dim=config.d_model, depths=list(config.n_layer), num_heads=list(config.n_head),
            window_size=config.window, num_labels=config.n_class, attn_implementation="eager",
        )
    )  # fmt: skip
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            gain = "norm" in name and name.endswith("weight")
            spread = 0.5 if parameter.ndim == 1 or "bias_table" in name else 0.3
            parameter.normal_(1.0 if gain else 0.0, spread, generator=generator)
    return model.eval()


def name_there(name: str) -> str:
    """Our name of a parameter -> theirs."""
    rest, _, leaf = name.rpartition(".")
    part, *inner = rest.split(".")
    simple = {"patch_emb": "swin.embeddings.patch_embeddings.projection", "patch_norm": "swin.embeddings.norm",
              "norm": "swin.layernorm", "unembed": "classifier"}  # fmt: skip
    if part in simple:
        return f"{simple[part]}.{leaf}"
    stage, kind, *deeper = inner
    if kind == "merge":  # theirs stands at the end of the stage before
        inside = {"norm": "norm", "linear": "reduction"}[deeper[0]]
        return f"swin.encoder.layers.{int(stage) - 1}.downsample.{inside}.{leaf}"
    block = f"swin.encoder.layers.{stage}.blocks.{deeper[0]}"
    if kind == "pos_emb":
        return f"{block}.attention.relative_position_bias.relative_position_bias_table"
    inside = {"norm_1": "layernorm_before", "norm_2": "layernorm_after", "attn.w_q": "attention.q_proj",
              "attn.w_k": "attention.k_proj", "attn.w_v": "attention.v_proj", "attn.w_o": "attention.o_proj",
              "mlp.w_in": "mlp.fc1", "mlp.w_out": "mlp.fc2"}[".".join(deeper[1:])]  # fmt: skip
    return f"{block}.{inside}.{leaf}"


def ours(config: MultiScaleViTConfig, model: Any) -> MultiScaleViT:
    """Ours with their weights, every one of which is used."""
    made: MultiScaleViT = registry.build_empty(config)
    weights = dict(model.named_parameters())
    shapes = {name: parameter.shape for name, parameter in made.named_parameters()}
    assert sorted(weights) == sorted(name_there(name) for name in shapes)
    found = {name: weights[name_there(name)].detach().reshape(shape) for name, shape in shapes.items()}
    registry.fill_weights(made, found)
    return made.eval()


def pictures(config: MultiScaleViTConfig) -> Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.randn(B, config.n_channel, config.image_size, config.image_size, generator=generator)


def maps_of(model: Any, images: Tensor) -> tuple[Any, list[Tensor]]:
    """Return their output, and the attention map of each block (they only return the last one of each stage)."""
    found: list[Tensor] = []
    hooks = [
        block.attention.register_forward_hook(lambda _module, _given, out: found.append(out[1]))
        for stage in model.swin.encoder.layers
        for block in stage.blocks
    ]
    with torch.no_grad():
        said = model(images, output_hidden_states=True)
    for hook in hooks:
        hook.remove()
    return said, found


@every_shape
def test_answers_hidden_states_and_attention_maps_are_theirs(config: MultiScaleViTConfig) -> None:
    model, images = theirs(config), pictures(config)
    said, maps = maps_of(model, images)
    mine = ours(config, model)
    with torch.no_grad(), Trace(mine) as trace:
        logits = mine(images)
    torch.testing.assert_close(logits, said.logits, **CLOSE)
    stages = range(len(config.n_layer))
    hidden = [trace["embed"], *(trace[f"stages.{s}.merged"] for s in stages if s), trace[f"stages.{stages[-1]}.out"]]
    assert len(hidden) == len(said.hidden_states)
    for here, there in zip(hidden, said.hidden_states, strict=True):
        torch.testing.assert_close(here, there, **CLOSE)
    blocks = [f"stages.{s}.blocks.{b}.attn.weights" for s in stages for b in range(config.n_layer[s])]
    assert len(blocks) == len(maps)
    for key, there in zip(blocks, maps, strict=True):
        torch.testing.assert_close(trace[key], there, **CLOSE)


def off(config: MultiScaleViTConfig) -> float:
    """Return the largest difference between our output and theirs."""
    model, images = theirs(config), pictures(config)
    with torch.no_grad():
        return float((ours(config, model)(images) - model(images).logits).abs().max())


def test_a_missing_mask_a_wrong_order_or_a_missing_shift_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert off(WIRED) < 2e-5
    with monkeypatch.context() as spoiled:
        spoiled.setattr(multiscale_vit.MultiScaleStage, "forward", without_mask)
        assert off(WIRED) > 1e-2
    with monkeypatch.context() as spoiled:
        spoiled.setattr(multiscale_vit.PatchMerging, "forward", in_reading_order)
        assert off(WIRED) > 1e-2
    with monkeypatch.context() as spoiled:
        spoiled.setattr(multiscale_vit, "_window_bias", lambda table, w: true_bias(table, w).mT)
        assert off(WIRED) > 1e-2
    with monkeypatch.context() as spoiled:
        spoiled.setattr(MultiScaleViTConfig, "shift_of", lambda *_: 0)
        assert off(WIRED) > 1e-2


true_bias = multiscale_vit._window_bias


def without_mask(stage: multiscale_vit.MultiScaleStage, x: Tensor) -> Tensor:
    x = x if stage.merge is None else stage.merge(x, 2 * stage.side)
    for block, table, shift in zip(stage.blocks, stage.pos_emb, stage.shifts, strict=True):
        apart = multiscale_vit.split_windows(x, stage.side, stage.window, shift)
        bias = multiscale_vit._window_bias(table.weight, stage.window)  # type: ignore[arg-type]
        x = multiscale_vit.join_windows(block(apart, bias=bias), stage.side, stage.window, shift)
    return x


def in_reading_order(merge: multiscale_vit.PatchMerging, x: Tensor, side: int) -> Tensor:
    x = x.unflatten(1, (side // 2, 2, side // 2, 2)).permute(0, 1, 3, 2, 4, 5).flatten(3).flatten(1, 2)
    return merge.linear(merge.norm(x))  # type: ignore[no-any-return]
