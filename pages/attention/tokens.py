"""Tokens: a text falls into pieces, the pieces get numbers, and the numbers become vectors."""

from core.ui import layout

layout.page_header(
    "Tokens",
    "A model does not read letters; it reads numbers. Watch a text fall into pieces (tokens), see how the pieces are "
    "found, and what a larger list of them, the vocabulary, costs.",
)

from core.exhibits.tokens import born, four_ways, rows, size  # noqa: E402  (the title stands before torch is imported)
from core.exhibits.tokens.choice import choose  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402

contents(four_ways.four_ways, born.bpe_is_born, size.how_large, rows.one_hot_look_up)

chosen = choose()
if chosen is not None:
    show(four_ways.four_ways, chosen)
    layout.section(
        "Where the pieces come from",
        "Nobody wrote the list of tokens by hand. Byte-pair encoding (BPE) starts from the 256 bytes and glues the "
        "most frequent pair of neighbors into one token, again and again. How often is for us to choose, and it has "
        "its price.",
    )
    show(born.bpe_is_born, chosen)
    show(size.how_large, chosen)

layout.section(
    "From numbers to vectors",
    "An id is only a name: 7 is not more than 3. So the first thing a model does is to exchange each id for a row of "
    "its table of embeddings, numbers that were learned in training. Formulas write an id “one-hot”: a row of zeros "
    "with a single 1 in the column of the id. This text is cut by the model's own vocabulary.",
)
looked = rows.look_here()
if looked is not None:
    show(rows.one_hot_look_up, looked)
