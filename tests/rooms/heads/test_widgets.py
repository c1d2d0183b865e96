"""The two pictures of the heads' room, lines and product: what is sent, and what is refused."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.browser.linked import Along, Chosen
from core.browser.message import unpack
from core.inspect import trace
from core.models.gpt import GPT, GPTConfig
from core.models.registry import build
from core.rooms.heads import lines_widget as lines_module
from core.rooms.heads import product_widget as product_module
from core.rooms.heads.lines_widget import lines
from core.rooms.heads.product_widget import product

ROOT = Path(__file__).parents[3]
HEAD = (Chosen("layer"), Chosen("head"))
TOKENS = ["a", " b", "\n", "語"]
WEIGHTS = np.broadcast_to(np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None], (2, 3, 4, 4))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Instead of a browser: the last message."""
    box: dict[str, Any] = {}

    def mount(name: str, key: str, message: bytes, **state: None) -> None:
        box["header"], box["arrays"] = unpack(message)

    monkeypatch.setattr(lines_module, "mount", mount)
    monkeypatch.setattr(product_module, "mount", mount)
    return box


def draw_lines(**options: Any) -> None:
    given: dict[str, Any] = {"tokens": TOKENS, "key": "l", "open_head": HEAD, "row": Chosen("query")} | options
    lines(given.pop("weights", WEIGHTS), **given)


def draw_product(**options: Any) -> None:
    arrays = {
        "q": np.ones((1, 4, 3)),
        "k": np.ones((1, 4, 3)),
        "scores": np.ones((1, 4, 4)),
        "weights": np.ones((1, 4, 4)) / 4,
    }
    arrays |= {name: options.pop(name) for name in ("q", "k", "bias", "weights", "scores") if name in options}
    linked = {name: Along(one, ("head",)) for name, one in arrays.items()}
    given: dict[str, Any] = {"scale": 0.5, "tokens": TOKENS, "mask": np.ones((4, 4), bool), "key": "p"} | options
    product(arrays=linked, selected=(Chosen("query"), Chosen("key")), **given)


def test_all_heads_travel_once_as_bytes(sent: dict[str, Any]) -> None:
    draw_lines()
    assert sent["arrays"]["weights"].dtype == np.uint8
    assert sent["arrays"]["weights"][1, 2, 3].tolist() == [64, 64, 64, 64]
    assert sent["header"]["open"] == [one.told() for one in HEAD] and sent["header"]["rows"] == TOKENS


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"weights": WEIGHTS[0]}, "do not match"),
        ({"tokens": ["a"]}, "do not match"),
        ({"weights": WEIGHTS * 2}, "between 0 and 1"),
        ({"weights": np.zeros((1, 1, 65, 65)), "tokens": ["x"] * 65}, "more than the 64"),
    ],
)
def test_lines_that_cannot_be_drawn_are_refused(sent: dict[str, Any], options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw_lines(**options)


def test_the_range_of_the_scores_leaves_masked_cells_out(sent: dict[str, Any]) -> None:
    values = np.full((2, 4, 4), -2.0)
    values[1] = -3
    values[:, 0, 3] = 100
    draw_product(scores=values, mask=np.tril(np.ones((4, 4), bool)))
    assert sent["header"]["limit"] == {"along$": ["head"], "values": [2, 3]}
    assert sent["arrays"]["empty"].tolist() == np.triu(np.ones((4, 4)), 1).tolist()
    assert "bias" not in sent["arrays"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": np.ones((1, 3, 3))}, r"k \(1, 3, 3\) does not match \(4, 3\)"),
        ({"bias": np.ones((1, 4))}, "bias"),
        ({"weights": np.ones((1, 4, 3))}, "weights"),
        ({"tokens": []}, "between 1 and"),
    ],
)
def test_products_that_cannot_be_drawn_are_refused(sent: dict[str, Any], options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw_product(**options)


@pytest.mark.parametrize("positions", ["learned", "alibi", "relative", "rotary"])
def test_the_browser_adds_up_to_the_models_own_scores(
    node: str, positions: str, sent: dict[str, Any], tmp_path: Path
) -> None:
    """What the script computes from the message, for every pair of a head, against the scores of the model."""
    config = GPTConfig(vocab_size=11, context_length=16, n_layer=1, n_head=2, d_model=16, positions=positions)
    model = build(config)
    assert isinstance(model, GPT)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    record = trace.attention(model.eval(), [3, 1, 4, 1, 5])
    names = ("q", "k", "scores", "weights") if record.bias is None else ("q", "k", "scores", "weights", "bias")
    heads = {name: getattr(record, name)[:1] if name == "bias" else getattr(record, name)[0, :1] for name in names}
    draw_product(**heads, scale=record.scale, mask=record.mask, tokens="abcde")
    arrays = {
        name: {"data": one[0].ravel().tolist(), "shape": list(one.shape[1:])}
        for name, one in sent["arrays"].items()
        if name in ("q", "k", "bias")
    }
    (tmp_path / "operands.json").write_text(json.dumps({**arrays, "scale": sent["header"]["scale"]}))
    script = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ pairTerms }} from "{(ROOT / "assets/widgets/heads/coordinates.js").as_uri()}";
        const operands = JSON.parse(readFileSync("{tmp_path / "operands.json"}"));
        const all = [0, 1, 2, 3, 4].map((r) => [0, 1, 2, 3, 4].map((c) => pairTerms(operands, r, c, r % 2 === 1)));
        console.log(JSON.stringify([all.map((r) => r.map((t) => t.dot)), all.map((r) => r.map((t) => t.score))]));
    """
    done = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    dots, found = (np.array(one) for one in json.loads(done.stdout))
    np.testing.assert_allclose(dots, record.q[0, 0] @ record.k[0, 0].T, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found, record.scores[0, 0], rtol=1e-4, atol=1e-4)
    assert (record.bias is not None) == (positions in ("alibi", "relative"))
