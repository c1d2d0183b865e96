"""Weights for the browser: the files offered, and that only weights are served from that address."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from core.browser import weights
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.models.bert import BERTConfig
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.models.registry import build
from core.models.t5 import T5Config
from core.nn.block import BlockStyle
from core.nn.experts import ExpertSettings
from core.nn.output_heads import OutputHeadOptions
from core.nn.positions import RotarySettings
from core.ui.server import server
from core.ui.server.response_cache import ResponseCacheMiddleware
from tests.configs import gpt

SIZES = {"vocab_size": 20, "d_model": 8, "n_head": 2}
# Options of models that were published lately: the engine would compute something else without a word.
BEYOND = (
    *(BERTConfig(**SIZES, **one) for one in ({"d_embed": 4}, {"shared": True}, {"positions": "rotary"}, {"window": 3},
                                             {"head": "replaced"}, {"head": "span"}, {"pool": "gelu"})),
    BERTConfig(**SIZES, head_style=OutputHeadOptions(pooling="mean")),
    BERTConfig(**SIZES, first_norm=False, block=BlockStyle()),
    *(gpt(**SIZES, **one) for one in ({"window": 3}, {"scale": 0.3}, {"embed_scale": 2.0},
                                            {"logit_softcap": 9.0}, {"tied": False, "n_label": 3},
                                            {"positions": "rotary", "unrotated": (0,)},
                                            {"experts": ExpertSettings(n_expert=2, n_active=1)})),
    *(GPTConfig(**SIZES, positions="rotary", modern=Modern(rotary=one))
      for one in (RotarySettings(share=0.5), RotarySettings(gain=1.5))),
    *(GPTConfig(**SIZES, block=BlockStyle(**one)) for one in ({"norm_out": True}, {"parallel": True}, {"softcap": 9.0},
                                                              {"sink": True}, {"sink": "zero"}, {"gate": True},
                                                              {"qk_norm": "width"})),
)  # fmt: skip


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path / "data"))


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=[Route("/weights/{name}", server._weights_answer)]))


def test_offers_the_weights_that_the_model_has(client: TestClient, tmp_path: Path) -> None:
    key = ModelKey.at("stories")
    told = weights.offer_weights(key)
    assert told is not None and told["config"]["kind"] == "gpt" and told["tokenizer"]["kind"] == "word_bytes"
    answer = client.get(f"/{told['url']}")
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/octet-stream"
    assert "immutable" in answer.headers["cache-control"] and "private" in answer.headers["cache-control"]
    (tmp_path / "came").write_bytes(answer.content)
    came, own = load_file(tmp_path / "came"), dict(load_text_model(key).model.named_parameters())
    assert set(came) == set(own)
    assert all(np.array_equal(came[name], one.detach().numpy()) for name, one in own.items())


def test_comes_back_when_it_had_to_go(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    key = ModelKey.at("stories")
    told = weights.offer_weights(key)
    assert told is not None
    monkeypatch.setattr(weights, "MAX_STORED_BYTES", 1)
    other = weights.offer_weights(ModelKey.at("stories-alibi"))
    gone = [client.get(f"/{one['url']}").status_code for one in (told, other) if one is not None]
    assert gone == [404, 404]
    monkeypatch.setattr(weights, "MAX_STORED_BYTES", 10**9)
    assert weights.offer_weights(key) == told and client.get(f"/{told['url']}").status_code == 200


def test_what_the_engine_cannot_run_is_not_offered() -> None:
    assert weights.offer_weights(ModelKey.at("stories-gru")) is None
    assert weights.export_model_for_browser(build(T5Config(vocab_size=20, d_model=8, n_head=2))) is None
    large = GPTConfig(vocab_size=60_000, d_model=96, n_layer=1, n_head=2)
    assert weights.export_model_for_browser(build(large)) is None
    for config in BEYOND:
        assert weights.export_model_for_browser(build(config)) is None, config
    tied = weights.export_model_for_browser(build(GPTConfig(vocab_size=20, d_model=8, n_head=2)))
    assert tied is not None and tied["tokenizer"] is None


@pytest.mark.parametrize("name", ["../secret", "%2e%2e%2fsecret", "..", "A" * 32 + ".safetensors", "", "x", "a" * 32])
def test_nothing_else_comes_from_there(client: TestClient, tmp_path: Path, name: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "secret").write_text("secret")
    answer = client.get(f"/weights/{name}")
    assert answer.status_code == 404 and "secret" not in answer.text


def test_are_not_held_in_memory_for_all() -> None:
    told = weights.offer_weights(ModelKey.at("stories"))
    assert told is not None
    app = Starlette(routes=[Route("/weights/{name}", server._weights_answer)])
    keeping = ResponseCacheMiddleware(app)
    TestClient(keeping).get(f"/{told['url']}")
    assert keeping.kept == {}
