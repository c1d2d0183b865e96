"""Embeddings: the vectors of tokens, their nearest neighbors, and how a vector moves through the layers."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/embeddings.py",
    order=2,
    icon=":material/scatter_plot:",
    exhibits=(
        ExhibitSpec("words_alike:words_alike"),
        ExhibitSpec("word_path:word_in_two_sentences"),
        ExhibitSpec("token_map:token_map"),
        ExhibitSpec("nearest:nearest_tokens"),
        ExhibitSpec("sentence_vectors:sentences"),
        ExhibitSpec("two_vectors:dot_is_not_cosine", is_folded=True),
    ),
)
