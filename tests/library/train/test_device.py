"""The number format of a run is the one that a short trial finds faster, where the processor has units for both."""

from pathlib import Path

import pytest
import torch

from core.train import device
from tests.counts import rest_is_full


@pytest.fixture
def _units(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: True)
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    device._kept_choice.cache_clear()


@pytest.mark.usefixtures("_units")
@pytest.mark.parametrize(("half", "chosen"), [(0.5, "bfloat16"), (0.95, "float32"), (1.3, "float32")])
def test_bfloat16_is_taken_where_it_is_clearly_faster(
    half: float, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "_pass_seconds", lambda d_model, dtype: half if dtype == "bfloat16" else 1.0)
    assert device.choose_placement("cpu", 128) == device.Placement("cpu", chosen)
    device._kept_choice.cache_clear()  # as in another process, which another load makes slower
    monkeypatch.setattr(device, "_pass_seconds", lambda d_model, dtype: 1.0 if dtype == "bfloat16" else half)
    assert device.choose_placement("cpu", 128) == device.Placement("cpu", chosen)


@pytest.mark.usefixtures("_units")
def test_a_narrow_model_and_a_plain_processor_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def tried(d_model: int) -> bool:
        raise AssertionError(d_model)

    monkeypatch.setattr(device, "_bfloat16_is_faster", tried)
    assert device.choose_placement("cpu", 63).dtype == "float32"
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    assert device.choose_placement("cpu", 512).dtype == "float32"


@pytest.mark.parametrize("d_model", rest_is_full(500, 1, 64, 96))
@pytest.mark.parametrize("dtype", device.DTYPES)
def test_the_trial_runs_at_every_width_and_draws_nothing(d_model: int, dtype: str) -> None:
    before = torch.get_rng_state()
    assert device._pass_seconds(d_model, dtype) > 0
    assert torch.equal(before, torch.get_rng_state())
