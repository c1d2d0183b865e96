"""The command writes the text that its tokenizer decodes, also where the model knows tokens that the tokenizer lacks.

Catches: spaces that are lost between tokens, and a crash in the middle of a text at an output that has no token.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from core.data.tokenizers import BPETokenizer, MaskedTextTokenizer
from core.generate import command
from core.models.pretrained import load
from core.train.watch.behavior_snapshots import _fill_gaps
from tests.library.data import tokenizers_today
from tests.library.data.test_foreign import gpt2

D = 32


def folder_of(path: Path, tokenizer: dict[str, Any], n_more: int) -> Path:
    """Make a random Llama with a published tokenizer, with this many more outputs than tokens."""
    (path / "tokenizer.json").write_text(json.dumps(tokenizer))
    (path / "config.json").write_text("{}")
    n = 1 + max([*tokenizer["model"]["vocab"].values(), *(one["id"] for one in tokenizer["added_tokens"])]) + n_more
    draw = torch.Generator().manual_seed(0)
    p, w = "model.layers.0.", {"model.norm.weight": torch.ones(D)}
    sizes = {"model.embed_tokens": (n, D), "lm_head": (n, D)}
    sizes |= {f"{p}self_attn.{one}_proj": (D, D) for one in "qkvo"}
    sizes |= {f"{p}mlp.gate_proj": (48, D), f"{p}mlp.up_proj": (48, D), f"{p}mlp.down_proj": (D, 48)}
    w |= {f"{name}.weight": torch.randn(size, generator=draw) for name, size in sizes.items()}
    w |= {f"{p}{name}_layernorm.weight": torch.ones(D) for name in ("input", "post_attention")}
    w["lm_head.weight"][n - n_more :] *= 3  # the outputs without a token are the likeliest
    save_file(w, path / "model.safetensors")
    (path / "config.json").write_text(json.dumps({
        "model_type": "llama", "vocab_size": n, "hidden_size": D, "intermediate_size": 48, "num_hidden_layers": 1,
        "num_attention_heads": 4, "max_position_embeddings": 64, "rms_norm_eps": 1e-6,
        "hidden_act": "silu"}))  # fmt: skip
    return path


@pytest.mark.parametrize("name", ["byte-bpe", "llama 2", "mistral", "gemma"])
@pytest.mark.parametrize("how", [["--greedy"], ["--seed", "1"], ["--temperature", "2"], ["--beam", "3"]], ids=str)
def test_what_is_written_is_what_the_tokenizer_decodes(
    name: str, how: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = json.loads(gpt2().backend_tokenizer.to_str()) if name == "byte-bpe" else tokenizers_today.FAMILIES[name]()
    folder = folder_of(tmp_path, made, n_more=40)
    found, seen = load(folder), list[list[int]]()
    stream = command._pieces

    def pieces(one: Any, ids: Any, before: list[int]) -> Any:
        seen.append([*ids])
        return stream(one, seen[0], before)

    monkeypatch.setattr(command, "_pieces", pieces)
    assert command.main([str(folder), "the cat", "--tokens", "40", *how]) == 0
    tokenizer: Any = found.tokenizer
    prompt = tokenizer.encode("the cat")
    whole = tokenizer.decode([*prompt, *seen[0]])
    assert capsys.readouterr().out == "the cat" + whole[len(tokenizer.decode(prompt)) :] + "\n"
    assert any(i >= tokenizer.n_token for i in seen[0])  # so the text holds some without a token
    assert found.vocabulary[-1] == f"⟨unused {len(found.vocabulary) - 1}⟩"


def test_gaps_of_a_sample_are_filled_with_whole_characters() -> None:
    """The sample of an encoder that is training, where a gap is a part of a character."""
    tokenizer = MaskedTextTokenizer(BPETokenizer.train("abc abc", 257))
    ids = torch.tensor([tokenizer.class_id, *tokenizer.encode("a🙂 é🙂")])

    def model(asked: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.one_hot(ids.clamp(max=256)[None], tokenizer.vocab_size).float()

    text = _fill_gaps(model, tokenizer, ids)  # type: ignore[arg-type]
    assert "�" not in text and text.replace("⟨", "").replace("⟩", "") == "a🙂 é🙂"
    assert text.count("⟨") == len(range(4, len(ids), 4))
