"""Three families of transformers side by side: what each is for, and what each can do."""

from core.rooms.families import ROOM

ROOM.header()
ROOM.contents()
ROOM.say("intro")
ROOM.show("family-table")
ROOM.show("three-blocks")
ROOM.say("What can each of them do?")
ROOM.show("same-question")
ROOM.show("who-reads")
