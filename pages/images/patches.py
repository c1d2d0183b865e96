"""A ViT: a picture cut into patches, trained live, and looked into."""

from core.rooms.patches import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("intro")
ROOM.show("cut")
ROOM.say("Learning to read")
ROOM.show("training")
ROOM.say("What it looks at")
ROOM.show("attention")
ROOM.show("rollout")
ROOM.say("Where things are")
ROOM.show("similarity")
ROOM.show("shuffle")
ROOM.say("How much it needs")
ROOM.show("hide")
