"""Training on a GPU: our step compared with nanoGPT's with torch.compile, in tokens per second and FLOPs utilization.

    python -m benchmarks.gpu [--peak 989]   # peak of the GPU in dense bfloat16, TFLOP/s; an H100 or H200 has 989

Two shapes: 4 layers of 128 with nanoGPT's batch for a laptop and with a larger one, and GPT-2 small's. Ids are random,
because no step depends on them. Both compute in bfloat16 with weights in float32, and run alternately; the median of
the rounds counts. FLOPs are those that the model needs, 6 for each weight and 12 L D T for attention, for each token
(PaLM, appendix B; nanoGPT counts the same), not those that the program really computes.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.training import Baseline
from core.models import registry
from core.train.device import LossCUDAGraph, choose_placement, make_forward_in_dtype
from core.train.objectives import NextTokenObjective, draw_starts
from core.train.recipes import RECIPES, Recipe
from core.train.trainer import Trainer
from core.train.weight_init_and_optimizer import make_optimizer

Step = Callable[[], None]
N_ID = 1_000_000


@dataclass(frozen=True)
class Shape:
    """A model to train: our recipe, and nanoGPT's of the same sizes."""

    name: str
    recipe: Recipe
    vocab_size: int
    batch_size: int
    n_step: int  # in each round

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """The layers, heads, width and context."""
        model = self.recipe.model
        return model["n_layer"], model["n_head"], model["d_model"], model["context_length"]


TOPICS = RECIPES["python-topics"]
GPT2 = Recipe(
    name="gpt2",
    title="GPT-2 small's shape",
    corpus="python-topics",  # only its sizes are used
    optimizer="adamw",
    learning_rate=6e-4,
    weight_decay=0.1,
    model={"n_layer": 12, "n_head": 12, "d_model": 768, "context_length": 1024, "positions": "learned", "tied": True,
           "block": {"activation": "gelu", "bias": False}},
)  # fmt: skip
SHAPES = (
    Shape("4 layers of 128, batch 12", TOPICS, vocab_size=65, batch_size=12, n_step=200),
    Shape("4 layers of 128, batch 512", TOPICS, vocab_size=65, batch_size=512, n_step=100),
    Shape("GPT-2 small's shape, batch 12", GPT2, vocab_size=50304, batch_size=12, n_step=10),
)


def ours(shape: Shape, ids: Tensor) -> tuple[nn.Module, Step]:
    """Return the model and the step of `core.train.run.TrainRun`."""
    model = registry.build(shape.recipe.config(shape.vocab_size), seed=0).to(ids.device)
    placement = choose_placement("cuda", model.config.d_model)
    forward, optimizer = make_forward_in_dtype(model, placement.dtype), make_optimizer(model, shape.recipe, placement)
    trainer = Trainer(model, optimizer, lambda step: 1.0, n_step=10**9)
    objective, starts = NextTokenObjective(shape.sizes[3]), _starts(shape, ids)
    graph = LossCUDAGraph(lambda some: objective.loss(forward, ids, some, 0), model, starts[0])

    def step() -> None:
        graph.run(starts[trainer.step % len(starts)])
        trainer.move()

    return model, step


def theirs(shape: Shape, ids: Tensor) -> tuple[nn.Module, Step]:
    """Return the model and step of nanoGPT's `train.py`: compiled, bfloat16 autocast, fused AdamW, clipping."""
    n_layer, n_head, d_model, n_token = shape.sizes
    generator = torch.Generator().manual_seed(0)
    model = Baseline(shape.vocab_size, generator, n_layer, d_model, n_head, n_token).to(ids.device)
    compiled: Any = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    starts, places, done = _starts(shape, ids), torch.arange(n_token + 1, device=ids.device), [0]

    def step() -> None:
        cut = ids[starts[done[0] % len(starts)][:, None] + places]
        done[0] += 1
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(compiled(cut[:, :-1].contiguous()).flatten(0, 1), cut[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return model, step


def _starts(shape: Shape, ids: Tensor) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return draw_starts(64, shape.batch_size, len(ids), shape.sizes[3], generator).to(ids.device)


def seconds(step: Step, n_step: int) -> float:
    """Return the seconds of a step, synchronized."""
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(n_step):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / n_step


def flops(shape: Shape, model: nn.Module) -> float:
    """Return the FLOPs that a step needs."""
    n_layer, _, d_model, n_token = shape.sizes
    n_weight = sum(w.numel() for name, w in model.named_parameters() if not name.startswith("pos_emb"))
    return (6 * n_weight + 12 * n_layer * d_model * n_token) * shape.batch_size * n_token


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peak", type=float, default=989.0, help="of the GPU in dense bfloat16, TFLOP/s")
    peak = parser.parse_args().peak * 1e12
    torch.set_float32_matmul_precision("high")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {torch.get_num_threads()} threads", flush=True)
    for shape in SHAPES:
        ids = torch.randint(shape.vocab_size, (N_ID,), generator=torch.Generator().manual_seed(0)).cuda()
        sides = {"ours": ours(shape, ids), "nanoGPT's, compiled": theirs(shape, ids)}
        for _, step in sides.values():
            seconds(step, 5)  # the first steps compile and allocate
        turns: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(5):
            for name, (_, step) in sides.items():
                turns[name].append(seconds(step, shape.n_step))
        print(shape.name)
        for name, (model, _) in sides.items():
            took = statistics.median(turns[name])
            print(
                f"  {name:<20} {took * 1e3:8.2f} ms a step  {shape.batch_size * shape.sizes[3] / took:12,.0f} tokens a "
                f"second  {flops(shape, model) / took / peak:6.1%} of the FLOPs",
                flush=True,
            )
        del sides
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
