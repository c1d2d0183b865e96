"""The opening time, generation speed and memory of current models.

    python -m benchmarks.todays_models            # about three minutes
    python -m benchmarks.todays_models --quick    # the smaller one, few tokens

Folders of SmolLM2-135M's and Qwen3-0.6B's shape are made with random weights in bfloat16. Our program and Hugging
Face's (in float32, as ours, and in bfloat16) open them and write greedily after the same 20 tokens, each in a process
of its own, on two threads, alternately. The memory is the process's peak.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

N_PROMPT, N_TURN = 20, 3
SHAPES: dict[str, dict[str, Any]] = {
    "SmolLM2-135M": {
        "model_type": "llama", "vocab_size": 49_152, "hidden_size": 576, "intermediate_size": 1_536,
        "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3, "max_position_embeddings": 8_192,
        "rms_norm_eps": 1e-5, "tie_word_embeddings": True,
    },
    "Qwen3-0.6B": {
        "model_type": "qwen3", "vocab_size": 151_936, "hidden_size": 1_024, "intermediate_size": 3_072,
        "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
        "max_position_embeddings": 40_960, "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
    },
}  # fmt: skip
OURS = """
from core.models.pretrained import load
from core.generate.decode import generate
from core.train.malloc_settings import keep_freed_memory
keep_freed_memory()  # as the server does
def read(): return load(folder).model
def write(model):
    return [int(step.token[0]) for step in generate(model, torch.arange(1, 1 + n_prompt)[None], n_new, greedy=True)]
"""
THEIRS = """
import transformers
def read(): return transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.{dtype})
def write(model):
    options = {"max_new_tokens": n_new, "do_sample": False, "pad_token_id": 0, "eos_token_id": None}
    return model.generate(torch.arange(1, 1 + n_prompt)[None], **options)[0, n_prompt:].tolist()
"""
TIMED = """
import json, resource, sys, time
import torch
folder, n_prompt, n_new = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
torch.set_num_threads(2)
{who}
began = time.perf_counter()
model = read()
opened = time.perf_counter() - began
write(model)
began = time.perf_counter()
written = write(model)
rate = len(written) / (time.perf_counter() - began)
print(json.dumps([opened, rate, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, written]))
"""
WHO = {"ours": OURS, "theirs, float32": THEIRS.replace("{dtype}", "float32"),
       "theirs, bfloat16": THEIRS.replace("{dtype}", "bfloat16")}  # fmt: skip


def make(folder: Path, shape: dict[str, Any]) -> None:
    """Make a folder like a published one, with random weights."""
    import torch
    import transformers

    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(**shape)
    transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).save_pretrained(folder)


def measure(who: str, folder: Path, n_new: int) -> tuple[float, float, float, list[int]]:
    """Return the seconds until it is open, the tokens per second, the gigabytes, and the tokens."""
    script = TIMED.replace("{who}", WHO[who])
    command = [sys.executable, "-c", script, str(folder), str(N_PROMPT), str(n_new)]
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    opened, rate, memory, written = json.loads(done.stdout.splitlines()[-1])
    return opened, rate, memory, written


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    n_new, n_turn = (8, 1) if quick else (32, N_TURN)
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for name in list(SHAPES)[: 1 if quick else None]:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), SHAPES[name])
            found = {who: [measure(who, Path(folder), n_new) for _ in range(n_turn)] for who in WHO}
        assert found["ours"][0][3] == found["theirs, float32"][0][3], "not the same tokens"
        for who, turns in found.items():
            opened, rate, memory = (median(turn[n] for turn in turns) for n in range(3))
            line = f"{name:<13} {who:<17} open {opened:5.2f} s   {rate:5.1f} tokens/s   {memory:4.2f} GB"
            print(line, flush=True)


if __name__ == "__main__":
    main()
