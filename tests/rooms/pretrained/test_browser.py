"""The room of pretrained models in a real browser: files chosen, refused, sent, opened, taken along to another room."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from tests import tiny_model
from tests.browser.rooms import settle

SLOW_LINE = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 6_000_000}


def write_gpt2(folder: Path) -> Path:
    """A GPT-2 of random weights, 14.9 MB, as its publishers name the tensors; no tokenizer."""
    folder.mkdir()
    d, n_layer, vocab_size, length = 192, 4, 10_000, 128
    shapes: dict[str, tuple[int, ...]] = {"wte.weight": (vocab_size, d), "wpe.weight": (length, d)}
    shapes |= {f"ln_f.{part}": (d,) for part in ("weight", "bias")}
    for n in range(n_layer):
        shapes |= {f"h.{n}.ln_{i}.{part}": (d,) for i in (1, 2) for part in ("weight", "bias")}
        for name, wide, far in (("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d), ("mlp.c_fc", d, 4 * d),
                                ("mlp.c_proj", 4 * d, d)):  # fmt: skip
            shapes |= {f"h.{n}.{name}.weight": (wide, far), f"h.{n}.{name}.bias": (far,)}
    seed = torch.Generator().manual_seed(0)
    save_file(
        {name: 0.02 * torch.randn(*shape, generator=seed) for name, shape in shapes.items()},
        folder / "model.safetensors",
    )
    config = {"model_type": "gpt2", "n_layer": n_layer, "n_head": 4, "n_embd": d, "n_positions": length,
              "vocab_size": vocab_size, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5}  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def by_upload(page: Any) -> Any:
    """The field for files."""
    page.get_by_text("Upload files", exact=True).click()
    settle(page)
    return page.get_by_label("The model's files", exact=True).and_(page.locator("input"))


def test_an_upload_is_refused_completed_and_opened_in_a_room(visit: Callable[..., Any], tmp_path: Path) -> None:
    folder = tiny_model.write(tmp_path / "tiny")
    (folder / "pytorch_model.bin").write_bytes(b"x")
    page = visit("pretrained")
    chooser = by_upload(page)
    chooser.set_input_files([folder / "config.json", folder / "pytorch_model.bin"])
    page.get_by_text("✓ config.json").wait_for()
    page.get_by_text("Left out: pytorch_model.bin. Files of pickled weights can run programs").wait_for()
    settle(page)
    page.get_by_role("button", name="Open it").focus()
    page.keyboard.press("Enter")
    page.get_by_text("There is no model.safetensors among the files").wait_for()
    chooser.set_input_files([folder / "model.safetensors", folder / "tokenizer.json"])
    page.get_by_text("✓ model.safetensors").wait_for()
    page.reload()  # what is here stays here
    page.get_by_text("✓ model.safetensors").wait_for()
    settle(page)
    page.get_by_role("button", name="Open it").click()
    page.get_by_text("It's selected above").wait_for()
    settle(page)
    assert not page.get_by_text("✓").count()
    page.get_by_text("What you've opened", exact=True).wait_for()
    page.get_by_role("button", name="In other rooms").click()
    page.get_by_test_id("stPopoverBody").get_by_role("link", name="Attention heads").click()
    page.wait_for_url(re.compile(r"/heads\?.*o[0-9a-f]{16}"))
    settle(page)
    assert page.get_by_test_id("stAlert").count() == 0  # the room has found it


def test_a_large_model_is_sent_with_its_progress_cancelled_sent_again_and_opened(
    visit: Callable[..., Any], tmp_path: Path
) -> None:
    folder = write_gpt2(tmp_path / "large")
    assert (folder / "model.safetensors").stat().st_size > 14_000_000
    page = visit("pretrained")
    chooser = by_upload(page)
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", SLOW_LINE)
    chooser.set_input_files([folder / "config.json", folder / "model.safetensors"])
    page.get_by_text(re.compile(r"[1-9][\d.]* MB of 14\.9 MB, \d+%")).wait_for()
    page.get_by_role("button", name="Cancel: model.safetensors").press("Enter")
    page.get_by_text("model.safetensors", exact=True).wait_for(state="detached")
    assert page.get_by_text("✓ config.json").count() == 1  # nothing else is lost
    chooser.set_input_files([folder / "model.safetensors"])
    page.get_by_text(re.compile(r"[1-9][\d.]* MB of 14\.9 MB, \d+%")).wait_for()
    page.get_by_role("button", name="Open it").click()
    page.get_by_text("It opens as soon as all of it is here").wait_for()
    page.get_by_text("It's selected above").wait_for()
    settle(page)
    page.wait_for_url(re.compile(r"model=[^&]*o[0-9a-f]{16}"))
    page.locator('[aria-label^="One number of"]').first.wait_for()  # of 3.7 million not each has a dot
