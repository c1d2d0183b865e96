"""The speedup of the fast recipes in reaching the final loss of nanoGPT's small CPU setting.

    python -m benchmarks.training                    # on Python's documentation topics, about fifteen minutes
    python -m benchmarks.training --text FILE        # on your own text, for example Tiny Shakespeare
    python -m benchmarks.training --quick            # a tenth of the baseline, to check that everything works

The baseline is nanoGPT's documented setting for a laptop's CPU: 4 layers, 4 heads, 128 wide, context 64, batch 12,
2,000 steps of AdamW, in float32 with fused attention. It is trained in full, and its loss over the whole validation
split is the goal. Then each fast recipe, one of standard parts and one with token shift, is run with more and more
steps until the end of its schedule reaches the goal, and finally all are timed alternately. Times are CPU seconds of
the training loop on one thread, without evaluation; ratios of alternating runs are valid even on a shared machine.
"""

import argparse
import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.data import corpora, tokenizers
from core.train import objectives
from core.train.device import single_torch_thread
from core.train.malloc_settings import keep_freed_memory
from core.train.objectives import ngram_losses
from core.train.recipes import RECIPES, Recipe
from core.train.run import TrainRun

CONTEXT, BATCH, STEPS = 64, 12, 2000
FAST = ("python-topics", "python-topics-shift")


@dataclass(frozen=True)
class Text:
    """A text as ids: the training part and the validation part."""

    text: str
    train_ids: Tensor
    val_ids: Tensor
    vocab_size: int

    @classmethod
    def of(cls, text: str) -> "Text":
        tokenizer = tokenizers.train_tokenizer("char", text)
        train_ids, val_ids = objectives.split_ids(torch.tensor(tokenizer.encode(text)), CONTEXT)
        return cls(text, train_ids, val_ids, tokenizer.vocab_size)


class BaselineBlock(nn.Module):
    """Pre-norm attention and feed-forward as nanoGPT has them: one matrix for q, k and v, fused attention, GELU."""

    def __init__(self, d_model: int, n_head: int):
        super().__init__()
        self.n_head = n_head
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, bias=False), nn.LayerNorm(d_model, bias=False)
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)
        self.widen = nn.Linear(d_model, 4 * d_model, bias=False)
        self.narrow = nn.Linear(4 * d_model, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        n_batch, n_token, d_model = x.shape
        q, k, v = self.qkv(self.norm_1(x)).split(d_model, dim=2)
        q, k, v = (one.view(n_batch, n_token, self.n_head, -1).transpose(1, 2) for one in (q, k, v))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(n_batch, n_token, d_model))
        return x + self.narrow(F.gelu(self.widen(self.norm_2(x))))


class Baseline(nn.Module):
    """nanoGPT's model, at first at its small CPU size: learned positions, tied output layer, no biases, no dropout."""

    def __init__(
        self,
        vocab_size: int,
        generator: torch.Generator,
        n_layer: int = 4,
        d_model: int = 128,
        n_head: int = 4,
        n_token: int = CONTEXT,
    ):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, d_model)
        self.pos_emb = nn.Embedding(n_token, d_model)
        self.blocks = nn.Sequential(*[BaselineBlock(d_model, n_head) for _ in range(n_layer)])
        self.norm = nn.LayerNorm(d_model, bias=False)
        with torch.no_grad():
            for name, w in self.named_parameters():
                if w.ndim == 2:
                    into_stream = name.endswith(("out.weight", "narrow.weight"))
                    w.normal_(0.0, 0.02 / math.sqrt(2 * n_layer) if into_stream else 0.02, generator=generator)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tok_emb(ids) + self.pos_emb.weight[: ids.shape[1]]
        return F.linear(self.norm(self.blocks(x)), self.tok_emb.weight)


