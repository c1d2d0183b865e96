"""What stands above an exhibit where it is shown alone: the choice of model, text, head or place that it is drawn with.

Each function asks, as the exhibit's own room does, and returns what the exhibit's function takes; None, after plain
words, where there is nothing to look at.
"""

from typing import Any

from core.rooms.beam import tree
from core.rooms.block import through_the_block
from core.rooms.cache import inputs as cache_room
from core.rooms.decoder import inputs as decoder_room
from core.rooms.embeddings import which_token
from core.rooms.heads import open_head
from core.rooms.masks import inputs as masks_room
from core.rooms.next_token import distributions
from core.rooms.ngrams import choice as ngrams_choice
from core.rooms.positions import order
from core.rooms.pretrained import shelf as pretrained_shelf
from core.rooms.recurrent import inputs as recurrent_room
from core.rooms.sizes import configs
from core.rooms.strategies import place, side_by_side
from core.rooms.tokens import choice as tokens_choice
from core.rooms.tokens import rows
from core.ui.models import models
from core.ui.models.model_and_text import Looked, look, look_at_model

Asked = tuple[Any, ...] | None


def _alone(found: Any) -> Asked:
    return None if found is None else (found,)


def _model(looked: Looked | None) -> Asked:
    return None if looked is None else (looked.key,)


def heads() -> Asked:
    """Model and text."""
    return _alone(look(most=open_head.MOST_TOKENS, kinds=models.READERS))


def head() -> Asked:
    """Model, text, layer and head."""
    looked = look(most=open_head.MOST_TOKENS, kinds=models.READERS)
    return None if looked is None else (looked, *open_head.choose_head(looked))


def predicting_heads() -> Asked:
    """A model that predicts the next token, on which an effect can be measured, and a text."""
    looked = look(most=open_head.MOST_TOKENS)
    return _alone(looked if looked is not None and open_head.can_measure(looked) else None)


def predicting_head() -> Asked:
    """The same, with layer and head."""
    looked = look(most=open_head.MOST_TOKENS)
    if looked is None or not open_head.can_measure(looked):
        return None
    return looked, *open_head.choose_head(looked)


def masks_head() -> Asked:
    """Model, a short text, layer and head."""
    looked = masks_room.look_here()
    return None if looked is None else (looked, *masks_room.choose_head(looked))


def masks_model() -> Asked:
    """A model that reads."""
    return _model(masks_room.look_here())


def block() -> Asked:
    """A model of blocks and a text."""
    return _alone(look(most=through_the_block.MOST_TOKENS, kinds=through_the_block.READS))


def block_token() -> Asked:
    """Model, text, block and token."""
    looked = look(most=through_the_block.MOST_TOKENS, kinds=through_the_block.READS)
    return None if looked is None else (looked, *through_the_block.choose(looked))


def block_record() -> Asked:
    """Model, text, what happens in the block, block and token."""
    looked = look(most=through_the_block.MOST_TOKENS, kinds=through_the_block.READS)
    if looked is None:
        return None
    layer, token = through_the_block.choose(looked)
    return looked, through_the_block.way_of(looked.key, looked.encoded.packed, layer), layer, token


def embedding_model() -> Asked:
    """A model."""
    return _alone(look_at_model(kinds=models.READERS))


def embedding() -> Asked:
    """A model and one of its tokens."""
    key = look_at_model(kinds=models.READERS)
    return None if key is None else (key, which_token.choose(key))


def reader() -> Asked:
    """Any model that reads text, and a text."""
    return _alone(rows.look_here())


def writer() -> Asked:
    """Any model that writes, and a text."""
    return _alone(look(most=distributions.MOST_TOKENS, kinds=models.WRITERS))


def next_place() -> Asked:
    """Any model that writes, a text, and a place in it."""
    looked = look(most=distributions.MOST_TOKENS, kinds=models.WRITERS)
    return None if looked is None else (looked, distributions.choose_place(looked))


def strategies() -> Asked:
    """Any model that writes, and a prompt."""
    return _alone(look(most=side_by_side.PROMPT_TOKENS, kinds=models.WRITERS))


def strategies_place() -> Asked:
    """Any model that writes, a prompt, and a place in it."""
    looked = look(most=side_by_side.PROMPT_TOKENS, kinds=models.WRITERS)
    return None if looked is None else (looked, place.choose_place(looked))


def beam() -> Asked:
    """A decoder and a prompt."""
    return _alone(look(most=tree.MOST_TOKENS))


def cache() -> Asked:
    """A decoder and a prompt."""
    return _alone(cache_room.look_here())


def cache_model() -> Asked:
    """A decoder."""
    return _model(cache_room.look_here())


def decoder() -> Asked:
    """A decoder and a short text."""
    return _alone(decoder_room.look_here())


def recurrent() -> Asked:
    """A recurrent model and a text."""
    return _alone(recurrent_room.look_here())


def ngrams() -> Asked:
    """What is counted."""
    return _alone(ngrams_choice.choose())


def tokens() -> Asked:
    """A text, and what vocabularies are learned from."""
    return _alone(tokens_choice.choose())


def words() -> Asked:
    """A sentence and its other order."""
    return _alone(order.ask())


def shelf() -> Asked:
    """Any model that is here."""
    return _alone(pretrained_shelf.choose())


def sized_model() -> Asked:
    """A model whose weights can be counted."""
    return _alone(look_at_model(kinds=configs.KINDS))
