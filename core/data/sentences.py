"""A text to begin with, for each model: one that it understands."""

# Two toys could be meant: the stories model reads both and is not sure.
OPENING = "Sam had his kite and Anna had her hat. The wind took the"
# A text that each corpus would understand, because a model can only be judged on what it was trained on.
SENTENCES = {
    "stories": (
        "Tom and Mia played near the park. Mia hid under the bench. Tom looked in the box. No Mia! "
        "Tom looked near the wall. No"
    ),
    "bottle-and-cup": "I poured water from the bottle into the cup until it was full. It is the",
    "python-topics": "The statement raises an exception if the name is not",
    "python-library": "def __init__(self, name, value=None):\n    self.name = na",
    "tiny-shakespeare": "ROMEO:\nBut soft, what light through yonder",
}
# For models that others trained, on nearly everything.
GENERAL = (
    "When Mary and John went to the store, Mary bought a bottle of milk. John was tired and it was late, so "
    "she gave it to"
)
