"""What a tokenizer makes of a text: its tokens, their ids, and what is lost."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.data.printable import clean, printable
from core.data.tokenizers import Tokenizer

MOST_QUOTED = 24  # characters of an unknown piece that are shown: a longer one fills the line


@dataclass(frozen=True)
class Tokenization:
    """A text cut by one tokenizer."""

    ids: tuple[int, ...]  # (T,)
    tokens: tuple[str, ...]  # (T,) printable
    pieces: tuple[str, ...]  # (T,) what stood in the text; differs from the token only where the piece is unknown
    n_character: int  # characters of the text: Unicode code points, so an emoji may count as several
    vocab_size: int  # tokens that the tokenizer knows
    n_unknown: int  # tokens that stand for something unknown: there the text is lost

    @property
    def n_token(self) -> int:
        return len(self.ids)

    @property
    def characters_per_token(self) -> float:
        """nan for an empty text."""
        return self.n_character / self.n_token if self.n_token else float("nan")

    @property
    def ratio(self) -> str:
        """The same in words."""
        return f"{self.characters_per_token:.2f}" if self.n_token else "–"


def tokenize(tokenizer: Tokenizer, text: str) -> Tokenization:
    """Cut a text. Lone surrogates become `�` first, as every tokenizer does (see `core.data.printable`)."""
    ids = tokenizer.encode(text)
    tokens = tokenizer.tokens(ids)
    unknown = getattr(tokenizer, "unknown_id", None)  # byte tokenizers have none: every byte is a token
    pieces = tokens if unknown is None else [_quoted(piece) for piece in _split(tokenizer, text)]
    n_unknown = 0 if unknown is None else ids.count(unknown)
    return Tokenization(tuple(ids), tuple(tokens), tuple(pieces), len(clean(text)), tokenizer.vocab_size, n_unknown)


def _split(tokenizer: Tokenizer, text: str) -> Iterable[str]:
    split = getattr(tokenizer, "split")  # noqa: B009  (only tokenizers with a list of pieces have it)
    pieces: Iterable[str] = split(clean(text))
    return pieces


def _quoted(piece: str) -> str:
    return printable(piece[:MOST_QUOTED]) + ("…" if len(piece) > MOST_QUOTED else "")
