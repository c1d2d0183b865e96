"""Tokens: a text falls into pieces, the pieces get numbers, and the numbers become vectors."""

from core.ui.frame import layout

layout.page_header(
    "Tokens",
    "A model reads numbers, not letters. Watch a text fall into pieces, its tokens, see how those pieces are found, "
    "and what a longer list of them, the vocabulary, costs.",
)

from core.rooms.tokens import rows  # noqa: E402  (the title stands before torch is imported)
from core.rooms.tokens.inputs import Looked  # noqa: E402
from core.rooms.tokens.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

to_cut = ask(Looked)
if to_cut is not None:
    show(ROOM["four-ways"], to_cut)
    layout.section(
        "Where the pieces come from",
        "No one wrote the list of tokens by hand. **Byte-pair encoding (BPE)** starts from the 256 bytes and glues "
        "the most frequent pair of neighbors into one token, again and again. How often is up to you, and each "
        "choice has its price.",
    )
    show(ROOM["bpe-is-born"], to_cut)
    show(ROOM["how-large"], to_cut)

layout.section(
    "From numbers to vectors",
    "A token's number, its id, is only a name: 7 isn't more than 3. So a model's first step is to swap each id for "
    "a row of its table of embeddings, numbers learned in training. Formulas write an id “one-hot”: a row of zeros "
    "with a single 1 in the id's column. This text is cut by the model's own vocabulary.",
)
looked = ask(rows.Looked)
if looked is not None:
    show(ROOM["one-hot-look-up"], looked)

layout.section(
    "What a vocabulary is for",
    "Three small models, built alike, learn the same stories. One reads characters, one the merges of a text you "
    "write, one the merges of the stories. Train them to see what tokens save, and how the rows of two words come "
    "together.",
)
show(ROOM["own-tokens"], every=live.pace("own-tokens"))
