"""Span corruption, the training objective of an encoder-decoder on a text: write the missing spans.

About 15% of the tokens of each window are removed, in spans of three on average. The encoder reads one sentinel in
place of each span; the decoder writes the sentinels, each followed by the missing tokens, and one more as the end.

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

from core.data.printable import printable_text
from core.data.tokenizers import SentinelTokenizer
from core.data.tokenizers.tokenizer_base import ids_before_end
from core.generate.seq2seq import greedy_decode
from core.models.recurrent_seq2seq import shift_right
from core.train.objectives import VALIDATION_SEED
from core.train.tasks.answer_objective import QuestionBatch
from core.train.tasks.defaults import span_counts, span_input_and_target_lengths


def _noise_mask(n_row: int, n_token: int, generator: torch.Generator) -> Bool[Tensor, "B T"]:
    """Draw which tokens are removed (True), with the numbers of tokens and spans per row from `span_counts`.

    Each row begins with a token that stays and ends with a span; all such choices are equally probable. In a row of
    fewer than 30 tokens, which has one span, it is the last few tokens.

    Source: the authors' random_spans_noise_mask (text-to-text-transfer-transformer, t5/data/preprocessors.py).
    """
    n_noise, n_span = span_counts(n_token)
    kept, taken = (_parted(n_row, n, n_span, generator) for n in (n_token - n_noise, n_noise))  # (B, n_span) each
    ends = torch.stack([kept, taken], -1).flatten(1).cumsum(-1)  # (B, 2 n_span): of kept and removed parts alternately
    places = torch.arange(n_token).expand(n_row, -1).contiguous()
    return torch.searchsorted(ends, places, right=True) % 2 == 1


def _parted(n_row: int, n: int, n_part: int, generator: torch.Generator) -> Int[Tensor, "B n_part"]:
    """Split n tokens into parts of at least one, uniformly: the cuts are drawn without repetition."""
    order = torch.rand(n_row, n - 1, generator=generator).argsort(-1)
    cuts = order[:, : n_part - 1].sort(-1).values + 1
    return F.pad(F.pad(cuts, (1, 0)), (0, 1), value=n).diff(dim=-1)


def _corrupt_spans(
    ids: Int[Tensor, "B T"], noise: Bool[Tensor, "B T"], sentinels: range
) -> tuple[Int[Tensor, "B S"], Int[Tensor, "B A"]]:
    """Return the encoder's input and the decoder's target: the spans of each are sentinels in the other.

    Args:
        ids: the text.
        noise: from `_noise_mask`.
        sentinels: ids of all sentinels; the one after the last span's ends the answer.
    """
    n_span = int((noise[0] & ~F.pad(noise[0, :-1], (1, 0))).sum())
    end = ids.new_full((len(ids), 1), sentinels[n_span])
    return _with_sentinels(ids, noise, sentinels), torch.cat([_with_sentinels(ids, ~noise, sentinels), end], 1)


def _with_sentinels(ids: Int[Tensor, "B T"], away: Bool[Tensor, "B T"], sentinels: range) -> Int[Tensor, "B n"]:
    """Replace each span where `away` is True by a sentinel."""
    begins = away & ~F.pad(away[:, :-1], (1, 0))
    marked = torch.where(begins, begins.cumsum(-1) - 1 + sentinels[0], ids)
    return marked[~away | begins].view(len(ids), -1)  # as many in each row


@dataclass(frozen=True)
class FillSpansObjective:
    """An objective of `core.train.run`: write the missing spans. Losses are nats per target token, with sentinels.

    Seed and step determine the spans.
    """

    context_length: int
    tokenizer: SentinelTokenizer
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
        asked = self._ask(ids, starts, [VALIDATION_SEED])
        total = 0.0
        for source, read, targets in zip(
            *(one.split(batch_size) for one in (*asked.inputs, asked.targets)), strict=True
        ):
            logits = forward(source, read).float().flatten(0, 1)
            total += float(F.cross_entropy(logits, targets.flatten(), reduction="sum"))
        return total / asked.targets.numel()

    def n_asked(self, starts: Int[Tensor, " W"]) -> int:
        return len(starts) * span_input_and_target_lengths(self.context_length)[1]

    def ask(self, text: Int[Tensor, "B T"], seed: list[int]) -> QuestionBatch:
        """Remove random spans from texts; they are drawn on the CPU, so they are the same on every device."""
        generator = torch.Generator().manual_seed(int(np.random.default_rng(seed).integers(2**32)))
        noise = _noise_mask(len(text), text.shape[1], generator)
        source, targets = _corrupt_spans(text.cpu(), noise, self.tokenizer.sentinels)
        read = shift_right(targets, self.tokenizer.start_id)
        moved = (tensor.to(text.device) for tensor in (source, read))
        return QuestionBatch(tuple(moved), targets.to(text.device))

    def probe(self, text: Int[Tensor, " T"]) -> QuestionBatch:
        """Prepare the probe sentence, always with the same missing spans."""
        return self.ask(text[None], [VALIDATION_SEED])

    def _ask(self, ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], seed: list[int]) -> QuestionBatch:
        return self.ask(ids.unfold(0, self.context_length, 1)[starts], seed)

    def told(self, model: nn.Module, text: Int[Tensor, " T"]) -> str:
        """Return the sentence with numbered gaps, the model's own text for each, and the true text if that is wrong."""
        asked, decode = self.probe(text), self.tokenizer.base.decode
        (source,), (*answer, end_id) = asked.inputs[0].tolist(), asked.targets[0].tolist()
        ends = {"start_id": self.tokenizer.start_id, "end_id": end_id, "max_new_tokens": 2 * len(answer)}
        written = ids_before_end(greedy_decode(model, asked.inputs[0], **ends)[0].tolist(), end_id)  # type: ignore[arg-type]
        kept, spans, guesses = (self._parts(ids) for ids in (source, answer, written))
        sentence, lines = decode(kept[None]), []
        for n, span in spans.items():
            if n is None:  # there is nothing before the first sentinel
                continue
            was, guess = decode(span), decode(guesses.get(n, []))
            sentence += " " * was.startswith(" ") + _sentinel_label(n) + decode(kept[n])
            is_right = guesses.get(n) == span
            correction = "" if is_right else f"   ({self._quoted(was)})"
            lines.append(f"{'✓' if is_right else '✗'}  {_sentinel_label(n)} {self._quoted(guess)}{correction}")
        return "\n".join([sentence.strip("\n"), *lines])

    def names(self, ids: list[int]) -> list[str]:
        """Return the printable tokens of the encoder's and then the decoder's input; sentinels are shown as gaps."""
        special = {self.tokenizer.start_id: "⟨start⟩"} | {
            i: _sentinel_label(n) for n, i in enumerate(self.tokenizer.sentinels)
        }
        return [special.get(i) or name for i, name in zip(ids, self.tokenizer.tokens(ids), strict=True)]

    def _parts(self, ids: list[int]) -> dict[int | None, list[int]]:
        """Split ids at sentinels: number of a sentinel -> the tokens after it; None -> those before the first."""
        parts: dict[int | None, list[int]] = {None: []}
        part = parts[None]
        for i in ids:
            if i in self.tokenizer.sentinels:
                part = parts.setdefault(i - self.tokenizer.sentinels[0], [])
            elif i != self.tokenizer.start_id:
                part.append(i)
        return parts

    def _quoted(self, text: str) -> str:
        """Quote a text; a leading space belongs to a word, but among letters it is a character of its own."""
        text = text if self.tokenizer.kind == "char" else text.removeprefix(" ")
        return f"“{printable_text(text)}”".replace("\n", "⏎")


def _sentinel_label(n: int) -> str:
    """Return the display form of a span's sentinel."""
    return f"⟨{n + 1}⟩"
