"""Each picture × each kind of model of transformers: it is drawn, or the message says what to do next."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf

from core.notebook import heads, matrix, model_map, next_token
from core.notebook.reading import predict_next_token, run_model_on_text
from tests.library.notebook.test_reading import TEXT, Letters

MARKS: dict[str, Any] = {"vocab_size": 40, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
SMALL = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
GPT2 = {"n_layer": 2, "n_head": 2, "n_embd": 16, "n_positions": 64, **MARKS}
PAIR = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 16,
        "decoder_attention_heads": 2, "decoder_ffn_dim": 16, "decoder_start_token_id": 1, **MARKS}  # fmt: skip
PICTURE = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16,
           "image_size": 16, "patch_size": 8}  # fmt: skip
KINDS: dict[str, tuple[Any, Any]] = {
    "gpt2": (hf.GPT2LMHeadModel, lambda: hf.GPT2Config(**GPT2)),
    "gpt2 without its head": (hf.GPT2Model, lambda: hf.GPT2Config(**GPT2)),
    "gpt2 of a short context": (hf.GPT2LMHeadModel, lambda: hf.GPT2Config(**GPT2 | {"n_positions": 8})),
    "llama": (hf.LlamaForCausalLM, lambda: hf.LlamaConfig(**SMALL, num_key_value_heads=1, **MARKS)),
    "bert": (hf.BertForMaskedLM, lambda: hf.BertConfig(**SMALL, **MARKS)),
    "t5": (hf.T5ForConditionalGeneration,
           lambda: hf.T5Config(d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, **MARKS)),
    "bart": (hf.BartForConditionalGeneration, lambda: hf.BartConfig(max_position_embeddings=64, **PAIR)),
    "xlnet": (hf.XLNetLMHeadModel, lambda: hf.XLNetConfig(d_model=16, n_layer=2, n_head=2, d_inner=16, **MARKS)),
    "mamba": (hf.MambaForCausalLM,
              lambda: hf.MambaConfig(hidden_size=16, state_size=4, num_hidden_layers=2, **MARKS)),
    "rwkv": (hf.RwkvForCausalLM,
             lambda: hf.RwkvConfig(hidden_size=16, num_hidden_layers=2, attention_hidden_size=16, **MARKS)),
    "whisper": (hf.WhisperForConditionalGeneration,
                lambda: hf.WhisperConfig(num_mel_bins=8, max_source_positions=20, max_target_positions=20, **PAIR)),
    "vit": (hf.ViTForImageClassification, lambda: hf.ViTConfig(**PICTURE)),
    "clip": (hf.CLIPModel, lambda: hf.CLIPConfig(
        text_config={**SMALL, **MARKS, "max_position_embeddings": 64}, vision_config=PICTURE)),
}  # fmt: skip
SAVE = r"save_pretrained\(\"mine\"\); model_map\(\"mine\"\)"
NO_MAP = r"a browser can't run \w+: .* heads\(model"
NO_TEXT = "reads (input features|pixel values), not text. Give a model that reads text"
NO_HEADS = r"has no attention.* next_token\(model"
ALONE = "can't read a text alone .* give its text model"
# kind -> the words of heads and matrix, of next_token, of model_map; None: it is drawn
TABLE: dict[str, tuple[str | None, str | None, str]] = {
    "gpt2": (None, None, SAVE),
    "gpt2 without its head": (None, "no output layer. Load it with AutoModelForCausalLM", SAVE),
    "gpt2 of a short context": ("at most 8. Give a shorter", "at most 8. Give a shorter", SAVE),
    "llama": (None, None, SAVE),
    "bert": (None, "does not predict .* Give a causal language model", NO_MAP),
    "t5": (None, r"does not predict .* heads\(model", NO_MAP),
    "bart": (None, r"does not predict .* heads\(model", NO_MAP),
    "xlnet": (None, "does not predict .* Give a causal language model", NO_MAP),
    "mamba": (NO_HEADS, None, NO_MAP),
    "rwkv": (NO_HEADS, None, NO_MAP),
    "whisper": (NO_TEXT, NO_TEXT, NO_MAP),
    "vit": (NO_TEXT, NO_TEXT, NO_MAP),
    "clip": (ALONE, ALONE, NO_MAP),
}


def make(kind: str, how: str = "sdpa") -> Any:
    torch.manual_seed(0)
    network, config = KINDS[kind]
    model = network(config())
    if how != "sdpa":
        model.set_attn_implementation(how)
    return model


def check(call: Callable[[], Any], said: str | None) -> None:
    if said is None:
        assert "<html" in call().page
    else:
        with pytest.raises(ValueError, match=f"(?s){said}"):
            call()


@pytest.mark.parametrize("kind", TABLE)
def test_every_picture_of_every_kind_is_drawn_or_says_what_to_do(kind: str) -> None:
    model, (of_heads, of_next, of_map) = make(kind), TABLE[kind]
    for draw, said in ((heads, of_heads), (matrix, of_heads), (next_token, of_next), (model_map, of_map)):
        check(lambda draw=draw: draw(model, TEXT, tokenizer=Letters()), said)


def test_a_model_that_was_loaded_for_speed_gives_the_same_and_stays_as_it_was() -> None:
    fast, slow = make("llama"), make("llama", "eager")
    found, right = run_model_on_text(fast, TEXT, Letters()), run_model_on_text(slow, TEXT, Letters())
    assert np.array_equal(found.weights, right.weights)
    assert fast.config._attn_implementation == "sdpa"
    logits = predict_next_token(fast, TEXT, Letters()).logits
    assert right.logits is not None and np.allclose(logits, right.logits, atol=1e-5)


def test_what_is_no_model_of_theirs_is_said() -> None:
    for draw in (heads, matrix, next_token, model_map):
        with pytest.raises(TypeError, match=r"neither ours nor Hugging Face's.* Give"):
            draw(torch.nn.Linear(2, 2), TEXT, tokenizer=Letters())
    with pytest.raises(TypeError, match="AutoTokenizer"):
        heads(make("gpt2"), TEXT, tokenizer="gpt2")
