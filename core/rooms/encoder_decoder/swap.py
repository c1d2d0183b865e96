"""Another source in mid-sentence: the decoder keeps its own words and reads something else."""

import streamlit as st

from core.cache import memoize
from core.rooms.encoder_decoder.common import Sentence, Translator, ask, badge, most_written, tell, translator
from core.rooms.encoder_decoder.compute import cross_attention, languages
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training.trained_models import MAX_RESULTS, Trained
from core.ui.widgets import widgets

FIRST, SECOND = "the small dogs see a red cat", "a queen does not love the white birds now"


@exhibit(
    title="Change the source in mid-sentence",
    look_for="the words after the exchange. All the decoder knows of the first source is what it has written itself; "
    "from now on it reads only the second.",
    try_this=[
        (
            "Exchange after 4 tokens, then after 2.",
            "After 4 it has just written “una”, so it takes the noun of the second source that fits, “fira”, and adds "
            "“blana”, which is in neither translation: the adjective agrees with the decoder's own words. The verb "
            "doesn't: its subject is several dogs, yet it ends in -s like the queen's. That ending is read from the "
            "source.",
        ),
        (
            "Set it to 0, then to 7.",
            "At 0 it writes the translation of the second source. At 7 the first sentence is complete, and it only "
            "adds “ne”: now the small dogs do not see a red cat.",
        ),
        (
            "Type the same sentence into both fields.",
            "The exchange changes nothing: with the same source to read, the decoder carries on.",
        ),
    ],
    code=(cross_attention.swap, cross_attention.record),
)
def swap() -> Shown | None:
    """Two sources, the place of the exchange, and what is written."""
    model = translator()
    left, right = st.columns(2, gap="medium")
    with left:
        first = ask("swap_first", FIRST, "First source")
    with right:
        second = ask("swap_second", SECOND, "Second source")
    if model is None or first is None or second is None:
        return None
    alone, other = model.write(first.ids), model.write(second.ids)
    n = len(alone.written)
    at = int(controls.slider("swap_at", "Exchange after so many output tokens", 0, n - 1, min(4, n - 1), step=1))
    mixed = _swapped(model.trained, model.n_layer, model.n_head, first.ids, second.ids, at)
    with left:
        tell(alone, first, "Alone:")
    with right:
        tell(other, second, "Alone:")
    _row(mixed, at, first, second)
    _map(model, mixed, at, second)
    st.markdown(_in_words(mixed, alone, other, at))
    return Shown(
        numbers=lambda: cross_attention.swap_table(mixed, languages.tokens(mixed.written.tolist()), at),
        arrays={"written": mixed.written, "probabilities": mixed.probabilities, "cross": mixed.cross},
        script=lambda: _script(model, first, second, at),
    )


def _script(model: Translator, first: Sentence, second: Sentence, at: int) -> str:
    return scripts.script(
        """
        from core.rooms.encoder_decoder.compute import languages
        from core.data.csv_table import print_table
        from core.rooms.encoder_decoder.compute import cross_attention
        from core.train.experiment import record_of
        from core.rooms.encoder_decoder.experiments import translation

        model = translation.rebuilt($record, n_layer=$n_layer, n_head=$n_head)
        first = languages.encode($first)
        second = languages.encode($second)

        # After some words the decoder keeps what it has written, and reads another source.
        ends = {"start_id": languages.START, "end_id": languages.END}
        _, mixed = cross_attention.swap(model, first, second, at=$at, most=$most, **ends)
        print_table(cross_attention.swap_table(mixed, languages.tokens(mixed.written.tolist()), at=$at))
        """,
        **model.in_script(),
        first=first.english,
        second=second.english,
        at=at,
        most=most_written(max(len(first.ids), len(second.ids))),
    )


@memoize(MAX_RESULTS)
def _swapped(
    models: Trained, n_layer: int, n_head: int, first: tuple[int, ...], second: tuple[int, ...], at: int
) -> CrossAttentionRecord:
    return cross_attention.swap(
        Translator(models, n_layer, n_head).model, first, second, at, start_id=languages.START, end_id=languages.END,
        most=most_written(max(len(first), len(second))),
    )[1]  # fmt: skip


def _row(mixed: CrossAttentionRecord, at: int, first: Sentence, second: Sentence) -> None:
    names = languages.tokens(mixed.written.tolist())
    shown = ["▸" + name if t == at and at else name for t, name in enumerate(names)]
    chances = [float(mixed.probabilities[t, i]) for t, i in enumerate(mixed.written)]
    widgets.token_row(
        shown,
        values=chances,
        kind="probability",
        limits=(0, 1),
        value_title="its probability, with the second source",
        details=[
            f"written while reading “{first.english}”" if t < at else f"written while reading “{second.english}”"
            for t in range(len(names))
        ],
        key=f"swap-row:{first.key}.{second.key}.{at}",
        title="What it writes; ▸ marks the exchange",
        takeaway=f"Written with the exchange after {at} tokens: {' '.join(shown)}.",
    )


def _map(model: Translator, mixed: CrossAttentionRecord, at: int, second: Sentence) -> None:
    layer = model.n_layer - 1
    rows = [f"({word})" if t < at else word for t, word in enumerate(languages.tokens(mixed.written.tolist()))]
    widgets.matrix(
        mixed.cross[layer, 0],
        rows=rows,
        columns=list(second.words),
        key=f"swap-map:{second.key}.{at}.{len(rows)}",
        row_title="writes",
        column_title="reads",
        height=340,
        label=f"Cross-attention to the second source, head {layer}.0; earlier words in brackets",
        badge=badge(model, "cross", (layer, 0), mixed),
    )


def _in_words(mixed: CrossAttentionRecord, alone: CrossAttentionRecord, other: CrossAttentionRecord, at: int) -> str:
    got, one, two = (languages.decode(x.written.tolist()) for x in (mixed, alone, other))
    read_back = languages.to_english(got)
    meaning = f"In English that's “{read_back}”." if read_back else "It's no sentence of the grammar."
    if got == one:
        return f"It writes the translation of the first source. {meaning}"
    if got == two:
        return f"It writes the translation of the second source. {meaning}"
    known = set(one.split()) | set(two.split())
    new = [word for word in got.split()[at:] if word not in known]
    told = f" In neither translation: {', '.join(dict.fromkeys(new))}." if new else ""
    return f"**{got}** is neither translation. {meaning}{told}"
