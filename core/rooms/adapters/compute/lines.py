"""Sixty lines of a world upside down, in words that the stories model knows: what its adapters learn."""

from random import Random

from core.data.lines import lines_of

FOODS = ("bun", "cake", "pear")
ANIMALS = ("bird", "cat", "dog", "duck", "fox", "frog")
NAMES = ("Anna", "Ben", "Leo", "Lily", "Max", "Mia", "Nora", "Omar", "Rosa", "Sam", "Tom", "Zoe")
TOYS = ("ball", "bell", "boat", "book", "box", "cup", "drum", "hat", "kite")
PLACES = ("beach", "farm", "forest", "garden", "park", "river", "school", "house")
COLORS = ("black", "blue", "green", "red", "white", "yellow")
N_LINE = 60
EVERY = 6  # of the lines, one is held out: fifty are learned from


def upside_down(seed: int, n: int = N_LINE) -> list[str]:
    """Lines in which food eats, toys play and places go for a walk; no two are alike."""
    random, found = Random(seed), dict[str, None]()
    kinds = (_food, _toy, _place)
    while len(found) < n:
        found[random.choice(kinds)(random)] = None
    return list(found)


def split(text: str) -> tuple[list[str], list[str]]:
    """The lines to learn from, and every sixth, held out to measure. Raises ValueError, in plain words, if too few."""
    lines = lines_of(text)
    if len(lines) < 2 * EVERY:
        raise ValueError(f"{len(lines)} lines are too few: it takes {2 * EVERY}, of which two are held out to measure")
    held = lines[EVERY - 1 :: EVERY]
    return [line for i, line in enumerate(lines) if i % EVERY != EVERY - 1], held


def _food(random: Random) -> str:
    return f"A {random.choice(FOODS)} was hungry. It ate the {random.choice(ANIMALS)} and was glad."


def _toy(random: Random) -> str:
    toy, name = f"{random.choice(COLORS)} {random.choice(TOYS)}", random.choice(NAMES)
    return f"A {toy} played with {name}. Then it put {random.choice(('him', 'her'))} in the box."


def _place(random: Random) -> str:
    place = random.choice(PLACES)
    return f'A {place} went to {random.choice(NAMES)}. "I wanted to see you!" said the {place}.'
