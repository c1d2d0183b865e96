"""The inputs that the room's exhibits share: a model, and one of its tokens."""

from core.exhibit import Inputs, custom
from core.inspect.reading.model_key import READERS, ModelKey
from core.rooms.embeddings import facts


class EmbeddingInputs(Inputs):
    """A model."""

    key: ModelKey = custom("core.ui.models.pick_inputs:pick_model", lambda _: ModelKey.at("stories"), kinds=READERS)


class TokenInputs(EmbeddingInputs):
    """A model and the id of one of its tokens."""

    token: int = custom(
        "core.rooms.embeddings.which_token:pick_token", lambda i: facts.default_token(i.key), key=lambda i: i.key
    )
