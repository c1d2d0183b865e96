"""The browser widget of rounds: what was drafted, what stayed, what came instead; see `rounds.js`."""

from collections.abc import Sequence
from typing import Any

from core.browser.message import pack
from core.ui.widgets.mount import mount, plain


def rounds_film(
    rounds: Sequence[Any], *, prompt: str, names: Sequence[str], is_cut: bool, key: str, label: str
) -> None:
    """Draw the rounds one below the other; they are stepped through, and each token tells why it is there.

    Args:
        rounds: at least one; each with `guesses` (see `compute.rule.Guess`), `last`, `is_corrected`, `share`, `u`, and
            `tops` for each of its tokens: `tokens`, `p`, `q`, `source`.
        prompt: the text before.
        names: (V,) the tokens.
        is_cut: whether more rounds come after a guess of the person's.
    """
    n_token = sum(one.n_settled for one in rounds)
    told = [
        {
            "guesses": [[names[g.token], *plain([g.p, g.q, g.ratio]), g.u, g.outcome] for g in one.guesses],
            "last": names[one.last],
            "corrected": one.is_corrected,
            "share": one.share,
            "u": one.u,
            "tops": [
                {"names": [names[i] for i in top.tokens], "p": plain(top.p), "q": plain(top.q), "s": plain(top.source)}
                for top in one.tops
            ],
        }
        for one in rounds
    ]
    header = {
        "widget": "rounds",
        "rounds": told,
        "prompt": prompt,
        "cut": is_cut,
        "label": label,
        "takeaway": f"{len(rounds)} passes of the large model settled {n_token} tokens.",
    }
    mount("rounds", key, pack(header, {}), height=420)
