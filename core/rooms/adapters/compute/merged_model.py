"""The stories model with a recorded run's updates merged in, with its text, predictions and merging error."""

from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from core.exhibit import MAX_TRACES, memoize
from core.generate.decode import generate
from core.generate.filters import temperature
from core.models import lora, pretrained
from core.rooms.adapters.experiments.adapters import MODEL, recorded_updates
from core.train.experiments.experiment_run_state import ExperimentRun

MAX_NEW_TOKENS = 28  # tokens
TEMPERATURE = 0.5


@memoize(MAX_TRACES, n_byte=lambda made: sum(weight.nbytes for weight in made.model.parameters()))
def merged_model(run: ExperimentRun, rank: int, strength: float = 1.0) -> pretrained.Pretrained:
    """Return a copy of the stories model with the updates of this rank merged in; rank 0 leaves it unchanged."""
    found = pretrained.load(MODEL)
    if rank:
        lora.merge_updates(found.model, recorded_updates(run.record, rank), strength)
    found.model.eval().requires_grad_(False)
    return found


def continue_line(model: pretrained.Pretrained, beginning: str, seed: int) -> str:
    """Return the model's continuation of a beginning, up to the end of the line at most."""
    tokenizer = model.text_tokenizer
    ids = tokenizer.encode("\n\n" + beginning)
    steps = generate(model.model, ids, MAX_NEW_TOKENS, filters=[partial(temperature, t=TEMPERATURE)], seed=seed)
    text = str(tokenizer.decode([*ids, *(int(step.token) for step in steps)]))
    return text.lstrip("\n").partition("\n")[0]


def next_token_probabilities(model: pretrained.Pretrained, beginning: str) -> NDArray[np.float64]:
    """Return the probability of each token as the next one (V,)."""
    tokenizer = model.text_tokenizer
    logits = model.model(torch.tensor([tokenizer.encode("\n\n" + beginning)]))
    return logits[0, -1].double().softmax(-1).numpy()


def merging_error(run: ExperimentRun, rank: int, beginning: str) -> float:
    """Return the largest difference between the logits with separate updates and with merged updates."""
    merged, beside = merged_model(run, rank), pretrained.load(MODEL)
    placed = lora.add_lora(beside.model, rank, torch.Generator().manual_seed(0))
    with torch.no_grad():
        for name, (up, down) in recorded_updates(run.record, rank).items():
            placed[name].up.copy_(up)
            placed[name].down.copy_(down)
        tokenizer = merged.text_tokenizer
        ids = torch.tensor([tokenizer.encode("\n\n" + beginning)])
        return float((merged.model(ids) - beside.model(ids)).abs().max())
