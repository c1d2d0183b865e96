"""A safe subset of YAML for lessons: texts, numbers, true and false, lists and mappings.

It has no tags, no anchors and aliases (a few lines of them can expand to gigabytes) and no dates; `yes`, `no`, `on` and
`off` are plain words, and a name may occur only once.
"""

import re
from collections.abc import Hashable
from typing import Any

import yaml

from core.data.localization.labels import module_labels
from core.data.printable import replace_surrogates

LABELS = module_labels(__name__)

MAX_YAML_CHARS = 8_000  # six times the longest block of the lessons that ship
MAX_YAML_DEPTH = 12
IMAGE, NO_IMAGE = "![", LABELS["picture"]
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
            raise YamlRefused(event.start_mark.line, LABELS["anchor"])
        if getattr(event, "tag", None):
            raise YamlRefused(event.start_mark.line, LABELS["tag"])
        if IMAGE in getattr(event, "value", ""):
            raise YamlRefused(event.start_mark.line, NO_IMAGE)
        if replace_surrogates(text := getattr(event, "value", "")) != text:
            raise YamlRefused(event.start_mark.line, LABELS["half_a_character"])
        if self.depth > MAX_YAML_DEPTH:
            raise YamlRefused(event.start_mark.line, LABELS("too_deep", most=MAX_YAML_DEPTH))
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
                raise YamlRefused(key.start_mark.line, LABELS["list_as_name"])
            if key.value in seen:
                raise YamlRefused(key.start_mark.line, LABELS("name_twice", value=repr(key.value)))
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
        raise YamlRefused(0, LABELS("too_long", most=MAX_YAML_CHARS))
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
        raise YamlRefused(0, LABELS["endless"]) from None
    finally:
        if loader is not None:
            loader.dispose()


def _in_words(error: yaml.YAMLError) -> str:
    """Return the parser's message; for the most common mistakes, return advice on fixing them."""
    said = str(getattr(error, "problem", None) or getattr(error, "reason", None) or LABELS["unreadable"])
    if "mapping values are not allowed" in said:
        return LABELS["colon"]
    if "expected <block end>" in said or "expected ',' or" in said:
        return LABELS("not_yaml.quotes", said=said)
    return LABELS("not_yaml", said=said)
