"""Decoding of tokens that arrive one by one, as when a model writes.

`decode` of one token isn't its part of the text: a character may be spread over several tokens, a space may belong to
the token before it, and a mark such as `##` says how two tokens are joined. So text that is shown piece by piece always
goes through a `StreamingDetokenizer`.
"""

from collections.abc import Iterable, Iterator

from core.data.tokenizers.tokenizer_base import Tokenizer

LONGEST = 128  # tokens that are decoded again for each new one; beyond that, only the last ones are kept
KEPT = 32


class StreamingDetokenizer:
    """A stream of text pieces: those of `push` and `finish`, joined, are the `decode` of all tokens after `before`.

    An incomplete character waits until its bytes are complete. Bytes that a SentencePiece tokenizer spells wait until
    another token follows, because all of them are shown as `�` if one of them is wrong.

    Args:
        tokenizer: any tokenizer.
        before: ids of a text that is already on the screen, such as the prompt.
    """

    def __init__(self, tokenizer: Tokenizer, before: Iterable[int] = ()) -> None:
        self._tokenizer = tokenizer
        self._ids: list[int] = []
        self._is_open = False  # whether the last token that is text is a byte of a run
        for token in before:
            self._take(token)
        self._n_told = len(tokenizer.decode(self._ids))

    def push(self, token: int) -> str:
        """Add a token, and return the text that is now certain; "" while a character is incomplete."""
        self._take(token)
        text = self._tokenizer.decode(self._ids)
        if self._is_open:
            return ""
        piece = text[self._n_told : len(text) - text.endswith("�")]
        self._n_told += len(piece)
        if len(self._ids) > LONGEST and self._n_told == len(text):
            self._leave_behind()
        return piece

    def finish(self) -> str:
        """Return the rest of the text when no more tokens follow; an incomplete character becomes `�`."""
        piece = self._tokenizer.decode(self._ids)[self._n_told :]
        self._n_told += len(piece)
        return piece

    def _take(self, token: int) -> None:
        self._ids.append(int(token))
        in_run = getattr(self._tokenizer, "in_byte_run", None)
        found = in_run(int(token)) if in_run is not None else False
        self._is_open = self._is_open if found is None else found

    def _leave_behind(self) -> None:
        """Drop old tokens, but keep enough that there is text before the next one.

        A token's text depends only on a few tokens before it, and on whether it is the first.
        """
        kept = self._ids[-KEPT:]
        text = self._tokenizer.decode(kept)
        if text.strip():
            self._ids, self._n_told = kept, len(text)


def stream_decoded_text(tokenizer: Tokenizer, ids: Iterable[int], before: Iterable[int] = ()) -> Iterator[str]:
    """Yield the pieces of a text as its tokens arrive, none of them empty; see `StreamingDetokenizer`."""
    stream = StreamingDetokenizer(tokenizer, before)
    for token in ids:
        if piece := stream.push(token):
            yield piece
    if piece := stream.finish():
        yield piece


def decode_continuation(tokenizer: Tokenizer, before: Iterable[int], new: Iterable[int]) -> str:
    """Return the text that new tokens add, with the space or the rest of a character that joins it to the old text."""
    known = list(before)
    return tokenizer.decode([*known, *new])[len(tokenizer.decode(known)) :]
