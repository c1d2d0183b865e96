"""One text under four kinds of vocabulary, side by side."""

import math
from typing import Any

import streamlit as st

from core.cache import MAX_TRACES, content_key, memoize
from core.charts.before_after import ranking
from core.data import tokenizers
from core.data.tokenizers.bpe import BPETokenizer
from core.data.tokenizers.tiktokens import FILES
from core.data.tokenizers.vocabulary import UNKNOWN, CharTokenizer, WordTokenizer
from core.rooms.tokens.choice import DEFAULT_SIZE, EXAMPLE, NAMES, SIZES, Chosen, cut_by, source_code, source_import
from core.rooms.tokens.compute import tokenization
from core.rooms.tokens.compute.tokenization import Tokenization
from core.ui import state
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.text import escape_markdown, plural
from core.ui.widgets import widgets

NONE = "none"
PUBLIC = {
    NONE: "None",
    "gpt2": "GPT-2",
    "r50k_base": "GPT-3 (r50k)",
    "cl100k_base": "GPT-4 (cl100k)",
    "o200k_base": "GPT-4o (o200k)",
}


def warm_up() -> None:
    """Train the three default vocabularies once: under a second, which the first visitor need not wait."""
    for kind, size in (("char", 0), ("word", 0), ("bpe", DEFAULT_SIZE)):
        cut_by(kind, "python-topics", size, EXAMPLE)


@exhibit(
    title="One text, many ways to cut it",
    look_for="how each way handles a word it has never seen, the emoji and the double space. Point at a token and "
    "its number lights up, or the other way round.",
    try_this=[
        (
            "Look for &lt;unknown&gt; in the first two cuts of the example.",
            "Characters and words come from a fixed list, and whatever isn't on it is lost. BPE's bytes can spell "
            "anything, so its cut always turns back into the same text.",
        ),
        (
            "Look at the emoji under BPE.",
            "This vocabulary never saw it, so it falls into four single bytes, drawn as ⟨F0⟩ ⟨9F⟩ ⟨A6⟩ ⟨8E⟩. None "
            "of them is a character on its own.",
        ),
        (
            "Set “Vocabulary size of our BPE” to 256, then to 8,192.",
            "At 256 there are only single bytes, 77 of them in the example. With every step the tokens grow, until "
            "a frequent word and the space before it are one token: at 8,192 about half as many are left.",
        ),
    ],
    code=(tokenization.tokenize, CharTokenizer.split, WordTokenizer.split, BPETokenizer.encode),
)
def four_ways(chosen: Chosen) -> Shown:
    """Three vocabularies of our own and a public one, each with its tokens, and all compared."""
    here = [name for name, is_here in _available().items() if is_here]
    first = next((name for name in PUBLIC if name in here), NONE)  # what is missing is told to whoever asks for it
    public = controls.segmented("public", "A public vocabulary beside ours", list(PUBLIC), first, labels=PUBLIC)
    if state.slot("tokens.download", str) == public:
        _download(public)
    shown = {
        NAMES[kind]: cut_by(kind, chosen.source, size, chosen.text)
        for kind, size in (("char", 0), ("word", 0), ("bpe", chosen.vocab_size))
    }
    is_here = _available().get(public, False)
    if is_here:
        shown[PUBLIC[public]] = public_cut(public, chosen.text)
    spec = _compare(shown, chosen)
    top, bottom = layout.pair("tokens-top"), layout.pair("tokens-bottom")
    for place, (name, cut) in zip((*top, *bottom), shown.items(), strict=False):
        with place:
            _row(name, cut, chosen)
    if public != NONE and not is_here:
        with bottom[1]:
            _not_here(public)
    return Shown(
        numbers=lambda: tokenization.table(shown),
        figure=spec,
        formula=_with_numbers(shown[NAMES["bpe"]]),
        script=lambda: _script(chosen, public if is_here else None),
    )


def _row(name: str, cut: Tokenization, chosen: Chosen) -> None:
    tokens, pieces = cut.tokens[: widgets.MAX_TOKENS], cut.pieces[: widgets.MAX_TOKENS]
    details = [
        f"never seen: {piece}" if one == UNKNOWN else "in the list" for one, piece in zip(tokens, pieces, strict=True)
    ]
    widgets.token_row(
        tokens,
        key=f"tokens-{name}-{content_key(chosen.text, chosen.source, cut.vocab_size)[:12]}",
        ids=cut.ids[: widgets.MAX_TOKENS],
        title=f"{name}: {plural(cut.n_token, 'token')}",
        details=details if cut.n_unknown else None,
        takeaway=f"{name}: {plural(cut.n_token, 'token')}, {cut.characters_per_token:.2f} characters per token, "
        f"{cut.n_unknown} unknown.",
    )
    drawn = f" · the first {widgets.MAX_TOKENS:,} are drawn" if cut.n_token > widgets.MAX_TOKENS else ""
    lost = f"**{cut.n_unknown:,}** never seen, and lost" if cut.n_unknown else "nothing is lost"
    st.caption(f"**{_ratio(cut)}** characters per token · **{cut.vocab_size:,}** in the vocabulary · {lost}{drawn}")


