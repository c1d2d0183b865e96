"""The same captioner, but its decoder reads only one vector, the class token's (vec2seq)."""

from typing import ClassVar

from core.data.localization.labels import module_labels
from core.models.images.captioner import MEMORIES
from core.rooms.captions.experiments import captions

LABELS = module_labels(__name__)

Options = captions.Options


class CaptionsClass(captions.Captions):
    """A captioner whose decoder reads the class token's vector. See `captions.Captions`."""

    title: ClassVar[str] = LABELS["title"]
    learned = ()
    reads: ClassVar[str] = MEMORIES[1]
