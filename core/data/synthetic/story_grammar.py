"""A little grammar of children's stories: simple words, and facts to remember over many sentences.

A story is short, but the last few words aren't enough to continue it. The next name, "he" or "she", which ball, what
color, where it was put: all of these were stated several sentences before. A model that only counts neighboring words
fails there; one with attention can look back. Every fact stays true to the end of its story.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class _Person:
    """A child, and the words that must agree with the name."""

    name: str
    they: str
    them: str
    their: str

    @property
    def They(self) -> str:
        return self.they.capitalize()


PEOPLE = tuple(
    [_Person(name, "she", "her", "her") for name in ("Anna", "Lily", "Mia", "Nora", "Rosa", "Zoe")]
    + [_Person(name, "he", "him", "his") for name in ("Ben", "Leo", "Max", "Omar", "Sam", "Tom")]
)
COLORS = ("red", "blue", "green", "yellow", "white", "black")
TOYS = ("ball", "kite", "boat", "drum", "hat", "book", "bell", "cup")
FOODS = ("apple", "cake", "pear", "bun")
ANIMALS = ("dog", "cat", "bird", "duck", "fox", "frog")
PLACES = ("the park", "the garden", "the forest", "the river", "the school", "the beach", "the farm", "the old house")
SPOTS = ("under the tree", "behind the gate", "in the box", "behind the house", "under the bench", "near the wall",
         "in the grass", "behind the big stone")  # fmt: skip
DAYS = ("One day", "One morning", "On a sunny day", "On a cold day", "After school")
HAPPY = ("very happy", "glad", "so happy", "full of joy")
SAD = ("sad", "very sad", "a little sad")


def write_stories(n: int, seed: int) -> str:
    """Write n stories of about 280 characters, each followed by a blank line.

    The same seed gives the same text everywhere, and its first stories do not depend on n.
    """
    rng = Random(seed)
    return "".join(" ".join(rng.choice(PLOTS)(rng)) + "\n\n" for _ in range(n))


def lost_and_found_story(rng: Random) -> list[str]:
    """Write a story in which somebody puts a thing somewhere, forgets it, and finds it there."""
    child, color, toy, place = rng.choice(PEOPLE), rng.choice(COLORS), rng.choice(TOYS), rng.choice(PLACES)
    hidden, *wrong = rng.sample(SPOTS, rng.choice((2, 3)))
    return [
        f"{child.name} had a {color} {toy}.",
        f"{rng.choice(DAYS)} {child.they} took the {toy} to {place}.",
        f"{child.They} put it {hidden} and {rng.choice(('ran away to play', 'went to sleep', 'sang a song'))}.",
        f"Then {child.they} wanted {child.their} {toy} again, but {child.they} did not know where it was.",
        *[f"{child.They} looked {spot}, but it was not there." for spot in wrong],
        f"At last {child.they} looked {hidden}.",
        f"There was the {color} {toy}!",
        f"{child.name} was {rng.choice(HAPPY)}.",
    ]


def _trade_story(rng: Random) -> list[str]:
    """Write a story in which two children swap things, and each then has the other's."""
    first, second = rng.sample(PEOPLE, 2)
    mine, yours = rng.sample(TOYS, 2)
    color, other_color = rng.sample(COLORS, 2)
    return [
        f"{first.name} had a {color} {mine}, and {second.name} had a {other_color} {yours}.",
        f"{rng.choice(DAYS)} they met near {rng.choice(PLACES)}.",
        f'"I like your {yours}," said {first.name}.',
        f'"And I like your {mine}," said {second.name}.',
        f"So {first.name} gave {second.them} the {mine}, and {second.name} gave {first.them} the {yours}.",
        f"Now {first.name} has the {other_color} {yours}, and {second.name} has the {color} {mine}.",
        f"They are {rng.choice(HAPPY)}.",
    ]


def _hide_and_seek_story(rng: Random) -> list[str]:
    """Write a story in which one child hides where the story says, and the other looks in wrong places first."""
    hider, seeker = rng.sample(PEOPLE, 2)
    hidden, *wrong = rng.sample(SPOTS, rng.choice((2, 3, 4)))
    return [
        f"{seeker.name} and {hider.name} played near {rng.choice(PLACES)}.",
        f"{hider.name} hid {hidden}.",
        *[f"{seeker.name} looked {spot}. No {hider.name}!" for spot in wrong],
        f"Then {seeker.they} looked {hidden}.",
        f'"I see you, {hider.name}!" said {seeker.name}.',
        f"{hider.name} laughed, and then {hider.they} looked for {seeker.them}.",
    ]


def _hungry_animal_story(rng: Random) -> list[str]:
    """Write a story in which an animal wants only one kind of food, and a child brings it."""
    child, animal, place = rng.choice(PEOPLE), rng.choice(ANIMALS), rng.choice(PLACES)
    wanted, *others = rng.sample(FOODS, rng.choice((2, 3)))
    return [
        f"A {rng.choice(('small', 'big', 'young', 'old'))} {animal} lived near {place}.",
        f"{rng.choice(DAYS)} the {animal} was hungry. It wanted {_a(wanted)}.",
        f"{child.name} came and saw that the {animal} was {rng.choice(SAD)}.",
        *[f"{child.They} gave it {_a(other)}, but the {animal} did not eat it." for other in others],
        f"Then {child.name} found {_a(wanted)} in {child.their} bag.",
        f"The {animal} ate the {wanted} and was {rng.choice(HAPPY)}.",
        f"From that day on the {animal} and {child.name} were good friends.",
    ]


def wind_story(rng: Random) -> list[str]:
    """Write a story in which the wind takes a thing, and an animal brings it back to its owner."""
    child, friend = rng.sample(PEOPLE, 2)
    color, toy, animal = rng.choice(COLORS), rng.choice(TOYS), rng.choice(ANIMALS)
    return [
        f"{rng.choice(DAYS)} {child.name} and {friend.name} went to {rng.choice(PLACES)}.",
        f"{child.name} had {child.their} new {color} {toy} with {child.them}.",
        f"The wind was strong. It took the {toy} and blew it away!",
        f"{child.name} was {rng.choice(SAD)}. {friend.name} wanted to help {child.them}.",
        f'{friend.They} asked a {animal}: "Did you see a {color} {toy}?"',
        f"The {animal} ran off and came back with the {toy}.",
        f'"Thank you, {animal}!" said {child.name}, and {child.they} took {child.their} {color} {toy} home.',
    ]


def _present_story(rng: Random) -> list[str]:
    """Write a story in which a child makes a present for a friend and gives exactly that."""
    giver, friend = rng.sample(PEOPLE, 2)
    color, toy, spot = rng.choice(COLORS), rng.choice(TOYS), rng.choice(SPOTS)
    return [
        f"It was the birthday of {friend.name}.",
        f"{giver.name} made a {toy} for {friend.them} and painted it {color}.",
        f"{giver.They} put the {toy} {spot}, so that {friend.name} could not see it.",
        f'"Where is my present?" asked {friend.name}.',
        f'"Look {spot}!" said {giver.name}.',
        f"{friend.name} looked there and found a {color} {toy}.",
        f"{friend.They} was {rng.choice(HAPPY)} and gave {giver.name} a big hug.",
    ]


PLOTS: tuple[Callable[[Random], list[str]], ...] = (
    lost_and_found_story,
    _trade_story,
    _hide_and_seek_story,
    _hungry_animal_story,
    wind_story,
    _present_story,
)


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"
