"""The engine in the browser computes what torch computes: every tapped tensor, every edit, every token it draws."""

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import nn

from core.generate import filters
from core.generate.decode import generate
from core.models.bert import BERTConfig
from core.models.gpt import GPTConfig
from core.models.images.vit import ViTConfig
from core.models.pretrained import load
from core.models.registry import build, flat_settings, from_dict, to_dict
from core.nn.block import BlockStyle
from core.nn.feed_forward import ACTIVATIONS
from core.nn.positions import POSITION_SCHEMES, RotarySettings
from core.nn.tap import Trace
from core.train import experiment
from core.train.recipes import RECIPES
from tests.configs import gpt

ROOT = Path(__file__).resolve().parents[3]
CLOSE = 1e-4  # of the largest number of a tensor
Tensors = dict[str, NDArray[np.float32]]


@dataclass
class Engine:
    """Collects passes, and has the engine in node run them all at once."""

    node: str
    folder: Path
    asked: list[tuple[str, Tensors]] = field(default_factory=list)

    def ask(self, label: str, model: nn.Module, expected: Mapping[str, Any], **case: Any) -> None:
        """Note one pass and what it must give; `expected` has the tensors without their batch."""
        weights = f"model-{len(self.asked)}.safetensors"
        save_file({name: one.detach().clone() for name, one in model.named_parameters()}, self.folder / weights)
        case |= {"config": flat_settings(model.config), "weights": weights}
        (self.folder / f"case-{len(self.asked)}.json").write_text(json.dumps(case))
        self.asked.append((label, {name: np.asarray(one, np.float32) for name, one in expected.items()}))

    def largest(self, *options: str) -> float:
        """The largest difference of all passes, as a share of the largest number of its tensor; options are node's."""
        command = [self.node, *options, str(Path(__file__).with_name("engine.mjs")), str(self.folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
        return max(self._compare(i, label, expected) for i, (label, expected) in enumerate(self.asked))

    def _compare(self, i: int, label: str, expected: Tensors) -> float:
        numbers = np.fromfile(self.folder / f"result-{i}.bin", "<f4")
        places = json.loads((self.folder / f"result-{i}.json").read_bytes())
        found, at = {}, 0
        for name, shape in places:
            n = int(np.prod(shape))
            found[name] = numbers[at : at + n].reshape(shape)
            at += n
        assert set(found) == set(expected), label
        worst = 0.0
        for name, theirs in expected.items():
            assert found[name].shape == theirs.shape, f"{label}: {name}"
            share = float(np.abs(found[name] - theirs).max(initial=0) / max(np.abs(theirs).max(initial=0), 1e-30))
            assert share <= CLOSE, f"{label}: {name} is off by {share:.1e} of its largest number"
            worst = max(worst, share)
        return worst


@pytest.fixture
def engine(node: str, tmp_path: Path) -> Engine:
    return Engine(node, tmp_path)


def taps(model: nn.Module, inputs: torch.Tensor, edits: Mapping[str, Callable[..., Any]] | None = None) -> Tensors:
    """Every tensor that torch taps, without the batch."""
    with torch.no_grad(), Trace(model, edits) as trace:
        model(inputs)
    return {name: one[0].numpy() for name, one in trace.items()}


def shaken(config: Any, seed: int) -> nn.Module:
    """A model whose gains and biases are not all 1 and 0, so that each of them matters."""
    model: nn.Module = build(config, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    return model.eval()


def drawn_style(draw: Random) -> BlockStyle:
    return BlockStyle(
        norm=draw.choice(["layer", "rms", "rms_plain"]),
        norm_first=draw.random() < 0.6,
        residual=draw.random() < 0.9,
        activation=draw.choice(ACTIVATIONS),
        bias=draw.choice([True, False, "qkv"]),
        qk_norm=draw.choice([True, False, "gain"]),
        feed_forward=draw.random() < 0.9,
        eps=draw.choice([None, 1e-3, 1e-12]),
    )


def drawn_gpt(draw: Random, **fixed: Any) -> GPTConfig:
    style = drawn_style(draw)
    n_head = draw.choice([1, 2, 4, 6])
    tied, causal = draw.random() < 0.5, draw.random() < 0.8
    positions = draw.choice(POSITION_SCHEMES)
    rotary = RotarySettings(base=draw.choice([100.0, 5e5]), factor=draw.choice([1.0, 4.0]),
                    trained_length=draw.choice([None, 3, 40]))  # fmt: skip
    drawn: dict[str, Any] = {
        "vocab_size": draw.randint(5, 40), "context_length": 40, "n_layer": draw.randint(1, 3), "n_head": n_head,
        "d_model": n_head * draw.choice([4, 6]), "n_kv_head": draw.choice([None, 1, n_head]),
        "d_head": draw.choice([None, 2, 6]), "d_ff": draw.choice([None, 7]), "d_embed": None if tied else 5,
        "positions": positions, "rotary": draw.choice([None, rotary]) if positions == "rotary" else None,
        "slopes": draw.choice([None, (0.5,) * n_head]) if positions == "alibi" else None,
        "embed_norm": draw.random() < 0.5, "token_shift": causal and style.feed_forward and draw.random() < 0.4,
        "tied": tied, "output_bias": draw.random() < 0.5, "causal": causal, "block": style,
    }  # fmt: skip
    return gpt(**drawn | fixed)


def drawn_ids(draw: Random, config: Any) -> list[int]:
    return [draw.randrange(config.vocab_size) for _ in range(draw.randint(1, 40))]


@pytest.mark.slow
def test_random_models(engine: Engine) -> None:
    """Every norm, activation, position scheme and way to share heads, drawn 200 times; a quarter with an edit."""
    draw = Random(0)
    for i in range(200):
        config: Any = drawn_gpt(draw)
        if i % 10 == 8:
            config = BERTConfig(vocab_size=9, context_length=40, n_head=2, d_model=12, n_segment=draw.randrange(3),
                                head=draw.choice(["masked", "sequence", "tokens", "none"]),
                                pool=draw.choice(["tanh", "relu"]), block=drawn_style(draw),
                                pad_id=draw.choice([None, 3]))  # fmt: skip
        if i % 10 == 9:
            config = ViTConfig(image_size=6, patch_size=draw.choice([1, 2, 3]), n_channel=draw.choice([1, 3]), n_head=2,
                               d_model=12, n_class=draw.choice([0, 5]), block=drawn_style(draw))  # fmt: skip
        model = shaken(config, seed=i)
        if isinstance(config, ViTConfig):
            inputs = torch.rand(1, config.n_channel, 6, 6, generator=torch.Generator().manual_seed(i))
            given: dict[str, Any] = {"image": inputs.flatten().tolist(), "shape": list(inputs.shape[1:])}
        else:
            given = {"ids": drawn_ids(draw, config)}
            inputs = torch.tensor([given["ids"]])
        edit = draw.choice(sorted(taps(model, inputs))) if i % 4 == 0 else None
        edits = {edit: lambda x: 0.5 * x + 0.1} if edit else None
        engine.ask(f"{config} {given} {edit}", model, taps(model, inputs, edits), given=given, edit=edit)
    print(f"largest difference: {engine.largest():.1e}, without WebAssembly {engine.largest('--jitless'):.1e}")


@pytest.mark.slow
def test_the_arithmetic_of_every_number(engine: Engine) -> None:
    """Each number of each tap, made again from those before it, as the map shows it."""
    draw = Random(3)
    for i in range(60):
        config = drawn_gpt(draw)
        model, ids = shaken(config, seed=i), drawn_ids(draw, config)[:6]
        engine.ask(f"{config} {ids}", model, taps(model, torch.tensor([ids])), given={"ids": ids}, isMade=True)
    print(f"largest difference: {engine.largest():.1e}")


def test_models_that_ship_and_recipes(engine: Engine) -> None:
    """The trained weights on a text, and the sizes of every recipe, one step into its training."""
    for name in ("stories", "stories-alibi", "stories-learned", "stories-bert"):
        found = load(ROOT / "assets" / "models" / name)
        tokenizer: Any = found.tokenizer
        ids = tokenizer.encode("Tom had a red ball. He played with it near the tree, and then Anna took the")
        engine.ask(name, found.model, taps(found.model, torch.tensor([ids])), given={"ids": ids})
    for name, recipe in RECIPES.items():
        config = from_dict({"kind": "gpt", **recipe.model, "vocab_size": 300})
        if to_dict(config)["kind"] not in ("gpt", "bert"):
            continue
        model = shaken(config, seed=1)
        if sum(one.numel() for one in model.parameters()) <= 5e6:
            ids = list(range(20, 50))
            engine.ask(name, model, taps(model, torch.tensor([ids])), given={"ids": ids})
    print(f"largest difference: {engine.largest():.1e}")


@pytest.mark.slow
def test_models_trained_here(engine: Engine) -> None:
    """A few steps of a decoder, an encoder that fills gaps and one that reads digits."""
    for name in ("induction", "masked", "digits"):
        made = experiment.make_experiment(name, {}, 3)
        for _ in range(20):
            made.advance()
        for variant, trainer in made.trainers.items():
            model: Any = trainer.model.cpu().eval()
            config = model.config
            if isinstance(config, ViTConfig):
                inputs = torch.rand(1, 1, 8, 8, generator=torch.Generator().manual_seed(0))
                given: dict[str, Any] = {"image": inputs.flatten().tolist(), "shape": [1, 8, 8]}
            else:
                given = {"ids": [1, 2, 3, 2, 1, 4]}
                inputs = torch.tensor([given["ids"]])
            engine.ask(f"{name} {variant}", model, taps(model, inputs), given=given)
    print(f"largest difference: {engine.largest():.1e}")


def test_masks_drawn_by_hand(engine: Engine) -> None:
    """A mask in place of the model's own, with rows that may read nothing."""
    draw = Random(1)
    for i in range(20):
        model: Any = shaken(drawn_gpt(draw), seed=i)
        ids = drawn_ids(draw, model.config)
        mask = torch.tensor([[draw.random() < 0.5 for _ in ids] for _ in ids])
        mask[0] = False
        model.mask = lambda *_, mask=mask: mask
        engine.ask(f"{i}", model, taps(model, torch.tensor([ids])), given={"ids": ids, "mask": mask.flatten().tolist()})
    engine.largest()


def test_reads_on_from_what_it_has_read(engine: Engine) -> None:
    """With a cache, a text read in pieces has the logits of the text read at once."""
    draw = Random(2)
    for i in range(40):
        model = shaken(drawn_gpt(draw, causal=True), seed=i)
        ids = drawn_ids(draw, model.config)
        with torch.no_grad():
            logits = model(torch.tensor([ids]))[0]
        cuts = sorted({draw.randint(1, len(ids)) for _ in range(4)} | {len(ids)})
        engine.ask(f"{model.config} {ids} {cuts}", model, {"logits": logits}, given={"ids": ids}, cuts=cuts)
    engine.largest()


FILTERS: dict[str, tuple[str, Callable[..., torch.Tensor], float]] = {
    "temperature": ("t", filters.temperature, 0.8),
    "topK": ("k", filters.top_k, 9),
    "topP": ("p", filters.top_p, 0.9),
    "minP": ("p", filters.min_p, 0.02),
    "typicalP": ("p", filters.typical_p, 0.95),
    "epsilon": ("e", filters.epsilon, 0.001),
    "eta": ("e", filters.eta, 0.001),
    "repetitionPenalty": ("penalty", filters.repetition_penalty, 1.2),
    "noRepeatNgram": ("n", filters.no_repeat_ngram, 3),
}


@pytest.mark.slow
def test_writes_the_tokens_that_the_server_writes(engine: Engine) -> None:
    """The same seed and filters give the same tokens and draws, also beyond the context."""
    draw = Random(3)
    found = load(ROOT / "assets" / "models" / "stories")
    tokenizer: Any = found.tokenizer
    models = [found.model, *(shaken(drawn_gpt(draw, causal=True, context_length=12), seed=i) for i in range(6))]
    for i in range(70):
        model: Any = models[i % len(models)]
        ids = tokenizer.encode("The dog saw") if model is found.model else drawn_ids(draw, model.config)[:5]
        chosen = draw.sample(sorted(FILTERS), draw.randrange(4))
        how = {"seed": draw.randrange(2**62), "greedy": i % 9 == 0}
        made = [partial(FILTERS[name][1], **{FILTERS[name][0]: FILTERS[name][2]}) for name in chosen]
        steps = list(generate(model, ids, 20, filters=made, **how))
        expected = {
            "tokens": [int(step.token) for step in steps],
            "draws": [-1.0 if step.draw is None else float(step.draw) for step in steps],
        }
        named = [(name, FILTERS[name][2]) for name in chosen]
        write = {"n": 20, "how": how | {"seed": str(how["seed"])}, "filters": named}
        engine.ask(f"{chosen} {how}", model, expected, given={"ids": ids}, write=write)
    assert engine.largest() < 1e-6
