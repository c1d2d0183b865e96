"""The map of a model that the server runs shows what a trace of that model has.

What this catches: a picture of another layer or head, numbers that aren't the model's, an answer that the browser
reads otherwise than the server meant it, and a question that no browser of ours would ask.
"""

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.browser.choice_indexed_values import ChoiceRef
from core.browser.message_packing import unpack_message
from core.generate.decode import generate
from core.inspect.model_inputs.model_and_text import ModelAndText, load_model_and_text, load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.nn.tap import Trace
from core.rooms.model_map.compute import map_response
from core.rooms.model_map.compute.whole_pass import MapRequest, ModelChanges, max_pass_tokens, parse_request
from core.rooms.model_map.server_map import build_message
from tests import todays_decoders

TEXT, MOST, STEP = "Tom and Mia played near the park.", 64, 1 / 255
names = pytest.mark.parametrize("name", ["gemma-2", "pythia", "olmo-2", "mixtral"])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of today's kinds, random."""
    folder = tmp_path_factory.mktemp("models")
    for name in ("gemma-2", "pythia", "olmo-2", "mixtral"):
        todays_decoders.write(folder / name, name)
    todays_decoders.write(folder / "wide", "qwen-3", d_model=288, d_ff=300)
    return folder


def given_of(folder: Path) -> ModelAndText:
    return load_model_and_text(folder, TEXT, MOST)


def traced(given: ModelAndText, model: Any = None, ids: tuple[int, ...] = ()) -> dict[str, Any]:
    model = model or load_text_model(given.key).model
    with torch.no_grad(), Trace(model) as trace:
        model(torch.tensor([ids or given.ids]))
    return {name: trace[name][0].numpy() for name in trace}


def question(given: ModelAndText, **said: Any) -> MapRequest:
    return parse_request(said, given.config.n_layer, given.config.n_head, given.n_token)