def _compare(shown: dict[str, Tokenization], chosen: Chosen) -> dict[str, Any]:
    """The bars: how much text fits into one token."""
    first = next(iter(shown.values()))
    st.markdown(
        f"{first.n_character:,} characters. Our vocabularies, learned from {escape_markdown(chosen.source_title)}, "
        "hold single characters, whole words, or frequent pieces found by **byte-pair encoding (BPE)**. A dot · is "
        "a space. How much text fits into one token:"
    )
    spec = ranking(
        [f"{name} ({cut.n_unknown:,} lost)" if cut.n_unknown else name for name, cut in shown.items()],
        [cut.characters_per_token for cut in shown.values()],
        mode=color_mode(),
        value_title="characters per token",
    )
    # What was lost stands beside the name: room for both, in pixels.
    spec["encoding"]["y"]["axis"] |= {"labelLimit": 180, "minExtent": 122, "labelFlush": False}
    in_words = ", ".join(f"{name} {_ratio(cut)}" for name, cut in shown.items())
    st.vega_lite_chart(spec, key="tokens-ratio", alt=f"Characters per token: {in_words}.")
    return spec


def _not_here(public: str) -> None:
    """A vocabulary that is not on this machine: no count is shown, and nothing is fetched unasked."""
    kind, said = state.slot("tokens.download_said", lambda: ("", ""))
    with st.container(border=True, key="tokens-not-here"):
        st.markdown(f"**{PUBLIC[public]} is not on this machine**")
        st.caption(
            "OpenAI learned it from text on the web. Its list of tokens is a file of up to 4 MB on OpenAI's server "
            "(openaipublic.blob.core.windows.net), and Glassformer asks no server unless you say so. Our own BPE "
            "does the same and needs no network."
        )
        st.button(
            "Download it once",
            key="tokens-download",
            icon=":material/download:",
            on_click=_ask_for_download,
            args=(public,),
        )
        if kind == public:
            st.error(escape_markdown(said), icon=":material/cloud_off:")


def _ask_for_download(public: str) -> None:
    state.put("tokens.download", public)


def _download(public: str) -> None:
    """Fetch a vocabulary that a person has asked for: ten seconds per file at most, checked by its checksum."""
    state.forget("tokens.download")
    state.forget("tokens.download_said")
    with st.spinner("Fetching it, at most ten seconds for each file …"):
        try:
            tokenizers.download_tiktoken(public)
        except tokenizers.TokenizerUnavailable as refused:
            state.put("tokens.download_said", (public, str(refused)))
    _available.clear()


@st.cache_data(max_entries=1, ttl=10, show_spinner=False)
def _available() -> dict[str, bool]:
    """Checked by checksum, and so not at every rerun."""
    return tokenizers.available_tiktoken()


@memoize(len(FILES))
def _public(public: str) -> tokenizers.TiktokenTokenizer:
    return tokenizers.TiktokenTokenizer(public)


@memoize(MAX_TRACES)
def public_cut(public: str, text: str) -> Tokenization:
    """The text as a public vocabulary cuts it. Raises TokenizerUnavailable."""
    return tokenization.tokenize(_public(public), text)


def _ratio(cut: Tokenization) -> str:
    return "–" if math.isnan(cut.characters_per_token) else f"{cut.characters_per_token:.2f}"


def _with_numbers(cut: Tokenization) -> str:
    return (
        r"\frac{\text{characters}}{\text{tokens}} = "
        rf"\frac{{{cut.n_character}}}{{{cut.n_token}}} = {cut.characters_per_token:.2f} \quad \text{{(our BPE)}}"
    )


def _script(chosen: Chosen, public: str | None) -> str:
    return scripts.script(
        """
        $imports
        from core.data import tokenizers
        from core.data.csv_table import print_table
        from core.rooms.tokens.compute import tokenization
        from core.rooms.tokens.compute.vocabulary_size import first_merges

        $learned
        largest = tokenizers.BPETokenizer.train(learned, $largest)
        vocabularies = {
            "Characters": tokenizers.train("char", learned),
            "Words": tokenizers.train("word", learned),
            "Our BPE": first_merges(largest, $size),  # a smaller vocabulary is the beginning of a larger one
            $public
        }
        print_table(tokenization.table({name: tokenization.tokenize(one, $text) for name, one in vocabularies.items()}))
        """,
        imports=source_import(chosen.source),
        learned=source_code(chosen.source),
        largest=SIZES[-1],
        size=chosen.vocab_size,
        public=scripts.Code(
            "# A public vocabulary stands here when it has been downloaded."
            if public is None
            else f"{scripts.literal(PUBLIC[public])}: tokenizers.TiktokenTokenizer({scripts.literal(public)}),"
        ),
        text=chosen.text,
    )
