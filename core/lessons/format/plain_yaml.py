"""A safe subset of YAML for lessons: texts, numbers, true and false, lists and mappings.

It has no tags, no anchors and aliases (a few lines of them can expand to gigabytes) and no dates; `yes`, `no`, `on` and
`off` are plain words, and a name may occur only once.
"""

import re
from collections.abc import Hashable
from typing import Any

import yaml

from core.data.printable import replace_surrogates

MAX_YAML_CHARS = 8_000  # six times the longest block of the lessons that ship
MAX_YAML_DEPTH = 12
IMAGE, NO_IMAGE = "![", "“![” begins a picture, and a lesson loads none: let an exhibit draw it."
_PREFIX = "tag:yaml.org,2002:"


class YamlRefused(ValueError):
    """The text isn't valid here; the message is for the author, and `line` counts from 0 in the text."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line, self.message = line, message


class _Loader(yaml.SafeLoader):
    """A YAML loader that only accepts plain values."""

    depth = 0

    def compose_node(self, parent: object, index: object) -> object:
        """Refuse nodes that aren't plain values before anything is made from them."""
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise YamlRefused(event.start_mark.line, "A name with & or * stands for another part; write it out.")
        if getattr(event, "tag", None):
            raise YamlRefused(event.start_mark.line, "A tag with ! is not used here; put the text in quotes.")
        if IMAGE in getattr(event, "value", ""):
            raise YamlRefused(event.start_mark.line, NO_IMAGE)
        if replace_surrogates(text := getattr(event, "value", "")) != text:
            raise YamlRefused(event.start_mark.line, "\\ud800 to \\udfff are half a character each; write it out.")
        if self.depth > MAX_YAML_DEPTH:
            raise YamlRefused(event.start_mark.line, f"Lists within lists, more than {MAX_YAML_DEPTH} deep.")
        self.depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        """Refuse a name that occurs twice, because YAML would silently keep the last one."""
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise YamlRefused(key.start_mark.line, "A list cannot be a name.")
            if key.value in seen:
                raise YamlRefused(key.start_mark.line, f"{key.value!r} occurs twice.")
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [pair for pair in pairs if pair[0] not in (f"{_PREFIX}bool", f"{_PREFIX}timestamp", f"{_PREFIX}merge")]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(f"{_PREFIX}bool", re.compile(r"([Tt]rue|TRUE|[Ff]alse|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver(
    f"{_PREFIX}float", re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789")
)


def load_yaml(text: str) -> tuple[Any, dict[str, int]]:
    """Load the value of a text, and for each name at its top level the line that it is in (from 0).

    Raises YamlRefused if the text isn't YAML, or has more than plain values.
    """
    if len(text) > MAX_YAML_CHARS:
        raise YamlRefused(0, f"This is longer than {MAX_YAML_CHARS:,} characters.")
    loader = None
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None, {}
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        return loader.construct_document(node), {str(key.value): key.start_mark.line for key, _ in pairs}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise YamlRefused(mark.line if mark else 0, _in_words(error)) from None
    except (ValueError, OverflowError, RecursionError) as error:
        if isinstance(error, YamlRefused):
            raise
        raise YamlRefused(0, "It holds a number that is too long, or endless lists within lists.") from None
    finally:
        if loader is not None:
            loader.dispose()


def _in_words(error: yaml.YAMLError) -> str:
    """Return the parser's message; for the most common mistakes, return advice on fixing them."""
    said = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read")
    if "mapping values are not allowed" in said:
        return "A colon within a text: put the text in quotes, or after name: > on lines of its own."
    if "expected <block end>" in said or "expected ',' or" in said:
        return f"This isn't YAML ({said}). Often a text needs quotes, or a bracket is not closed."
    return f"This isn't YAML: {said}."
