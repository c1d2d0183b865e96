"""The speed of text generation, compared with Hugging Face's `generate` with the same weights.

    python -m benchmarks.decoding            # about five minutes
    python -m benchmarks.decoding --quick    # one round of fewer tokens, to check that everything works

Hugging Face makes a random GPT-2, our GPT imports it like any other model, and both continue the same prompt of 16
tokens: 256 new tokens for 4 layers of width 128, 48 for GPT-2 small's shape. Both use a KV cache. Their greedy tokens
are compared before anything is timed. With one torch thread, the two are timed alternately, and the table has the
median of CPU seconds and of the ratio over the rounds, which is robust on shared machines; wall-clock time is added.

Finally, speculative decoding on repetitive text: a model with smaller position embeddings falls into a loop, as small
models do when decoding greedily. Guesses come from n-gram lookup and from the model's own first blocks.
"""

import argparse
import copy
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

import torch
from torch import Tensor, nn

from core.generate import beam
from core.generate.cache import CachedModel
from core.generate.decode import generate
from core.generate.speculative import ModelDraft, NGramLookUp, TokenDrafter, speculative_decode
from core.models.pretrained import model_from_state_dict
from core.rooms.strategies.compute import columns
from core.rooms.strategies.compute.columns import Strategy
from core.train.device import single_torch_thread

N_PROMPT = 16
SIX = (
    Strategy(kind="greedy"),
    Strategy(seed=1),
    Strategy(knobs=(("top_k", 20),), seed=2),
    Strategy(knobs=(("top_p", 0.9),), seed=3),
    Strategy(knobs=(("temperature", 0.7),), seed=4),
    Strategy(knobs=(("min_p", 0.1),), seed=5),
)


@dataclass(frozen=True)
class Shape:
    """A model to time, and the number of tokens that it writes."""

    name: str
    n_layer: int
    n_head: int
    d_model: int
    vocab_size: int
    n_new: int
    dtype: torch.dtype = torch.float32
    positions: float = 1.0  # standard deviation of the position table: large, or it would write one token forever


SMALL = Shape("4 layers x 128", n_layer=4, n_head=4, d_model=128, vocab_size=512, n_new=256)
QUIET = 0.01  # standard deviation of positions with which a random model loops over a few tokens: the best case
LARGE = Shape("GPT-2 small's shape", n_layer=12, n_head=12, d_model=768, vocab_size=50257, n_new=48)


class Pair:
    """One set of weights in two programs.

    Args:
        shape: of the model.
        seed: of the weights and the prompt.
    """

    def __init__(self, shape: Shape, seed: int = 0):
        from transformers import GPT2Config, GPT2LMHeadModel

        self.shape = shape
        config = GPT2Config(
            vocab_size=shape.vocab_size, n_positions=512, n_embd=shape.d_model, n_layer=shape.n_layer,
            n_head=shape.n_head, bos_token_id=None, eos_token_id=None, pad_token_id=0,
        )  # fmt: skip
        self.theirs = GPT2LMHeadModel(config).eval()
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for name, parameter in self.theirs.named_parameters():
                is_gain = "ln_" in name and "weight" in name
                deviation = shape.positions if "wpe" in name else 0.06
                parameter.normal_(1.0 if is_gain else 0.0, deviation, generator=generator)
        self.ours: nn.Module = model_from_state_dict(config.to_dict(), self.theirs.state_dict())
        self.theirs, self.ours = self.theirs.to(shape.dtype), self.ours.to(shape.dtype).eval().requires_grad_(False)
        self.prompt = torch.randint(shape.vocab_size, (1, N_PROMPT), generator=generator)

    def hugging_face(self, **how: object) -> Tensor:
        """Return the tokens (N, n_new) that Hugging Face's model writes."""
        mask = torch.ones_like(self.prompt)
        ids = self.theirs.generate(self.prompt, attention_mask=mask, max_new_tokens=self.shape.n_new, **how)
        return ids[:, N_PROMPT:]

    def glassformer(self, greedy: bool) -> list[int]:
        """Return the tokens that our model writes."""
        steps = generate(self.ours, self.prompt[0], self.shape.n_new, greedy=greedy)
        return [int(step.token) for step in steps]

    def speculative(self, draft: Callable[[], TokenDrafter]) -> list[int]:
        """Return the tokens that our model writes greedily with speculative decoding."""
        steps = speculative_decode(self.ours, self.prompt[0], self.shape.n_new, draft(), greedy=True)
        return [int(step.token) for step in steps]

    def first_blocks(self, n_layer: int = 1) -> nn.Module:
        """Return a small model with the same vocabulary: ours without its later blocks, with shared weights."""
        small = copy.copy(self.ours)
        small._modules = dict(self.ours._modules) | {"blocks": self.ours.get_submodule("blocks")[:n_layer]}
        return small

    def without_cache(self) -> None:
        """Write greedily with our model without a cache, reading the whole text at each step."""
        anew, text = CachedModel(self.ours, cached=False), self.prompt[0].tolist()
        for _ in range(self.shape.n_new):
            text.append(int(anew.next_logits([text]).argmax()))

    def beam(self) -> None:
        beam.cached_beam_search(self.ours, self.prompt[0], 4, self.shape.n_new)

    def columns(self, strategies: tuple[Strategy, ...]) -> None:
        """Write with several strategies as one batch."""
        for _ in columns.generate_columns(self.ours, self.prompt[0].tolist(), strategies, self.shape.n_new):
            pass


@dataclass(frozen=True)
class Took:
    """The CPU seconds and wall-clock seconds of one run."""

    cpu: float
    wall: float


