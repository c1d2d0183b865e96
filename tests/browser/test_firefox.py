"""Every page in Firefox: it opens, draws its first picture, answers one control, and complains of nothing."""

import json
import math
import time

import pytest

from tests.browser.firefox import Firefox
from tests.browser.rooms import READY, ROOT

NO_PICTURE = ("lessons", "glossary", "start_a_class", "homework")
PAGES = sorted(page.stem for page in (ROOT / "pages").glob("*/*.py"))
# `all(selector)`: what matches in the page's middle and in the shadows of its widgets, if it has a place there.
ALL = """window.all = (selector, root = document.querySelector('[data-testid=stMain]')) =>
    [...root?.querySelectorAll('*') ?? []].flatMap(node => [
        ...node.matches(selector) && node.getClientRects().length ? [node] : [],
        ...node.shadowRoot ? all(selector, node.shadowRoot) : []])"""
IDLE = f"document.querySelector({json.dumps(READY)}) !== null && !all('.gf-wait, [data-testid=stSkeleton]').length"
DRAWN = """all('figure.gf[data-drawn], [data-testid=stVegaLiteChart] svg, .js-plotly-plot .main-svg').some(one =>
    one.matches('figure') ? one.innerText.length > 20 : one.querySelectorAll('path').length > 3)"""
# What answers at once: an option that is not chosen, a slider, a field, the link to a lesson.
CONTROLS = (
    "button[role=radio][aria-checked=false]:not(:disabled, :is([class*=panel-], [class*=-chips], [class*=guess]) *)",
    ":is([data-testid=stSlider], .gf-choice) input[type=range]:not(:disabled)",
    ":is([data-testid=stTextInput] input, .gf-choice textarea):not([class*=homework] *)",
    "[data-testid=stPageLink-NavLink]",
)
VIEW = "location.search + document.querySelector('h1')?.textContent"
FOCUS = """(() => { window.control = %s.map(one => all(one)[0]).find(Boolean);
    control.scrollIntoView({block: 'center'}); control.focus({preventScroll: true});
    const {x, y, width, height} = control.getBoundingClientRect();
    const kind = control.tagName + control.type + (control.value && control.value === control.max ? "-full" : "");
    return [kind, x + width / 2, y + height / 2]; })()"""
# A slider that says what color its knob has, and one that nobody has styled.
GREY = """(() => { const knob = one => getComputedStyle(one, '::-moz-range-thumb').backgroundColor;
    const plain = document.body.appendChild(Object.assign(document.createElement('input'), {type: 'range'}));
    const own = all('.gf input[type=range]').map(knob), grey = knob(plain);
    plain.remove();
    return own.filter(color => color === grey).length; })()"""
LEFT, RIGHT, ENTER = "\ue012", "\ue014", "\ue007"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_draws_and_answers(firefox: Firefox, url: str, path: str) -> None:
    firefox.open(f"{url}/{'' if path == 'home' else path}")
    firefox.evaluate(ALL)
    firefox.until(IDLE)
    if path not in NO_PICTURE:
        firefox.until(DRAWN)
    assert firefox.evaluate(GREY) == 0, "sliders whose knob is the browser's own grey"
    before = firefox.evaluate(VIEW)
    place = (0.0, 0.0)
    while True:  # pictures that come late move it; by half a pixel it may go to and fro for ever
        kind, x, y = firefox.evaluate(FOCUS % json.dumps(CONTROLS))
        if math.dist(place, (x, y)) < 2:
            break
        place = x, y
        time.sleep(0.3)
    if kind.startswith(("BUTTON", "A")):
        firefox.click(x, y)
    for key in {"INPUTrange": RIGHT, "INPUTrange-full": LEFT, "INPUTtext": f"a{ENTER}", "TEXTAREAtextarea": "a"}.get(
        kind, ""
    ):
        firefox.press(key)
    firefox.until(f"{VIEW} !== {json.dumps(before)}")
    firefox.until(IDLE)
    if path not in NO_PICTURE:
        firefox.until(DRAWN)
    assert not firefox.evaluate("all('[data-testid=stAlert][kind=error], [data-testid=stException]').length")
    assert not firefox.errors
