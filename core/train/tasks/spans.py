"""What an encoder-decoder learns from a text: to write what stood in the spans that are missing.

Of each window about 15% of the tokens are taken out, in spans of three on average. In place of each span the encoder
reads one sentinel; the decoder writes the sentinels, each followed by what stood there, and one more as the end.

Tom and Mia <extra_id_0> near the park. Mia <extra_id_1> bench.
<extra_id_0> played <extra_id_1> hid under the <extra_id_2>

Source: Raffel et al. 2019 (1910.10683), sections 3.1.4 and 3.3.4.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from core.data.printable import printable
from core.data.tokenizers import SpanTokenizer
from core.data.tokenizers.base import until
from core.generate.seq2seq import greedy
from core.models.seq2seq import shift_right
from core.train.objectives import VALIDATION
from core.train.tasks.answers import Asked
from core.train.tasks.defaults import span_counts, span_sizes


def noise_mask(n_row: int, n_token: int, generator: torch.Generator) -> Bool[Tensor, "B T"]:
    """True where a token is taken out: as many tokens and spans in each row as `span_counts` tells.

    Each row begins with a token that stays and ends with a span; all ways to do so are equally likely. Of fewer than 30
    tokens, which have one span, that is the last few.

    Source: the authors' random_spans_noise_mask (text-to-text-transfer-transformer, t5/data/preprocessors.py).
    """
    n_noise, n_span = span_counts(n_token)
    kept, taken = (_parted(n_row, n, n_span, generator) for n in (n_token - n_noise, n_noise))  # (B, n_span) each
    ends = torch.stack([kept, taken], -1).flatten(1).cumsum(-1)  # (B, 2 n_span): of kept and taken parts in turn
    places = torch.arange(n_token).expand(n_row, -1).contiguous()
    return torch.searchsorted(ends, places, right=True) % 2 == 1


def _parted(n_row: int, n: int, n_part: int, generator: torch.Generator) -> Int[Tensor, "B n_part"]:
    """n tokens cut into parts of at least one, each way equally likely: where to cut is chosen without repetition."""
    order = torch.rand(n_row, n - 1, generator=generator).argsort(-1)
    cuts = order[:, : n_part - 1].sort(-1).values + 1
    return F.pad(F.pad(cuts, (1, 0)), (0, 1), value=n).diff(dim=-1)


def corrupt(
    ids: Int[Tensor, "B T"], noise: Bool[Tensor, "B T"], sentinels: range
) -> tuple[Int[Tensor, "B S"], Int[Tensor, "B A"]]:
    """What the encoder reads, and what the decoder shall write: spans of either kind become sentinels in the other.

    Args:
        ids: the text.
        noise: from `noise_mask`.
        sentinels: ids of all there are; the first one after the last span's ends the answer.
    """
    n_span = int((noise[0] & ~F.pad(noise[0, :-1], (1, 0))).sum())
    end = ids.new_full((len(ids), 1), sentinels[n_span])
    return _with_sentinels(ids, noise, sentinels), torch.cat([_with_sentinels(ids, ~noise, sentinels), end], 1)


def _with_sentinels(ids: Int[Tensor, "B T"], away: Bool[Tensor, "B T"], sentinels: range) -> Int[Tensor, "B n"]:
    """The tokens without the spans that are away, a sentinel in place of each."""
    begins = away & ~F.pad(away[:, :-1], (1, 0))
    marked = torch.where(begins, begins.cumsum(-1) - 1 + sentinels[0], ids)
    return marked[~away | begins].view(len(ids), -1)  # as many in each row


@dataclass(frozen=True)
class FillSpans:
    """An objective of `core.train.run`: what stood in the spans? Nats per token of the answers, sentinels among them.

    With the step, the seed draws the spans.
    """

    context_length: int
    tokenizer: SpanTokenizer
    seed: int
    label_smoothing: float = 0.0

    def loss(
        self, forward: Callable[..., Tensor], ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], step: int
    ) -> Float[Tensor, ""]:
        asked = self._ask(ids, starts, [self.seed, step])
        logits = forward(*asked.inputs).float().flatten(0, 1)  # (B A, V)
        return F.cross_entropy(logits, asked.targets.flatten(), label_smoothing=self.label_smoothing)

    @torch.no_grad()
    def evaluate(
        self, forward: Callable[..., Tensor], ids: Int[Tensor, " N"], starts: Int[Tensor, " W"], batch_size: int
    ) -> float:
        asked = self._ask(ids, starts, [VALIDATION])
        total = 0.0
        for source, read, targets in zip(
            *(one.split(batch_size) for one in (*asked.inputs, asked.targets)), strict=True
        ):
            logits = forward(source, read).float().flatten(0, 1)
            total += float(F.cross_entropy(logits, targets.flatten(), reduction="sum"))
        return total / asked.targets.numel()

    def n_asked(self, starts: Int[Tensor, " W"]) -> int:
        return len(starts) * span_sizes(self.context_length)[1]

    def ask(self, text: Int[Tensor, "B T"], seed: list[int]) -> Asked:
        """Texts with spans taken out, drawn on the CPU: the same on every device."""
        generator = torch.Generator().manual_seed(int(np.random.default_rng(seed).integers(2**32)))
        noise = noise_mask(len(text), text.shape[1], generator)
        source, targets = corrupt(text.cpu(), noise, self.tokenizer.sentinels)
        read = shift_right(targets, self.tokenizer.start_id)
        moved = (tensor.to(text.device) for tensor in (source, read))
        return Asked(tuple(moved), targets.to(text.device))

    def probe(self, text: Int[Tensor, " T"]) -> Asked:
        """One sentence to look at, always with the same spans missing."""
        return self.ask(text[None], [VALIDATION])

    def _ask(self, ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], seed: list[int]) -> Asked:
        return self.ask(ids.unfold(0, self.context_length, 1)[starts], seed)

    def told(self, model: nn.Module, text: Int[Tensor, " T"]) -> str:
        """The sentence with numbered gaps, what the model writes into each by itself, and what stood there."""
        asked, decode = self.probe(text), self.tokenizer.base.decode
        (source,), (*answer, end_id) = asked.inputs[0].tolist(), asked.targets[0].tolist()
        ends = {"start_id": self.tokenizer.start_id, "end_id": end_id, "max_new_tokens": 2 * len(answer)}
        written = until(greedy(model, asked.inputs[0], **ends)[0].tolist(), end_id)  # type: ignore[arg-type]
        kept, spans, guesses = (self._parts(ids) for ids in (source, answer, written))
        sentence, lines = decode(kept[None]), []
        for n, span in spans.items():
            if n is None:  # nothing stands before the first sentinel
                continue
            was, guess = decode(span), decode(guesses.get(n, []))
            sentence += " " * was.startswith(" ") + shown(n) + decode(kept[n])
            is_right = guesses.get(n) == span
            correction = "" if is_right else f"   ({self._quoted(was)})"
            lines.append(f"{'✓' if is_right else '✗'}  {shown(n)} {self._quoted(guess)}{correction}")
        return "\n".join([sentence.strip("\n"), *lines])

    def names(self, ids: list[int]) -> list[str]:
        """Printable tokens of what the encoder and then the decoder reads; sentinels are the gaps of `told`."""
        special = {self.tokenizer.start_id: "⟨start⟩"} | {i: shown(n) for n, i in enumerate(self.tokenizer.sentinels)}
        return [special.get(i) or name for i, name in zip(ids, self.tokenizer.tokens(ids), strict=True)]

    def _parts(self, ids: list[int]) -> dict[int | None, list[int]]:
        """Number of a sentinel -> the tokens that come after it; None -> those before the first."""
        parts: dict[int | None, list[int]] = {None: []}
        part = parts[None]
        for i in ids:
            if i in self.tokenizer.sentinels:
                part = parts.setdefault(i - self.tokenizer.sentinels[0], [])
            elif i != self.tokenizer.start_id:
                part.append(i)
        return parts

    def _quoted(self, text: str) -> str:
        """A space before a word belongs to it; among letters it is one of them."""
        text = text if self.tokenizer.kind == "char" else text.removeprefix(" ")
        return f"“{printable(text)}”".replace("\n", "⏎")


def shown(n: int) -> str:
    """The sentinel of a span, as people read it."""
    return f"⟨{n + 1}⟩"
