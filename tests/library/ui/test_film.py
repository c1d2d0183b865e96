"""The film of a training for the browser: the recorded frames of a model that ships or of a run, and none otherwise."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from core.browser import weights
from core.browser.weights import training_film_url
from core.data.files import data_dir
from core.inspect.model_inputs.model_key import SHIPPED_MODELS, ModelKey
from core.train.watch.behavior_snapshots import RunFrame


def recorded(address: str | None) -> tuple[np.ndarray, dict[str, list[float]]]:
    assert address is not None
    path = weights.find_weights(Path(address).name)
    assert path is not None
    with safe_open(path, "np") as file:
        return file.get_tensor("attention"), json.loads(file.metadata()["film"])


@pytest.mark.usefixtures("data")
def test_every_frame_is_there() -> None:
    attention, told = recorded(training_film_url(ModelKey.at("stories")))
    frames = [
        RunFrame.from_bytes(path.read_bytes()) for path in sorted((SHIPPED_MODELS / "stories" / "frames").glob("*"))
    ]
    assert told["steps"] == [frame.step for frame in frames]
    for i, frame in enumerate(frames):
        assert (attention[i] == frame.attention).all()
        assert told["samples"][i] == frame.sample and told["losses"][i] in (frame.val_loss, frame.loss)


@pytest.mark.usefixtures("data")
def test_a_run_has_its_frames_beside_its_checkpoint() -> None:
    run = data_dir() / "runs" / "0123456789abcdef"
    (run / "frames").mkdir(parents=True)
    (run / "checkpoint").symlink_to(SHIPPED_MODELS / "stories")
    for path in sorted((SHIPPED_MODELS / "stories" / "frames").glob("*"))[:3]:
        (run / "frames" / path.name).write_bytes(path.read_bytes())
    key = ModelKey.of("run", run.name, run / "checkpoint")
    assert len(recorded(training_film_url(key))[0]) == 3
    (run / "frames" / path.name).unlink()  # and while it trains, more or fewer
    assert len(recorded(training_film_url(key))[0]) == 2


@pytest.mark.usefixtures("data")
def test_a_model_without_frames_has_no_film() -> None:
    assert training_film_url(ModelKey.at("stories-learned")) is None
