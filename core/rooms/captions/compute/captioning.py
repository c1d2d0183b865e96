"""A captioner run on one or two pictures: its caption, its confidence, and the patches that each word reads."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, memoize
from core.inspect.model_inputs.input_pictures import InputPicture
from core.models.images.captioner import Captioner
from core.nn.masks import causal
from core.nn.tap import Trace
from core.rooms.captions.compute import captions
from core.rooms.captions.compute.captions import BOLD, END, LEANING, MAX_WORDS, PARTS, START
from core.rooms.captions.experiments import captions as task
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
KEEP_MODES = ("vectors", "words")  # the state from the first picture that is kept after a swap


class CaptionSteps(Result):
    """A caption word by word; row t is the step that writes word t."""

    ids: NDArray[np.int64]  # (T,) the words, including the full stop if it was reached
    probabilities: NDArray[np.float32]  # (T, V) next-word probabilities at each step
    weights: NDArray[np.float32]  # (L, H, T, S) the decoder's cross-attention to the patches at each step
    reads: NDArray[np.int64]  # (T,) the picture that each step reads, 0 or 1
    words: list[str]
    text: str  # the words as a line
    sure: NDArray[np.float32]  # (T,) the probability of each generated word

    def table(self) -> Table:
        """Return each word with its probability and the patch with the highest attention weight."""
        mean = self.weights.mean((0, 1))  # (T, P)
        return {
            LABELS["table.word"]: self.words,
            LABELS["table.probability"]: self.sure.tolist(),
            LABELS["table.patch"]: mean.argmax(1).tolist(),
            LABELS["table.weight"]: mean.max(1).tolist(),
        }


@torch.no_grad()
def write_caption(model: Captioner, shades: NDArray[np.float32]) -> CaptionSteps:
    """Return the caption that the model generates greedily for a picture.

    Args:
        shades: (1, C, Y, X) the picture.
    """
    return swap_picture(model, shades, shades, MAX_WORDS)


@torch.no_grad()
def swap_picture(
    model: Captioner, first: NDArray[np.float32], second: NDArray[np.float32], word: int, keep: str = "vectors"
) -> CaptionSteps:
    """Return the caption if the picture is swapped in mid-sentence: steps from `word` on read the second picture.

    The words before `word` were generated from the first picture, and are kept. `keep` decides what else is kept:

    - "vectors": the decoder's own vectors at these words, computed while it read the first picture. Its self-attention
    still reads them, as it would with a cache;
    - "words": nothing else; the decoder now reads the second picture at these words, too.

    Args:
        first, second: (1, C, Y, X) pictures.

    Raises:
        ValueError: if `keep` is unknown, or `word` is out of range.
    """
    if keep not in KEEP_MODES:
        raise ValueError(f"keep={keep!r} is not one of {', '.join(KEEP_MODES)}")
    if not 0 <= word <= MAX_WORDS:
        raise ValueError(f"word {word}: from 0 to {MAX_WORDS} are possible")
    memory = torch.cat([model.encode(torch.from_numpy(np.array(one))) for one in (first, second)], 1)  # (1, 2S, D)
    n_memory = memory.shape[1] // 2
    ids = torch.full((1, 1), START)
    rows: list[Tensor] = []
    for t in range(MAX_WORDS):
        # Before the swap all steps read the first picture, whatever is kept of it later.
        reads = torch.arange(t + 1) >= word if keep == "vectors" or t < word else torch.ones(t + 1, dtype=torch.bool)
        with Trace(model) as trace:
            logits = _decode(model, ids, memory, reads)
        rows.append(logits[0, -1].softmax(-1))
        ids = torch.cat([ids, logits[:, -1:].argmax(-1)], 1)
        if int(ids[0, -1]) == END:
            break
    n_layer = len(model.decoder.blocks)
    both = torch.cat([trace[f"decoder.blocks.{layer}.cross_attn.weights"] for layer in range(n_layer)])  # (L, H, T, 2S)
    turn = np.arange(len(rows)) >= word
    # Weights as they were when each word was generated: with keep="words" the steps before the swap read the first one.
    if keep == "words" and turn.any() and not turn.all():
        before = swap_picture(model, first, second, MAX_WORDS).weights[:, :, : int((~turn).sum())]
        after = both.numpy()[:, :, turn, n_memory:]
        weights = np.concatenate([before, after], 2)
    else:
        whole = both.numpy()
        weights = np.where(turn[None, None, :, None], whole[..., n_memory:], whole[..., :n_memory])
    written, probabilities = ids[0, 1:].numpy(), torch.stack(rows).numpy()
    words = [captions.WORDS.words[i] for i in written]
    return CaptionSteps(
        ids=written,
        probabilities=probabilities,
        weights=np.ascontiguousarray(weights),
        reads=turn.astype(np.int64),
        words=words,
        text=captions.caption_text(words),
        sure=probabilities[np.arange(len(written)), written],
    )


def _decode(model: Captioner, ids: Tensor, memory: Tensor, reads: Tensor) -> Tensor:
    """Return logits (1, T, V) where step t reads the second half of the memory if `reads[t]`, else the first half."""
    n = memory.shape[1] // 2
    is_second = torch.arange(2 * n) >= n
    mask = (reads[:, None] == is_second)[None, None]  # (1, 1, T, 2S)
    x = model.decoder(model.embed(ids), causal(ids.shape[1]), memory, mask)
    logits: Tensor = model.unembed(x)
    return logits


@memoize(64)
def swapped_caption(
    run: ExperimentRun, first: InputPicture, second: InputPicture, word: int, keep: str
) -> CaptionSteps:
    """Return the trained captioner's caption if the picture is swapped in mid-sentence."""
    return swap_picture(task.trained_captioner(run), first.shades, second.shades, word, keep)


