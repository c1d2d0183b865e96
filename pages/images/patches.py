"""A ViT: a picture cut into patches, trained live, and inspected."""

from core.rooms.patches import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("hide")
ROOM.show_text("intro")
ROOM.show("cut")
ROOM.show("training")
ROOM.show("shuffle")
ROOM.show("attention")
ROOM.show("rollout")
ROOM.show("similarity")
