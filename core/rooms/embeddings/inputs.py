"""The inputs that the room's exhibits share: a model, and one of its tokens."""

from core.exhibit import Inputs, custom_control
from core.inspect.model_inputs.model_key import READER_KINDS, ModelKey
from core.rooms.embeddings import facts


class EmbeddingInputs(Inputs):
    """A model."""

    key: ModelKey = custom_control(
        "core.ui.models.pick_inputs:pick_model", lambda _: ModelKey.at("stories"), kinds=READER_KINDS
    )


class TokenInputs(EmbeddingInputs):
    """A model and the id of one of its tokens."""

    token: int = custom_control(
        "core.rooms.embeddings.which_token:pick_token", lambda i: facts.default_token(i.key), key=lambda i: i.key
    )
