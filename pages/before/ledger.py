"""The ledger."""

from core.rooms.ledger import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("intro")
ROOM.say("formula")
ROOM.show("ledger")
ROOM.say("Is newer better?")
ROOM.show("when-ngram-wins")
