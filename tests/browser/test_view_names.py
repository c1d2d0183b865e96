"""What the address calls pictures and controls is the same in every language, so that a link works in any of them.

What this catches: a picture whose title has no name in it, and a control without `data-name`, or with a translated one:
the address would then be made from a translated text, and say nothing to a reader of another language.
"""

from collections.abc import Callable
from typing import Any

import pytest

from core.data.localization.locales import PSEUDO_LOCALE
from core.rooms import rooms
from tests.browser.rooms import ROOT, still, styled
from tests.counts import in_turn

PARTS = 16
# [name in the address, title, [name in the address, words] of each control] of each picture, in the page's order.
NAMES = """() => {
  const roots = [document];
  for (const root of roots) roots.push(...[...root.querySelectorAll('*')].flatMap(node => node.shadowRoot ?? []));
  const figures = roots.flatMap(root => [...root.querySelectorAll('figure.gf')]).filter(one => one.addressNames);
  return figures.map(figure => {
    const [id, controls] = figure.addressNames();
    const words = node => `${node.getAttribute('aria-label') ?? ''} ${node.title} ${node.textContent}`.slice(0, 80);
    const named = [...controls].map(([name, node]) => [name, words(node)]);
    return [id, figure.querySelector('.gf-title').textContent, named];
  });
}"""
Picture = tuple[str, str, list[tuple[str, str]]]


@pytest.fixture(scope="module")
def pseudo(serve: Callable[..., str]) -> str:
    return serve(ROOT / "app.py", GLASSFORMER_LOCALE=PSEUDO_LOCALE, GLASSFORMER_TRAINING="off")


def address_names(page: Any) -> list[Picture]:
    """Return what the address would call each picture and control, with their words."""
    styled(page)
    still(page)
    found: list[Picture] = page.evaluate(NAMES)
    return found


def untranslated(english: list[Picture], other: list[Picture]) -> list[str]:
    """Return the words of what has different names in two languages."""
    found = []
    for (id_, title, controls), (other_id, _, other_controls) in zip(english, other, strict=True):
        found += [f"picture “{title}”"] if id_ != other_id else []
        others = {name for name, _ in other_controls}
        found += [f"control “{words}” of “{title}”" for name, words in controls if name not in others]
    return found


def test_a_difference_is_found() -> None:
    """Fails where the comparison below passes by whatever it is given."""
    english: list[Picture] = [("a", "Mask", [("x", "Full"), ("y", "Size")])]
    assert not untranslated(english, english)
    assert len(untranslated(english, [("b", "⟦Mask⟧", [("x", "⟦Full⟧"), ("z", "⟦Size⟧")])])) == 2


@pytest.mark.parametrize("address", in_turn([room.address for room in rooms()], PARTS))
def test_an_address_means_the_same_in_every_language(
    url: str, pseudo: str, open_page: Callable[..., Any], address: str
) -> None:
    query = f"{'' if address == 'home' else address}?open=all&depth=code"
    english, other = (address_names(open_page(f"{one}/{query}", width=1440)) for one in (url, pseudo))
    assert not untranslated(english, other)


def test_a_masks_address_has_names(url: str, open_page: Callable[..., Any]) -> None:
    """Fails where no picture tells its names, so that the comparison above would compare nothing."""
    pictures = address_names(open_page(f"{url}/masks?open=all&depth=code", width=1440))
    assert any(controls for _, _, controls in pictures)