def timed(work: Callable[[], object]) -> Took:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Took(time.process_time() - cpu, time.perf_counter() - wall)


def in_turns(works: Mapping[str, Callable[[], object]], n_turn: int) -> dict[str, list[Took]]:
    """Time all alternately, n_turn times, after one warm-up run each."""
    for work in works.values():
        work()
    took: dict[str, list[Took]] = {name: [] for name in works}
    for _ in range(n_turn):
        for name, work in works.items():
            took[name].append(timed(work))
    return took


def check(pair: Pair) -> None:
    """Check that the two write the same tokens. Raises ValueError."""
    theirs, ours = pair.hugging_face(do_sample=False)[0].tolist(), pair.glassformer(greedy=True)
    if theirs != ours:
        raise ValueError(f"{pair.shape.name}: greedy tokens differ, so there is nothing to compare")
    print(f"{pair.shape.name}: all {len(ours)} greedy tokens are the same, {len(set(ours))} different ones", flush=True)


def measure(shape: Shape, n_turn: int) -> None:
    """Print the table of one shape."""
    pair = Pair(shape)
    if shape.dtype == torch.float32:  # with half precision, near ties may fall either way
        check(pair)
    works: dict[str, Callable[[], object]] = {
        "Hugging Face, greedy": partial(pair.hugging_face, do_sample=False),
        "Glassformer, greedy": partial(pair.glassformer, greedy=True),
        "Hugging Face, sampling": partial(pair.hugging_face, do_sample=True, top_k=0),
        "Glassformer, sampling": partial(pair.glassformer, greedy=False),
        "Hugging Face, beam of 4": partial(pair.hugging_face, do_sample=False, num_beams=4),
        "Glassformer, beam of 4": pair.beam,
        "one strategy": partial(pair.columns, SIX[1:2]),
        "six strategies at once": partial(pair.columns, SIX),
    }
    if shape.d_model < 512:  # larger ones would take minutes
        works["Hugging Face, no cache"] = partial(pair.hugging_face, do_sample=False, use_cache=False)
        works["Glassformer, no cache"] = pair.without_cache
    took = in_turns(works, n_turn)
    base = took["Hugging Face, greedy"]
    print(f"\n{shape.name}, {str(shape.dtype).removeprefix('torch.')}, {shape.n_new} new tokens")
    print(f"{'':<28}{'tokens/CPU s':>14}{'tokens/s':>11}{'times greedy HF':>18}{'range':>14}")
    for name, runs in took.items():
        ratios = [one.cpu / run.cpu for one, run in zip(base, runs, strict=True)]
        cpu, wall = (shape.n_new / median(getattr(run, clock) for run in runs) for clock in ("cpu", "wall"))
        spread = f"{min(ratios):.2f}-{max(ratios):.2f}"
        print(f"{name:<28}{cpu:>14,.1f}{wall:>11,.1f}{median(ratios):>18.2f}{spread:>14}")
    for ours, other, what in (
        ("Glassformer, sampling", "Hugging Face, sampling", "sampling is {:.2f} times as fast"),
        ("Glassformer, beam of 4", "Hugging Face, beam of 4", "a beam of 4 is {:.2f} times as fast"),
        ("one strategy", "six strategies at once", "six strategies cost {:.2f} times what one costs"),
    ):
        print("  " + what.format(median(b.cpu / a.cpu for a, b in zip(took[ours], took[other], strict=True))))


def measure_guessing(shape: Shape, n_turn: int) -> None:
    """Print the table of speculative decoding. Raises ValueError if it does not write the same tokens."""
    pair = Pair(replace(shape, positions=QUIET))
    check(pair)
    works = {
        "Hugging Face, greedy": partial(pair.hugging_face, do_sample=False),
        "Glassformer, greedy": partial(pair.glassformer, greedy=True),
        "guesses by look-up": partial(pair.speculative, NGramLookUp),
        "guesses by its first block": partial(pair.speculative, partial(ModelDraft, pair.first_blocks())),
    }
    plain = pair.glassformer(greedy=True)
    if any(works[name]() != plain for name in list(works)[2:]):
        raise ValueError(f"{shape.name}: speculative decoding writes other tokens")
    took = in_turns(works, n_turn)
    n_kind = len(set(plain))
    print(f"\n{shape.name}, a text that falls into a loop: {n_kind} kinds of tokens among {shape.n_new} new ones")
    for name, runs in took.items():
        for other in ("Hugging Face, greedy", "Glassformer, greedy"):
            ratios = [b.cpu / a.cpu for a, b in zip(runs, took[other], strict=True)]
            print(f"{name:<28}{median(ratios):>8.2f} times {other}, {min(ratios):.2f}-{max(ratios):.2f}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one turn, a tenth of the tokens")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", choices=["small", "large", "bfloat16"], help="one table alone")
    options = parser.parse_args()
    print(f"{platform.machine()}, {platform.system()}, torch {torch.__version__}, one thread", flush=True)
    shapes = {"small": SMALL, "large": LARGE, "bfloat16": Shape(**vars(LARGE) | {"dtype": torch.bfloat16})}
    with single_torch_thread():
        for name, shape in shapes.items():
            if options.only in (None, name):
                n_new = shape.n_new // 10 if options.quick else shape.n_new
                n_turn = 1 if options.quick else options.turns
                measure(replace(shape, n_new=n_new), n_turn)
                if shape.dtype == torch.float32:
                    measure_guessing(replace(shape, n_new=n_new), n_turn)


if __name__ == "__main__":
    main()
