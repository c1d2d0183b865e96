"""The counts of one text, made once, for n-gram models of every order and smoothing."""

from dataclasses import dataclass

from core.models.ngram import Ids, Level, NGram, Smoothing


@dataclass(frozen=True)
class Counts:
    """All n-grams of a text up to an order.

    A model of order n needs the n-grams of lengths 1 to n; so one of order 6 holds all that those below it need.
    Kneser-Ney alone counts its lower levels in another way: only its highest one is plain.
    """

    plain: tuple[Level, ...]  # one level per length; how often each n-gram occurs
    continuations: tuple[Level, ...]  # after how many different tokens each of them occurs; the longest as in `plain`
    vocab_size: int  # V

    @staticmethod
    def of(ids: Ids, vocab_size: int, max_order: int = 6) -> "Counts":
        """Count a text. Raises ValueError as `NGram.fit` does."""
        plain = NGram(max_order, vocab_size, "mle").fit(ids)
        kneser_ney = NGram(max_order, vocab_size, "kneser_ney").fit(ids)
        return Counts(tuple(plain.levels), tuple(kneser_ney.levels), vocab_size)

    def model(self, order: int, smoothing: Smoothing, **options: float) -> NGram:
        """What `NGram(order, vocab_size, smoothing, **options).fit(ids)` gives, without counting again.

        Raises:
            ValueError: if the order is larger than what was counted, or `NGram` refuses it.
        """
        if order > len(self.plain):
            raise ValueError(f"order={order}: only n-grams of up to {len(self.plain)} tokens were counted")
        model = NGram(order, self.vocab_size, smoothing, **options)
        below = self.continuations if smoothing == "kneser_ney" else self.plain
        model.levels = [*below[: order - 1], self.plain[order - 1]]
        return model