def shown(given: ModelAndText, **said: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    header, arrays = unpack_message(build_message(given, question(given, **said), ChoiceRef("text"), MOST))
    return header["server"], arrays


def close(ours: Any, theirs: Any, atol: float = 1e-5) -> None:
    np.testing.assert_allclose(ours, theirs, atol=atol, rtol=1e-5)


@names
def test_pictures_and_numbers_are_those_of_a_trace(folders: Path, name: str) -> None:
    given = given_of(folders / name)
    taps, (told, arrays) = traced(given), shown(given)
    for layer in range(given.config.n_layer):
        weights = taps[f"blocks.{layer}.attn.weights"]
        close(arrays["weights"][layer] / 255, weights, STEP / 2 + 1e-6)
        for t in range(1, given.n_token):
            head, token = arrays["most head"][layer, t], arrays["most from"][layer, t]
            others = np.delete(weights[:, t], t, -1)
            close(arrays["most weight"][layer, t], others.max())
            close(weights[head, t, token], others.max())
    for key in [one for one in arrays if one.startswith("size ")]:
        close(arrays[key], np.sqrt((taps[key[5:]] ** 2).mean(-1)))
    for key in [one for one in arrays if one.startswith("tile ")]:
        rows = taps[key[5:]]
        limit = map_response.COLOR_SPREAD * np.sqrt((rows**2).mean())
        assert arrays[key].shape[1] <= map_response.TILE
        some = np.unique(np.linspace(0, rows.shape[1] - 1, arrays[key].shape[1]).round().astype(int))
        close(arrays[key] / 127.5 - 1, np.clip(rows[:, some] / limit, -1, 1), STEP + 1e-6)
    p = torch.from_numpy(taps["logits"]).softmax(-1).numpy()
    close(arrays["top p"], np.take_along_axis(p, arrays["top"], -1))
    close(arrays["top p"], -np.sort(-p, -1)[:, : arrays["top"].shape[1]])
    model = load_text_model(given.key).model
    stream = torch.from_numpy(taps["blocks.1.resid_out"][-1])
    with torch.no_grad():
        early = model.soft_capped(model.unembed(model.norm(stream))).softmax(-1).numpy()
    close(arrays["early"][4], early[arrays["top"][-1]])  # embed, then two stages a layer
    close(arrays["early"][-1], p[-1, arrays["top"][-1]])
    for place in ({"layer": 1, "head": 2}, {"layer": 2, "part": "mlp"}, {"name": "final"}, {"name": "logits"}):
        told, own = shown(given, place=place, has=told["pass"])
        numbers = {key[7:]: array for key, array in own.items() if key.startswith("number ")}
        assert numbers and "whole" not in told and "weights" not in own
        for key, array in numbers.items():
            theirs = taps[key][2] if "head" in place else taps[key]
            close(array, theirs[:, told["columns"][key]] if key in told["columns"] else theirs)


def test_of_a_wide_tensor_the_largest_numbers_are_told(folders: Path) -> None:
    given = given_of(folders / "wide")
    told, arrays = shown(given, place={"layer": 0, "part": "mlp"})
    rows = traced(given)["blocks.0.mlp.act"]
    columns = told["columns"]["blocks.0.mlp.act"]
    assert len(columns) == map_response.MOST_COLUMNS < rows.shape[1]
    size = (rows**2).mean(0)
    assert size[columns].min() >= np.delete(size, columns).max()
    close(arrays["number blocks.0.mlp.act"], rows[:, columns])


@names
def test_what_is_off_is_off(folders: Path, name: str) -> None:
    """Against a copy of the model whose weights of that head are zero, and which has read one token less."""
    given = given_of(folders / name)
    changed = copy.deepcopy(load_text_model(given.key).model)
    changed.blocks[1].attn.w_o.weight[:, : changed.blocks[1].attn.d_head] = 0
    edits = [{"part": "head", "layer": 1, "head": 0}, {"part": "token", "position": 2}]
    told, arrays = shown(given, edits=edits)
    left = (*given.ids[:2], *given.ids[3:])
    taps = traced(given, changed, left)
    assert told["whole"]["ids"] == [*left] and told["whole"]["stay"] == [0, 1, *range(3, given.n_token)]
    close(arrays["size final"], np.sqrt((taps["final"] ** 2).mean(-1)))
    close(arrays["top p"], np.take_along_axis(torch.from_numpy(taps["logits"]).softmax(-1).numpy(), arrays["top"], -1))
    before = torch.from_numpy(traced(given)["logits"]).softmax(-1).numpy()[told["whole"]["stay"]]
    close(arrays["top before"], np.take_along_axis(before, arrays["top"], -1))
    assert all(best in row for best, row in zip(before.argmax(-1), arrays["top"], strict=True))
    assert arrays["differs"][-1]


def test_the_map_says_what_the_server_computed(folders: Path, node: str, tmp_path: Path) -> None:
    given = given_of(folders / "gemma-2")
    taps, first = traced(given), shown(given)[0]["pass"]
    places: list[dict[str, Any]] = [
        {},
        {"place": {"layer": 2, "head": 1}, "has": first},
        {"place": {"name": "probabilities"}, "has": first},
        {"seed": 3},
        {"edits": [{"part": "mlp", "layer": 1}]},
    ]
    files = [tmp_path / f"{i}.bin" for i in range(len(places))]
    for file, said in zip(files, places, strict=True):
        file.write_bytes(build_message(given, question(given, **said), ChoiceRef("text"), MOST))
    command = [node, str(Path(__file__).with_name("server_map.mjs")), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    whole, head, scores, drawn, off = json.loads(done.stdout)
    p = torch.from_numpy(taps["logits"][-1]).double().softmax(-1).numpy()
    best = given.vocabulary[int(p.argmax())].strip()
    assert whole["caption"] == f"After “{given.tokens[-1]}” the model expects “{best}” ({100 * p.max():.0f}%)."
    assert [one[0] for one in whole["bars"]] == np.argsort(-p)[:10].tolist()
    close([one[1] for one in whole["bars"]], np.sort(p)[::-1][:10])
    assert not any(whole["differs"])
    for key, rows in head["cells"].items():
        theirs = np.where(np.array([[v is None for v in row] for row in rows]), np.nan, taps[key][1])
        close(np.array(rows, dtype=float), theirs)
    assert len(head["cells"]) == 6
    close(np.sort(scores["cells"]["probabilities"][-1])[::-1], np.sort(p)[::-1][:40])
    ids = [token for token, _ in drawn["written"]]
    steps = list(generate(load_text_model(given.key).model, list(given.ids), len(ids), seed=3))
    assert ids == [int(step.token) for step in steps]
    close([share for _, share in drawn["written"]], [float(step.log_prob.exp()) for step in steps])
    assert drawn["steps"][-1][0].startswith("It wrote: ")
    close(drawn["steps"][1 + 2 * given.config.n_layer][1], [one[1] for one in drawn["bars"]])  # read at the very end
    assert off["differs"][-1] and any(abs(now - before) > 1e-4 for _, now, before in off["bars"])


def test_whatever_a_browser_sends_is_a_question() -> None:
    for said in (None, 3, "x", [], {"place": 7, "edits": "no", "seed": "1"}, {"place": {"layer": 99, "head": -1}},
                 {"place": {"name": "blocks.9.attn.q"}}, {"place": {"name": "blocks.0.attn.q"}},
                 {"place": {"layer": True, "name": ["final"]}}, {"edits": [1, {"part": "head", "layer": 0}, {}]},
                 {"seed": 2**40, "focus": 1e9}):  # fmt: skip
        assert parse_request(said, 3, 4, 5) == MapRequest()
    assert parse_request(
        {"edits": [{"part": "token", "position": t} for t in range(9)]}, 3, 4, 5
    ).changes == ModelChanges(tokens=(0, 1, 2, 3))


def test_a_message_stays_small(folders: Path) -> None:
    config = load_text_model(ModelKey.at(folders / "gemma-2")).config
    assert max_pass_tokens(config, 64) == 64

    class Huge:
        n_layer, n_head = 80, 64

    n = max_pass_tokens(Huge(), 64)
    assert 8 <= n < 64 and n**2 * 80 * 64 <= 2_000_000
