"""The ledger."""

from core.rooms.ledger import ROOM

ROOM.header()
ROOM.contents()
ROOM.show("bottle-or-cup")
ROOM.show("ledger")
ROOM.show("when-ngram-wins")
