"""The speed of n-gram counting, compared with NLTK on a small slice of the same text.

    python -m benchmarks.ngrams [text file]

Fits the orders 2, 3 and 5 on 1,000,000 characters and computes the perplexity of 100,000 more, on one thread; then both
libraries on one slice with add-0.1 counts, as ratios.

Kneser-Ney runs with `uniform=True`. Without it, a character that never follows another one in the counted text has
probability 0, and the perplexity of a text with such a character is infinite, both in NLTK and here
(test_ngram_nltk.py); the first line prints their number.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from core.data import corpora, tokenizers
from core.models.ngram import NGram, Smoothing

N_FIT, N_TRY = 1_000_000, 100_000
SLICE_FIT, SLICE_TRY = 30_000, 3_000
GAMMA = 0.1
SMOOTHINGS: dict[Smoothing, dict[str, float]] = {"interpolated": {}, "kneser_ney": {"uniform": True}}


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds, the best of three, and the result."""
    taken, result = [], None
    for _ in range(3):
        start = time.process_time()
        result = work()
        taken.append(time.process_time() - start)
    return min(taken), result


def nltk_once(text: str, new: str, order: int) -> tuple[float, float]:
    """Return NLTK's CPU seconds to fit, and to score all n-grams of a new text."""
    from nltk.lm import Lidstone  # type: ignore[import-untyped]
    from nltk.util import everygrams, ngrams  # type: ignore[import-untyped]

    model = Lidstone(GAMMA, order)
    start = time.process_time()
    model.fit([list(everygrams(text, max_len=order))], vocabulary_text=text)
    fitted = time.process_time()
    model.perplexity(list(ngrams(new, order)))
    return fitted - start, time.process_time() - fitted


def main() -> None:
    torch.set_num_threads(1)
    text = Path(sys.argv[1]).read_text("utf-8") if len(sys.argv) > 1 else corpora.load("python-library").text
    tokenizer = tokenizers.train_tokenizer("char", text)
    ids = np.array(tokenizer.encode(text[: N_FIT + N_TRY]))
    n_fit = len(ids) - N_TRY
    n_new = int((~np.isin(ids[n_fit:], ids[1:n_fit])).sum())
    print(f"{n_fit:,} characters counted, {N_TRY:,} tried ({n_new} of them new), {tokenizer.vocab_size} different")
    print("CPU seconds, one thread, and the perplexity")
    for order in (2, 3, 5):
        for smoothing, options in SMOOTHINGS.items():
            model = NGram(order, tokenizer.vocab_size, smoothing, **options)
            fit, _ = seconds(partial(model.fit, ids[:n_fit]))
            score, perplexity = seconds(partial(model.perplexity, ids[n_fit:]))
            print(f"  order {order} {smoothing:>12}: fit {fit:.3f}  perplexity {score:.3f}  ({perplexity:.3f})")
    print(f"compared with NLTK, add-{GAMMA}: {SLICE_FIT:,} characters counted, {SLICE_TRY:,} tried")
    for order in (2, 3, 5):
        model = NGram(order, tokenizer.vocab_size, "lidstone", gamma=GAMMA)
        fit, _ = seconds(partial(model.fit, ids[:SLICE_FIT]))
        score, _ = seconds(partial(model.perplexity, ids[SLICE_FIT : SLICE_FIT + SLICE_TRY]))
        theirs = nltk_once(text[:SLICE_FIT], text[SLICE_FIT : SLICE_FIT + SLICE_TRY], order)
        print(f"  order {order}: fit {theirs[0] / fit:,.0f} times as fast, perplexity {theirs[1] / score:,.0f} times")


if __name__ == "__main__":
    main()