class BaselineRun:
    """nanoGPT's training loop: AdamW (fused), warm-up 100, cosine from 1e-3 to 1e-4, clipped at 1."""

    def __init__(self, text: Text, seed: int, n_step: int):
        generator = torch.Generator().manual_seed(seed)
        self.text, self.n_step = text, n_step
        self.model = Baseline(text.vocab_size, generator)
        matrices = [w for w in self.model.parameters() if w.ndim == 2]
        vectors = [w for w in self.model.parameters() if w.ndim < 2]
        groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99), fused=True)
        self.starts = objectives.draw_starts(n_step, BATCH, len(text.train_ids), CONTEXT, generator)
        self.step = 0

    def train(self, n_step: int) -> float:
        """Make this many steps and return their CPU seconds."""
        began = time.process_time()
        for _ in range(n_step):
            for group in self.optimizer.param_groups:
                group["lr"] = self._learning_rate()
            inputs, targets = objectives.cut_windows(self.text.train_ids, self.starts[self.step], CONTEXT)
            logits = self.model(inputs)
            self.optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(logits.flatten(0, 1), targets.flatten()).backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.step += 1
        return time.process_time() - began

    def validate(self) -> float:
        every = objectives.spaced_starts(len(self.text.val_ids), CONTEXT, len(self.text.val_ids))
        return objectives._evaluate_windows(self.model, self.text.val_ids, every, CONTEXT)

    def _learning_rate(self) -> float:
        n_warmup = min(100, self.n_step // 20)
        if self.step < n_warmup:
            return 1e-3 * (self.step + 1) / (n_warmup + 1)
        done = (self.step - n_warmup) / max(1, self.n_step - n_warmup)
        return 1e-4 + 9e-4 * 0.5 * (1 + math.cos(math.pi * done))


@dataclass(frozen=True)
class Result:
    """One training run: loss over the whole validation split (nats per token) and CPU seconds of its loop."""

    val_loss: float
    seconds: float


def train_fast(text: Text, recipe: Recipe, seed: int) -> Result:
    """Train the recipe from its first to its last step, without the evaluations that a page would show."""
    run = TrainRun(recipe, seed, "cpu", text=text.text, live_evaluation=False)
    began = time.process_time()
    run.advance()
    seconds = time.process_time() - began
    return Result(run.validate(), seconds)


def steps_to_reach(text: Text, recipe: Recipe, goal: float, first: int, seeds: range) -> int:
    """Return the steps that the recipe needs to end at or below the goal, averaged over the seeds, within a twelfth."""
    n_step = first
    while True:
        losses = [train_fast(text, replace(recipe, n_step=n_step), seed).val_loss for seed in seeds]
        print(f"  {n_step} steps end at {mean(losses):.4f}", flush=True)
        if mean(losses) <= goal:
            return n_step
        n_step = round(n_step * 1.08)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, help="a text file in place of Python's documentation topics")
    parser.add_argument("--quick", action="store_true", help="a tenth of the baseline's steps, one repeat")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    text = Text.of(options.text.read_text("utf-8") if options.text else corpora.load("python-topics").text)
    n_step, n_repeat, first = (STEPS // 10, 1, 15) if options.quick else (STEPS, options.repeats, 90)
    keep_freed_memory()  # as a run's own process does; for both sides
    with single_torch_thread():
        measure(text, n_step, n_repeat, first)


def measure(text: Text, n_step: int, n_repeat: int, first: int) -> None:
    """Train the baseline, find the fast recipes' lengths, and time all alternately."""
    print(f"{len(text.text):,} characters, {text.vocab_size} different; baseline: {n_step} steps", flush=True)
    baseline = BaselineRun(text, seed=0, n_step=n_step)
    whole = Result(seconds=baseline.train(n_step), val_loss=baseline.validate())
    print(f"  ends at {whole.val_loss:.4f} after {whole.seconds:.1f} CPU seconds", flush=True)

    fast: dict[str, Recipe] = {}
    for name in FAST:
        print(name, flush=True)
        n_fast = steps_to_reach(text, RECIPES[name], whole.val_loss, first, range(n_repeat))
        fast[name] = replace(RECIPES[name], n_step=n_fast)

    ratios: dict[str, list[float]] = {name: [] for name in FAST}
    results: dict[str, list[Result]] = {name: [] for name in FAST}
    slice_run = BaselineRun(text, seed=1, n_step=n_step)
    slice_run.train(5)  # the first steps allocate
    for repeat in range(n_repeat):
        for name, recipe in fast.items():
            per_step = slice_run.train(20) / 20
            result = train_fast(text, recipe, seed=repeat)
            per_step = 0.5 * (per_step + slice_run.train(20) / 20)  # before and after: slow drifts cancel
            ratios[name].append(per_step * n_step / result.seconds)
            results[name].append(result)
            print(f"  turn {repeat + 1}, {name}: {ratios[name][-1]:.1f} times faster, ends at {result.val_loss:.4f}",
                  flush=True)  # fmt: skip

    counts = ngram_losses(text.train_ids, text.val_ids, text.vocab_size)
    print(f"\n{'':<34}{'steps x batch':>14}{'validation':>12}{'CPU s':>9}{'times faster':>18}")
    size = f"{n_step} x {BATCH}"
    print(f"{'nanoGPT, small CPU setting':<34}{size:>14}{whole.val_loss:>12.3f}{whole.seconds:>9.1f}{1:>18}")
    for name, recipe in fast.items():
        size, loss = f"{recipe.n_step} x {recipe.batch_size}", mean(one.val_loss for one in results[name])
        spread = f"{mean(ratios[name]):.1f} ({min(ratios[name]):.1f}-{max(ratios[name]):.1f})"
        seconds = mean(one.seconds for one in results[name])
        print(f"{'Glassformer, ' + name:<34}{size:>14}{loss:>12.3f}{seconds:>9.1f}{spread:>18}")
    print("for comparison: " + ", ".join(f"{order}-gram {loss:.3f}" for order, loss in counts.items()))


if __name__ == "__main__":
    main()
