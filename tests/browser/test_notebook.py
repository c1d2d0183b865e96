"""A picture in a notebook's frame: it tells its height and what is chosen in it, and shows what is set in Python."""

import base64
from typing import Any

from core.notebook import matrix, next_token
from core.notebook.views import SCRIPT

# The little of anywidget that the frame speaks with: a model with values, and a place to stand.
HOST = """async ([script, pages]) => {
  const { default: widget } = await import(script);
  globalThis.models = pages.map(([page, values]) => {
    const held = { page, values }, followers = [];
    const model = {
      get: name => held[name],
      set: (name, value) => { held[name] = value; for (const tell of followers) tell(); },
      on: (name, tell) => followers.push(tell),
      save_changes() {}, off() {},
    };
    widget.render({ model, el: document.body.appendChild(document.createElement('div')) });
    return model;
  });
}"""


def values(page: Any, i: int, wanted: dict[str, Any]) -> None:
    """Wait until a model has these values."""
    page.wait_for_function(
        "([i, wanted]) => Object.entries(wanted).every(([name, value]) => models[i].get('values')[name] === value)",
        arg=[i, wanted],
    )


def test_what_is_chosen_comes_back_and_what_is_set_is_shown(browser: Any) -> None:
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: errors.extend([request.url] if request.url.startswith("http") else []))
    script = "data:text/javascript;base64," + base64.b64encode(SCRIPT.read_bytes()).decode()
    pictures = [matrix("stories", "Tom and Mia played.", layer=1, head=2), next_token("stories", "Tom and")]
    page.evaluate(HOST, [script, [[one.page, one.values] for one in pictures]])
    values(page, 0, {"layer": 1, "head": 2, "query": 4})
    one, other = page.frames[1:]
    page.wait_for_function("[...document.querySelectorAll('iframe')].every(one => parseInt(one.style.height) > 500)")
    one.get_by_role("slider", name="Head").fill("3")
    values(page, 0, {"layer": 1, "head": 3})
    page.evaluate("models[0].set('values', { layer: 0 })")
    values(page, 0, {"layer": 0, "head": 3})
    one.get_by_text("Layer 0, head 3").wait_for()
    one.locator("svg, canvas").first.click()  # its middle
    page.wait_for_function("models[0].get('values').query < 4")
    other.get_by_role("slider", name="Temperature").fill("0.5")
    other.get_by_role("slider", name="Temperature").dispatch_event("change")
    page.wait_for_function("models[1].get('values').settings?.temperature === 0.5")
    page.close()
    assert not errors