def picture_caption(run: ExperimentRun, picture: InputPicture) -> CaptionSteps:
    """Return the trained captioner's caption of one picture."""
    return swapped_caption(run, picture, picture, MAX_WORDS, KEEP_MODES[0])


class CaptionErrors(Result):
    """The wrong captions, and their errors."""

    which: NDArray[np.int64]  # (N,) indices of the digits, ascending
    wrong: NDArray[np.bool_]  # (N, 3) whether digit, ink, slant are wrong
    distance: NDArray[np.float64]  # (N, 2) the distance of ink and slant from the nearest threshold, in their own units
    odd: NDArray[np.bool_]  # (N,) True if all three are right but the sentence is not

    def off(self, part: int) -> float:
        """Return the mean distance of ink (1) or slant (2) from the threshold where they are wrong."""
        return float(self.distance[self.wrong[:, part], part - 1].mean())


def find_errors(written: NDArray[np.integer], true: NDArray[np.integer], pixels: NDArray[np.uint8]) -> CaptionErrors:
    """Compare captions with the true ones.

    Args:
        written, true: (N, T) ids.
        pixels: (N, 8, 8) the digits.
    """
    which = np.flatnonzero((written != true).any(1))
    said, asked = (
        [captions.caption_parts(captions.decode_caption(row)) for row in rows[which].tolist()]
        for rows in (written, true)
    )
    wrong = np.array([[a[i] != b[i] for i in range(len(PARTS))] for a, b in zip(said, asked, strict=True)], bool)
    wrong = wrong.reshape(-1, len(PARTS))
    return CaptionErrors(
        which=which, wrong=wrong, distance=threshold_distances(pixels[which]), odd=np.logical_not(wrong.any(1))
    )


def threshold_distances(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the distance of ink (full pixels) and slant (pixels per line) from the nearest threshold (N, 2)."""
    found = captions.measure_digits(pixels)
    slant = np.minimum(np.abs(found.slant - LEANING), np.abs(found.slant + LEANING))
    return np.stack([np.abs(found.ink - BOLD), slant], 1).reshape(-1, 2)


def most_frequent_caption(learned: NDArray[np.integer], asked: NDArray[np.integer]) -> tuple[list[str], float]:
    """Return the most frequent caption among those learned from, and its share of the `asked` captions."""
    rows, counts = np.unique(learned, axis=0, return_counts=True)
    best = rows[counts.argmax()]
    return captions.decode_caption(best.tolist()), float((asked == best).all(1).mean())
