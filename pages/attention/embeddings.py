"""Embeddings: the vectors that stand for tokens, who is near to whom, and how a vector moves through the layers."""

from core.ui.frame import layout

layout.page_header(
    "Embeddings",
    "Each token becomes a vector, a list of numbers: its **embedding**, one row of a table that the model has "
    "learned. See where the vectors lie, which ones are neighbors, and how a word's vector moves from layer to "
    "layer.",
)

from core.rooms.embeddings import token_map, two_vectors, which_token, word_path  # noqa: E402  (title before torch)
from core.rooms.embeddings.room import ROOM  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

contents(ROOM)

key = which_token.model_here()
if key is not None:
    token_map.room(key)
    layout.section(
        "Two ways to compare",
        "“Near” can mean two things. The angle between two vectors ignores their lengths; the dot product, which "
        "attention uses, doesn't.",
    )
    show(two_vectors.dot_is_not_cosine)
    layout.section(
        "From table to meaning",
        "The table has one vector for each token, whatever is around it. What a word means here and now is added "
        "layer by layer.",
    )
    show(word_path.word_in_two_sentences, key)
