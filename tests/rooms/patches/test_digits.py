"""The experiment "digits" without much training: its twin, what it measures and when, and the plain classifiers."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from core.data import images
from core.rooms.patches.experiments import digits as task
from core.train import experiment
from core.train.device import single_torch_thread
from core.train.experiments.plain_classifiers import (
    classify_with_logistic_regression,
    classify_with_support_vector_machine,
)


@pytest.fixture(scope="module")
def short() -> experiment.Record:
    """All 45 steps of a short training with large patches, which are quick."""
    with single_torch_thread():
        running = experiment.make_experiment("digits", {"patch_size": 4, "n_layer": 1, "n_step": 45}, 3)
        while running.step < running.n_step:
            running.advance()
    return running.record()


def test_the_twin_has_no_positions_and_is_the_same_otherwise(short: experiment.Record) -> None:
    assert not short["model.bag.pos_emb.weight"].any() and short["model.vit.pos_emb.weight"].any()
    began = experiment.make_experiment("digits", {"n_step": 1}, 5).record()
    names = [name.removeprefix("model.vit.") for name in began if name.startswith("model.vit.")]
    different = [name for name in names if not np.array_equal(began[f"model.vit.{name}"], began[f"model.bag.{name}"])]
    assert different == ["pos_emb.weight"]
    for name, w in task.vit_trainer(task.Options(n_step=1), 5).model.named_parameters():  # what other exhibits ask for
        np.testing.assert_array_equal(began[f"model.vit.{name}"], w.detach().numpy().astype(np.float16))


def test_without_positions_the_order_of_the_patches_does_not_matter(short: experiment.Record) -> None:
    model = experiment.rebuild_model(short, "bag", task.config(4, 1)).float()
    pictures = torch.from_numpy(images.held_out_digits().shades[:20])
    swapped = torch.cat([pictures[..., 4:, :], pictures[..., :4, :]], -2)  # the lower half on top
    torch.testing.assert_close(model(pictures), model(swapped), atol=1e-4, rtol=1e-4)
    vit = experiment.rebuild_model(short, "vit", task.config(4, 1)).float()
    assert (vit(pictures) - vit(swapped)).abs().max() > 0.01


def test_what_is_measured_is_what_the_weights_say(short: experiment.Record) -> None:
    model = experiment.rebuild_model(short, "vit", task.config(4, 1)).float()
    held = images.held_out_digits()
    p = model(torch.from_numpy(held.shades)).softmax(-1).numpy()
    np.testing.assert_allclose(p, short["p.vit"], atol=5e-3)  # weights and probabilities in half precision
    said = short["p.vit"].argmax(-1)
    found = task.confusion_matrix(held.labels, said)
    assert found.sum() == 360 and found[3, 8] == ((held.labels == 3) & (said == 8)).sum()
    assert np.trace(found) / 360 == pytest.approx(short["curve.vit.accuracy"][-1], abs=0.003)
    assert short["step"][0] == 0 and short["step"][-1] == 45 and (np.diff(short["step"]) > 0).all()
    assert (np.diff(short["seconds.vit"]) >= 0).all() and short["curve.vit.loss"][-1] < short["curve.vit.loss"][0]


def test_the_first_numbers_do_not_wait_for_scikit_learn() -> None:
    code = (
        "import sys; from core.train import experiment\n"
        "running = experiment.make_experiment('digits', {}, 0); running.advance(); running.record()\n"
        "assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_plain_classifiers() -> None:
    learn, held = images.training_digits(), images.held_out_digits()
    for fit, lowest in ((classify_with_logistic_regression, 0.96), (classify_with_support_vector_machine, 0.985)):
        found = fit(learn, held)
        assert found.said.shape == (360,) and lowest < found.accuracy(held.labels) < 1 and found.seconds >= 0
    few = classify_with_support_vector_machine(learn.some(np.arange(300)), learn.some(np.arange(300)))
    assert few.accuracy(learn.labels[:300]) == 1  # it knows what it learned from
