"""Text of tokens that come one by one, as when a model writes.

`decode` of one token isn't its part of the text: a character may be spread over several tokens, a space may belong to
what stands before it, and a mark such as `##` says how two tokens are joined. So what is shown piece by piece goes
through a `TextStream`, everywhere.
"""

from collections.abc import Iterable, Iterator

from core.data.tokenizers.base import Tokenizer

LONGEST = 128  # tokens that are decoded again for each new one; beyond, all but the last ones are left behind
KEPT = 32


class TextStream:
    """The pieces that `push` and `finish` return, joined, are the `decode` of all tokens, behind that of `before`.

    A character whose bytes aren't all there yet waits, and so do bytes that a SentencePiece tokenizer spells, until
    another token follows: if one of them is wrong, all of them are shown as `�`.

    Args:
        tokenizer: any.
        before: ids of a text that is on the screen already, such as the prompt.
    """

    def __init__(self, tokenizer: Tokenizer, before: Iterable[int] = ()) -> None:
        self._tokenizer = tokenizer
        self._ids: list[int] = []
        self._is_open = False  # whether the last token that is text is a byte of a run
        for token in before:
            self._take(token)
        self._n_told = len(tokenizer.decode(self._ids))

    def push(self, token: int) -> str:
        """What is certain of the text with one more token; "" while a character is incomplete."""
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
        """What is left once no token follows; an incomplete character is `�`."""
        piece = self._tokenizer.decode(self._ids)[self._n_told :]
        self._n_told += len(piece)
        return piece

    def _take(self, token: int) -> None:
        self._ids.append(int(token))
        in_run = getattr(self._tokenizer, "in_byte_run", None)
        found = in_run(int(token)) if in_run is not None else False
        self._is_open = self._is_open if found is None else found

    def _leave_behind(self) -> None:
        """A token's text depends on few before it, but whether it is the first: so there must be text before it."""
        kept = self._ids[-KEPT:]
        text = self._tokenizer.decode(kept)
        if text.strip():
            self._ids, self._n_told = kept, len(text)


def stream_text(tokenizer: Tokenizer, ids: Iterable[int], before: Iterable[int] = ()) -> Iterator[str]:
    """The pieces of a text as its tokens come, none of them empty; see `TextStream`."""
    stream = TextStream(tokenizer, before)
    for token in ids:
        if piece := stream.push(token):
            yield piece
    if piece := stream.finish():
        yield piece


def continuation(tokenizer: Tokenizer, before: Iterable[int], new: Iterable[int]) -> str:
    """The text that new tokens add to a text, with the space or the rest of a character that joins the two."""
    known = list(before)
    return tokenizer.decode([*known, *new])[len(tokenizer.decode(known)) :]
