"""What ImageGPT promises: all that a GPT does, with one more token to read than to write."""

import pytest
import torch
from torch import Tensor

from core.generate.decode import generate
from core.models.image_gpt import ImageGPTConfig
from core.nn.block import BlockStyle
from tests.library.contracts.promises import lively

V, T, D, H = 9, 6, 8, 2
EVERY = {
    "as published": ImageGPTConfig(vocab_size=V, context_length=8, n_head=H, d_model=D),
    "narrow, post-norm": ImageGPTConfig(
        vocab_size=V, context_length=8, n_head=H, d_model=D, d_ff=5, block=BlockStyle(norm="rms", norm_first=False)
    ),
}
every = pytest.mark.parametrize("config", EVERY.values(), ids=EVERY)


def ids(seed: int = 0) -> Tensor:
    return torch.randint(V, (2, T), generator=torch.Generator().manual_seed(seed))


@every
def test_shapes_and_a_later_pixel_changes_nothing_before(config: ImageGPTConfig) -> None:
    for model in (lively(config), lively(config).float()):
        first = ids()
        assert model(first).shape == (2, T, V - 1) and model.mask(3).tolist()[0] == [True, False, False]
        for t in range(1, T):
            second = first.clone()
            second[:, t] = (second[:, t] + 1) % V
            with torch.no_grad():
                before, after = model(first), model(second)
            assert torch.equal(before[:, :t], after[:, :t]) and not torch.equal(before[:, t:], after[:, t:])


def test_a_picture_is_drawn_pixel_by_pixel_and_the_start_never_comes_again() -> None:
    config = EVERY["as published"]
    model = lively(config)
    steps = list(generate(model, [config.start_id], 7, seed=1))
    assert len(steps) == 7 and all(0 <= int(step.token) < config.start_id for step in steps)
    with pytest.raises(ValueError, match="9 tokens do not fit context_length=8"):
        model(torch.zeros(1, 9, dtype=torch.long))


@pytest.mark.parametrize(
    ("change", "words"),
    [({"vocab_size": 1}, "at least 2"), ({"n_head": 3}, "not divisible by n_head=3"), ({"d_ff": 0}, "d_ff=0"),
     ({"context_length": 0}, "context_length=0")],
)  # fmt: skip
def test_impossible_configs_are_refused(change: dict[str, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ImageGPTConfig(**{"d_model": 8, **change})
