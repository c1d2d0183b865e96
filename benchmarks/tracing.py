"""The cost of tracing: a forward pass that records everything, compared with a plain one and with Hugging Face.

    python -m benchmarks.tracing            # about two minutes
    python -m benchmarks.tracing --quick    # a few rounds, to check that everything works

Hugging Face makes a random GPT-2, and our GPT imports it like any other model. There are six ways to run the same text
through the same weights: ours plainly; ours under a `Trace` that records every attention map; ours under one that
records every named tensor (making the `Trace` counts both times); Hugging Face plainly as it comes, plainly with
explicit attention, and with `output_attentions=True`, which needs explicit attention ("eager"). Before anything is
timed, traced and plain logits of ours must be equal bit for bit, and logits and attention maps of the two programs
within 2e-5.

With one torch thread, the six run alternately, and the table has medians over the rounds of CPU milliseconds and of the
ratios within one round, so that a busy moment of the machine affects all equally.
"""

import argparse
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

import torch
from torch import Tensor, nn

from core.models.pretrained import model_from_state_dict
from core.nn.tap import Trace
from core.train.device import single_torch_thread
from core.train.malloc_settings import keep_freed_memory

MOST_OF_PLAIN = 1.3  # the allowed cost of a recorded pass, relative to a plain one
TOLERANCE = 2e-5  # of float32 logits and weights, see tests/library/parity

OURS, MAPS, ALL = "Glassformer, plain", "Glassformer, all attention maps", "Glassformer, all named tensors"
THEIRS, EAGER, ATTENTIONS = "Hugging Face, plain", "Hugging Face, plain, eager", "Hugging Face, output_attentions"


@dataclass(frozen=True)
class Shape:
    """A model to time."""

    name: str
    n_layer: int
    n_head: int
    d_model: int
    vocab_size: int
    n_turn: int


SMALL = Shape("4 layers x 128", n_layer=4, n_head=4, d_model=128, vocab_size=512, n_turn=200)
LARGE = Shape("GPT-2 small's shape", n_layer=12, n_head=12, d_model=768, vocab_size=50257, n_turn=15)
LENGTHS = (64, 256)


class Pair:
    """One set of weights in two programs.

    Args:
        shape: of the model.
        seed: of the weights.
    """

    def __init__(self, shape: Shape, seed: int = 0):
        from transformers import GPT2Config, GPT2LMHeadModel

        self.shape = shape
        sizes = GPT2Config(
            vocab_size=shape.vocab_size, n_positions=512, n_embd=shape.d_model, n_layer=shape.n_layer,
            n_head=shape.n_head, bos_token_id=None, eos_token_id=None, use_cache=False,
        )  # fmt: skip
        self.theirs = GPT2LMHeadModel(sizes).eval().requires_grad_(False)
        generator = torch.Generator().manual_seed(seed)
        for name, parameter in self.theirs.named_parameters():
            is_gain = "ln_" in name and "weight" in name
            parameter.normal_(1.0 if is_gain else 0.0, 0.06, generator=generator)
        self.eager = GPT2LMHeadModel._from_config(sizes, attn_implementation="eager").eval().requires_grad_(False)
        self.eager.load_state_dict(self.theirs.state_dict(), assign=True)
        self.ours: nn.Module = model_from_state_dict(sizes.to_dict(), self.theirs.state_dict())
        self.ours = self.ours.eval().requires_grad_(False)

    def traced(self, ids: Tensor, keep: tuple[str, ...]) -> tuple[Tensor, list[Tensor]]:
        """Return the logits (1, T, V) and the weights (1, H, T, T) of each layer."""
        with Trace(self.ours, keep=keep) as trace:
            logits = self.ours(ids)
        return logits, [trace[f"blocks.{n}.attn.weights"] for n in range(self.shape.n_layer)]

    def works(self, ids: Tensor) -> dict[str, Callable[[], object]]:
        """Return the six ways by name."""
        return {
            OURS: lambda: self.ours(ids),
            MAPS: lambda: self.traced(ids, keep=("attn.weights",)),
            ALL: lambda: self.traced(ids, keep=("",)),
            THEIRS: lambda: self.theirs(ids),
            EAGER: lambda: self.eager(ids),
            ATTENTIONS: lambda: self.eager(ids, output_attentions=True),
        }

    def check(self, ids: Tensor) -> None:
        """Check that all ways compute the same. Raises ValueError."""
        logits, maps = self.traced(ids, keep=("attn.weights",))
        if not torch.equal(logits, self.ours(ids)):
            raise ValueError(f"{self.shape.name}: recording changes the logits, so there is nothing to compare")
        theirs = self.eager(ids, output_attentions=True)
        pairs = [(logits, theirs.logits), *zip(maps, theirs.attentions, strict=True)]
        off = max(float((one - other).abs().max()) for one, other in pairs)
        if off > TOLERANCE:
            raise ValueError(f"{self.shape.name}: logits or maps differ by {off:.1e}, so there is nothing to compare")


def in_turns(works: Mapping[str, Callable[[], object]], n_turn: int) -> dict[str, list[float]]:
    """Return the CPU seconds of all, run alternately n_turn times after two warm-up runs each."""
    for _ in range(2):
        for work in works.values():
            work()
    took: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(n_turn):
        for name, work in works.items():
            before = time.process_time()
            work()
            took[name].append(time.process_time() - before)
    return took


def ratio(took: Mapping[str, list[float]], one: str, other: str) -> float:
    """Return the median ratio of two durations within one round."""
    return median(a / b for a, b in zip(took[one], took[other], strict=True))


def measure(pair: Pair, n_token: int, n_turn: int, seed: int = 1) -> tuple[float, float]:
    """Print one length's table.

    Returns:
        The pass with all maps in plain passes, and in passes of Hugging Face with `output_attentions`.
    """
    ids = torch.randint(pair.shape.vocab_size, (1, n_token), generator=torch.Generator().manual_seed(seed))
    with torch.inference_mode():
        pair.check(ids)
        took = in_turns(pair.works(ids), n_turn)
    print(f"\n{pair.shape.name}, {n_token} tokens, {n_turn} turns")
    print(f"{'':<36}{'CPU ms':>10}{'of ours, plain':>18}{'of HF attentions':>18}")
    for name, seconds in took.items():
        of_plain, of_theirs = ratio(took, name, OURS), ratio(took, name, ATTENTIONS)
        print(f"{name:<36}{1000 * median(seconds):>10.2f}{of_plain:>18.2f}{of_theirs:>18.2f}", flush=True)
    return ratio(took, MAPS, OURS), ratio(took, MAPS, ATTENTIONS)


def main() -> None:
    """Print the tables and a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the turns")
    parser.add_argument("--only", choices=["small", "large"], help="one model alone")
    options = parser.parse_args()
    print(f"{platform.machine()}, {platform.system()}, torch {torch.__version__}, one thread", flush=True)
    kept = True
    keep_freed_memory()  # as the server does; for both sides
    with single_torch_thread():
        for name, shape in {"small": SMALL, "large": LARGE}.items():
            if options.only in (None, name):
                pair = Pair(shape)
                for n_token in LENGTHS:
                    n_turn = max(3, shape.n_turn // 10) if options.quick else shape.n_turn
                    of_plain, of_theirs = measure(pair, n_token, n_turn)
                    kept = kept and of_plain <= MOST_OF_PLAIN and of_theirs < 1
    print(
        f"\na pass with all attention maps costs at most {MOST_OF_PLAIN} plain ones, and less than theirs: "
        f"{'yes' if kept else 'no'}"
    )


if __name__ == "__main__":
    main()
