"""From predictor to assistant: instruction tuning, preferences, and a reward, in a world with known truth."""

from core.rooms.assistant import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("four-models")
ROOM.show("own-choices")
ROOM.show("wrong-reward")
ROOM.show("preferences")
ROOM.show("checker")
ROOM.show("loss-mask")
