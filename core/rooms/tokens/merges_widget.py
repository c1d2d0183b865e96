"""The film of merges: play, step and scrub over a vocabulary being learned; nothing asks the server.

merges(film, key="born", label="A vocabulary is born")
"""

import hashlib

from core import ui
from core.data.printable import printable
from core.rooms.tokens.compute.bpe_steps import MergeFilm


def merges(film: MergeFilm, *, key: str, start: int = 0, label: str = "", takeaway: str = "") -> None:
    """Draw a scrubber over merges: the counted pairs, the pair merged, the text re-cut, the number of tokens.

    Args:
        film: the text and its merges, see `core.rooms.tokens.compute.bpe_steps.film`.
        start: merges that are done when the film opens.
        label: the heading of the picture.
        takeaway: one sentence for a screen reader; without one, a true sentence is computed.
    """
    ids = film.ids()
    place = {token: i for i, token in enumerate(ids)}
    ui.widget(
        "merges",
        key=key,
        # Latin-1 has one letter for each byte, so the script finds any piece of the text by its bytes.
        tokens=[[token.decode("latin-1"), printable(token), number] for token, number in ids.items()],
        steps=[
            [
                place[step.pair[0]],
                place[step.pair[1]],
                place[step.token],
                step.count,
                step.n_pair,
                [[place[left], place[right], count] for (left, right), count in step.top],
            ]
            for step in film.steps
        ],
        complete=film.is_complete,
        content_id=hashlib.blake2b(film.content.tobytes(), digest_size=8).hexdigest(),
        n_character=len(film.content.tobytes().decode("utf-8")),
        start=start,
        label=label,
        takeaway=takeaway
        or f"{label or 'Merges'}: {len(film.steps)} merges make {film.n_token[-1]} tokens of {film.n_token[0]} bytes.",
        content=film.content,
        gone=film.gone,
        n_token=film.n_token,
    )
