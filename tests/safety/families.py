"""Trains a little of each family and prints what came out, as digests: `python -m tests.safety.families 0 1`."""

import hashlib
import json
import sys

import numpy as np
import torch

from core.train import experiment

# One experiment for each family of models: GPT, BERT, T5, recurrent, with attention over it, of images and captions.
FAMILIES = ("induction", "masked", "translation", "remember", "dates", "digits", "pixels", "captions")
N_STEP = 3


def digest(name: str, seed: int) -> str:
    """What some steps of the experiment give, every bit of it."""
    made = experiment.make_experiment(name, {}, seed)
    for _ in range(N_STEP):
        made.advance()
    found = hashlib.sha256()
    for key, array in sorted(made.record().items()):
        found.update(f"{key} {array.shape} {array.dtype} {np.array2string(array.reshape(-1)[:5])}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def all_digests(seeds: list[int]) -> dict[str, str]:
    """One for each family and seed."""
    return {f"{name} {seed}": digest(name, seed) for name in FAMILIES for seed in seeds}


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(all_digests([int(one) for one in sys.argv[1:]])))
