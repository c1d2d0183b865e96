"""Speculative decoding: a cheap draft guesses the next tokens, and the model verifies all guesses in one pass.

Each token is chosen from the model's own logits exactly as in `generate`, with the same filters and the same random
numbers. The guesses only decide how many tokens a pass yields: all up to the first wrong guess, and one token more. So
a bad draft costs time, but never changes the text.

    steps = speculate(model, ids, 100, NGramLookUp(), greedy=True)
    steps = speculate(model, ids, 100, ModelDraft(small_model), seed=3)

Source: Leviathan, Kalman and Matias 2022 (2211.17192), where guesses are accepted at random so that the distribution
stays the same; here they are accepted only if they equal the chosen token, so the text stays the same. Look-up: Saxena
2023, prompt lookup decoding.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from torch import Tensor, nn

from core.data.checks import check_whole
from core.generate.cache import CachedModel
from core.generate.decode import (
    EndTokens,
    LogitsFilter,
    Step,
    TokenChooser,
    check_generation_request,
    step_without_batch_dimension,
)


class TokenDrafter(Protocol):
    """An object that guesses how a text continues."""

    def guess(self, text: Sequence[int], n: int) -> list[int]:
        """Return at most n tokens, possibly none."""
        ...


class NGramLookUp:
    """A draft that finds an earlier occurrence of the last tokens and guesses that the text continues as it did there.

    Args:
        longest: number of last tokens that are looked for first; then fewer, down to one.

    Source: Saxena 2023, prompt lookup decoding.
    """

    def __init__(self, longest: int = 3):
        self.longest = check_whole("longest", longest, 1)
        self._text: list[int] = []
        self._behind: dict[tuple[int, ...], int] = {}  # n-gram -> the last position of the token after it

    def guess(self, text: Sequence[int], n: int) -> list[int]:
        text = list(text)
        if text[: len(self._text)] != self._text:  # a different text
            self._text, self._behind = [], {}
        for end in range(max(1, len(self._text)), len(text)):  # n-grams that end before the last token
            for size in range(1, min(self.longest, end) + 1):
                self._behind[tuple(text[end - size : end])] = end
        self._text = text
        for size in range(min(self.longest, len(text) - 1), 0, -1):
            start = self._behind.get(tuple(text[-size:]))
            if start is not None:
                guessed: list[int] = []
                for place in range(start, start + n):  # past the end of the text it reads what it has just guessed
                    guessed.append(text[place] if place < len(text) else guessed[place - len(text)])
                return guessed
        return []


class ModelDraft:
    """A draft that guesses the most probable tokens of a smaller model with the same vocabulary."""

    def __init__(self, model: nn.Module):
        self._model = CachedModel(model)

    def guess(self, text: Sequence[int], n: int) -> list[int]:
        longer = list(text)
        for _ in range(n):
            longer.append(int(self._model.next_logits([longer]).argmax()))
        return longer[len(text) :]


def speculative_decode(
    model: nn.Module,
    ids: Tensor | Sequence[int],
    max_new_tokens: int,
    draft: TokenDrafter,
    *,
    n_draft: int = 8,
    filters: Sequence[LogitsFilter] = (),
    greedy: bool = False,
    seed: int = 0,
    eos_id: EndTokens = None,
) -> Iterator[Step]:
    """Continue a single prompt token by token, with the same steps as `generate` but fewer forward passes.

    Reading several tokens at once changes the rounding of their logits in the last digits, as in any batch.

    Args:
        model, max_new_tokens, filters, greedy, seed, eos_id: as in `generate`.
        ids: one prompt (T,).
        draft: makes the guesses.
        n_draft: maximum number of guesses per pass. After a wrong guess, the next pass has one guess more than were
            right; after a pass without a wrong guess, it has twice as many.

    Raises:
        ValueError, TypeError: like `generate`; ValueError also if there are several prompts or n_draft is below 1.
    """
    single, prompts = check_generation_request(model, ids, max_new_tokens, filters, seed, eos_id)
    if not single:
        raise ValueError(f"speculative decoding continues one prompt, not {len(prompts)}")
    chooser = TokenChooser(filters, greedy, [seed], eos_id)
    return _steps(CachedModel(model), prompts[0], max_new_tokens, draft, check_whole("n_draft", n_draft, 1), chooser)


def _steps(
    cached: CachedModel, text: list[int], max_new_tokens: int, draft: TokenDrafter, n_draft: int, chooser: TokenChooser
) -> Iterator[Step]:
    end, n_guess = len(text) + max_new_tokens, n_draft
    while len(text) < end:
        n = min(n_guess, end - len(text) - 1)
        if cached.context_length is not None:  # beyond it the window moves, and every token is recomputed
            n = min(n, cached.context_length - len(text))
        guesses = draft.guess(text, n)[:n] if n > 0 and cached.can_look_back(len(text) + n) else []
        logits = cached.last_logits(text + guesses, len(guesses) + 1)  # (n + 1, V)
        for n_right, row in enumerate(logits.split(1)):
            step = chooser.next(row, [text])
            text.append(int(step.token))
            yield step_without_batch_dimension(step)
            if bool(step.ended):
                return
            if n_right < len(guesses) and text[-1] != guesses[n_right]:
                n_guess = n_right + 1
                break
        else:
            n_guess = min(n_draft, 2 * n_guess)
