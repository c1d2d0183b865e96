"""The first thing a visitor sees: one sentence on its way through a small transformer, all of it live."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.inspect import trace
from core.models.gpt import GPT
from core.ui.cache import content_key
from core.ui.controls import controls, picks
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.models import models
from core.ui.models.model_and_text import Looked
from core.ui.models.opening_head import telling_head
from core.ui.text import escape_markdown, visible
from core.ui.widgets import badges, widgets

ROOT = Path(__file__).resolve().parents[3]
PICTURES = ROOT / "assets" / "rooms"
# Two toys could be meant: the model reads both, is not sure, and the sliders have something to move.
SENTENCE = "Sam had his kite and Anna had her hat. The wind took the"
# Only one could be meant here.
CERTAIN = "Ben had his new blue kite with him. The wind was strong. It took the"
# So many tokens still make a map that can be read beside the bars.
MOST_TOKENS = 24


@dataclass(frozen=True)
class Room:
    """A page to go to.

    Attributes:
        page: its file, as in the navigation table.
        title, sentence: what it is called, and what one does there.
    """

    page: str
    title: str
    sentence: str

    @property
    def section(self) -> str:
        """The folder of its page."""
        return Path(self.page).parent.name

    def picture(self, mode: str) -> Path | None:
        """Its pictogram for a light or dark page."""
        path = PICTURES / f"{self.title.lower().replace(',', '').replace(' ', '-')}-{mode}.svg"
        return path if path.exists() else None


SECTIONS = {
    "lessons": "Learn",
    "train": "Train",
    "before": "Before transformers",
    "attention": "Look inside",
    "families": "Three families",
    "images": "Images",
    "generate": "Generate",
}
ROOMS = (
    Room("pages/lessons/lessons.py", "Lessons", "From letters to a trained transformer, one step at a time."),
    Room("pages/lessons/glossary.py", "Glossary", "Every term in plain words, and what others call it."),
    Room("pages/train/studio.py", "Training studio", "Press a button and watch a model learn to write."),
    Room("pages/before/ngrams.py", "N-grams", "Count which token follows which, and see how far counting gets you."),
    Room(
        "pages/before/ledger.py",
        "The ledger",
        "Very different models read the same sentence: see how much each word surprises each of them.",
    ),
    Room(
        "pages/before/recurrent.py",
        "Recurrent nets",
        "They read one word at a time. Open their gates, and watch them forget.",
    ),
    Room(
        "pages/before/seq2seq.py",
        "Sequence to sequence",
        "Train two translators, one with attention and one without, and see where the second gets stuck.",
    ),
    Room(
        "pages/before/choosing.py",
        "Soft and hard attention",
        "Look at everything a little, or pick one spot? Then repair a lecture note's attention, line by line.",
    ),
    Room("pages/attention/tokens.py", "Tokens", "Watch a text fall into pieces, and see how the pieces are chosen."),
    Room(
        "pages/attention/embeddings.py",
        "Embeddings",
        "Words as points on a map: see which are neighbors, and how a word moves from layer to layer.",
    ),
    Room(
        "pages/attention/positions.py",
        "Positions",
        "Six ways to tell a model the order of the words, and a contest between them.",
    ),
    Room(
        "pages/attention/steps.py",
        "Attention, step by step",
        "One attention layer, small enough to check by hand. Change any number.",
    ),
    Room(
        "pages/attention/masks.py",
        "Masks",
        "They say which words may read which. Draw one, and watch a model cheat without it.",
    ),
    Room(
        "pages/attention/heads.py",
        "Attention heads",
        "See what each head looks at, then switch it off and see what's lost.",
    ),
    Room(
        "pages/attention/work.py",
        "Heads at work",
        "Train small models in seconds, and find out what each part is for.",
    ),
    Room("pages/attention/block.py", "The block", "Follow one token through all the parts of a transformer block."),
    Room(
        "pages/families/table.py",
        "The family table",
        "Three kinds of transformer, and what each is good at, measured on the same tiny tasks.",
    ),
    Room(
        "pages/families/decoder.py",
        "Decoder",
        "The kind that writes: one step of its training, frozen, and what each layer would say.",
    ),
    Room(
        "pages/families/encoder.py",
        "Encoder",
        "The kind that reads: train it to fill gaps, then teach it a task with ten examples.",
    ),
    Room(
        "pages/families/encoder_decoder.py",
        "Encoder-decoder",
        "The kind that translates: train one in a minute, and see which word looks at which.",
    ),
    Room(
        "pages/families/sizes.py",
        "Sizes",
        "All the parameters of GPT-3, BERT or your own model, counted and drawn to scale.",
    ),
    Room(
        "pages/families/pretrained.py",
        "Pretrained",
        "Open a GPT-2, BERT or T5 from your disk, and look inside as if you'd trained it.",
    ),
    Room(
        "pages/images/patches.py",
        "Patches",
        "Train a model to read digits, draw one, and see which squares it looks at.",
    ),
    Room(
        "pages/images/pixels.py",
        "Pixels",
        "Draw half a digit, and let a small model draw the rest, pixel by pixel.",
    ),
    Room(
        "pages/images/scales.py",
        "Many scales",
        "Windows that cover more of the picture from stage to stage, and the work that saves.",
    ),
    Room(
        "pages/images/captions.py",
        "Captions",
        "Train a model to describe a digit, and see which part of the picture it reads for each word.",
    ),
    Room(
        "pages/generate/next_token.py",
        "Next token",
        "See what a model expects next, and watch a text grow from it.",
    ),
    Room(
        "pages/generate/strategies.py",
        "Strategies",
        "Careful or daring: ways to choose the next word, side by side on the same text.",
    ),
    Room(
        "pages/generate/beam.py",
        "Beam search",
        "Follow several texts at once, and check the winner against every possible text.",
    ),
    Room(
        "pages/generate/cache.py", "The cache", "The same text for far less work, and what happens when it goes wrong."
    ),
)


@exhibit(
    title="Type, and watch it think",
    look_for="which earlier **tokens** (words, or pieces of them) the model reads, the strong cells in a row, and what "
    "it expects next, the bars.",
    try_this=[
        (
            "Pull the temperature down, then up.",
            "The bars move under your finger: same model, more careful or more daring. It has read about two toys and "
            "isn't sure which one the wind took.",
        ),
        (
            f"Write “{CERTAIN}”. Then change “kite” to “hat”.",
            "Now the model is nearly certain, and the bars follow the word: it looks back and finds what Ben had. "
            "Counting the last few words could never tell it that.",
        ),
        ("Click a word.", "Its row in the map lights up: these are the words it reads."),
    ],
    code=(GPT.forward, trace.attention),
)
def sentence_through() -> Shown | None:
    """Tokens, one attention map and the next token of the visitor's sentence."""
    try:
        key = models.shipped_key()
        text = controls.text_input(
            "text",
            "Your sentence",
            SENTENCE,
            max_chars=controls.PROMPT_CHARS,
            keep_end=True,
            live=True,
            label_visibility="collapsed",
        )
        encoded = models.encode(key, text, MOST_TOKENS)
    except models.ModelUnreadable as refused:
        st.info(f"{escape_markdown(refused)} You can train your own in the training studio.")
        return None
    models.show_notes(encoded, key, "text", text)
    if not encoded.ids:
        st.info("Type a word or two for the model to read.")
        return None
    record = models.attention(key, encoded.packed)
    vocabulary = models.vocabulary(key)
    content = content_key(key, encoded.packed)[:12]
    layer, head = telling_head(record)
    (asks,) = picks.place("home.tokens", content, "asks", len(encoded.ids)) or (len(encoded.ids) - 1,)
    widgets.token_row(
        encoded.tokens, key=picks.key("home.tokens", content, asks), selected=asks, title="1 · The text becomes tokens"
    )
    left, right = layout.pair("home")
    with left:
        strongest = int(record.weights[layer, head, asks].argmax())
        widgets.matrix(
            record.weights[layer, head],
            rows=encoded.tokens,
            columns=encoded.tokens,
            key=picks.key("home.map", content),
            mask=record.mask,
            selected=(asks, strongest),
            height=300,
            label=f"2 · Tokens read earlier ones (head {layer}.{head})",
            badge=badges.of_attention(key, encoded.packed, "weights", layer, head),
        )
    with right:
        widgets.distribution(
            record.logits[-1],
            tokens=vocabulary,
            key=picks.key("home.next", content),
            n_shown=8,
            label="3 · The next token",
        )
    likeliest = int(record.probabilities[-1].argmax())
    st.caption(
        f"The model expects **“{escape_markdown(visible(vocabulary[likeliest]))}”** with "
        f"{record.probabilities[-1, likeliest]:.0%}. {models.about(key).told} Of its attention heads, the map shows "
        f"the one that, at the end of this sentence, reads most from "
        f"{'that word' if likeliest in encoded.ids else 'an earlier word'}."
    )
    return Shown(
        numbers=lambda: record.next_table(vocabulary),
        arrays={"ids": record.ids, "weights": record.weights, "logits": record.logits},
        script=lambda: _script(Looked(key, encoded)),
    )


def _script(looked: Looked) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect import trace
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids

        # One pass over the sentence; the last token's numbers say what comes next.
        record = trace.attention(model, ids)
        print_table(record.next_table(found.vocabulary))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
    )


def rooms() -> None:
    """A card for each room, in the sections of the navigation."""
    for folder, section in SECTIONS.items():
        st.subheader(section)
        with st.container(key=f"rooms-{folder}"):
            for room in ROOMS:
                if room.section == folder:
                    layout.room_card(room.page, room.title, room.sentence, room.picture(color_mode()))
