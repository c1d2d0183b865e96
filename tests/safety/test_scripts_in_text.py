"""T3: texts that try to run as a script or to load something from elsewhere, wherever the app shows what people wrote.

In a real Chromium, with the security policy and without it (`bypass_csp`): the escaping alone has to hold.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core.data import corpora
from core.jobs.admission import MAX_WAITING
from core.jobs.store import RunStore
from tests import tiny_model
from tests.browser.fixtures import counted
from tests.browser.rooms import READY, settle
from tests.chromium import LONGEST_WAIT
from tests.counts import IS_FULL, tally
from tests.safety.conftest import Watched
from tests.safety.hostile import CANARY, PAYLOADS
from tests.safety.test_isolation import SHORT, owner_of, until
from tests.safety.visitor import query, secret

COOKIE = secret(7000)
MOST = 950  # characters of a text that a page takes
LINK = r'<a href="(https?:)?//[^"]*" target="_blank" rel="noopener noreferrer">'
# Whatever came out of a text as an element of its own, in the shadow trees of the widgets, too.
FOUND = f"""
() => {{
  const found = [], search = (root) => root.querySelectorAll("*").forEach((one) => {{
    if (one.shadowRoot) search(one.shadowRoot);
    for (const {{name, value}} of one.attributes) {{
      if (/^on/.test(name) && /caught/.test(value)) found.push(one.outerHTML.slice(0, 200));
      if (/^(src|srcset|href|xlink:href|action|formaction|ping|background|data|style|content)$/.test(name)
          && /{CANARY}|javascript:/i.test(value)) found.push(one.outerHTML.slice(0, 200));
    }}
    if (/^(script|iframe|object|embed|base)$/i.test(one.tagName) && /caught/.test(one.outerHTML))
      found.push(one.outerHTML.slice(0, 200));
  }});
  search(document);
  return [window.caught, found];
}}
"""


def packed(most: int = MOST) -> list[str]:
    """All payloads, in texts of so many characters."""
    texts, now = [], ""
    for payload in PAYLOADS:
        if now and len(now) + len(payload) + 1 > most:
            texts.append(now)
            now = ""
        now = f"{now} {payload}".strip()
    return [*texts, now]


def lesson(number: int) -> str:
    """A teacher's lesson whose words are payloads, but for pictures, with which it would not be read at all."""
    chosen = [(texts := packed(most))[number % len(texts)].replace("![", "[") for most in (70, 190, 550)]
    line, card, text = (json.dumps(one.replace("\0", "")) for one in chosen)
    head = f"---\ntitle: {line}\nabout: {card}\nminutes: 10\ntrains: {line}\nsources: [{text}]\n---\n"
    check = f"```check\nask: {text}\noptions: {{a: {line}, b: no}}\nright: a\nbecause: {text}\n```\n"
    piece = f"```exhibit steps.cost\n```\n\n```do\nsay: {text}\nwhen: changed cost_n\n```\n"
    return f"{head}\n## A step\n\nWords.\n\n{check}\n{piece}"


@pytest.fixture(scope="module")
def prepared(watched: Watched) -> Iterator[dict[str, list[str]]]:
    """Runs, texts, models and lessons with hostile names in the server's folders; the pages that show them."""
    store, runs = RunStore(watched.data / "runs"), []
    for n, payload in enumerate(PAYLOADS[:: 1 if IS_FULL else 8]):
        until(lambda: sum(run.state == "queued" for run in store.list(owner_of(COOKIE))) < MAX_WAITING)
        runs.append(store.create(owner_of(COOKIE), SHORT.to_dict(), seed=n, name=payload))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_DATA", str(watched.data))
        own = [corpora.store_user_text(text, text * 3) for text in packed(1500)]
    for n, text in enumerate(packed()):
        folder = tiny_model.write(watched.data / "models" / f"model-{n}", "char", n_layer=1, d_model=8, n_head=1)
        recipe = {"recipe": {"title": text, "corpus": text}, "step": 10, "val_loss": 5.0}
        (folder / "recipe.json").write_text(json.dumps(recipe))
    texts, n_lesson = packed(), len(packed(70)) if IS_FULL else 2
    for n in range(n_lesson):
        (watched.folder / "lessons" / f"zz-hostile-{n}.md").write_text(lesson(n), encoding="utf-8")
    rooms = (
        "",
        "heads",
        "tokens",
        "next_token",
        "ngrams",
        "embeddings",
        "strategies",
        "beam",
        "work",
        "encoder",
        "masks",
    )
    yield {
        "text": [f"{room}?{query({'text': text, 'note': text[:300]})}" for room in rooms for text in texts],
        "studio": [f"studio?{query({'corpus': one})}" for one in own],
        "lesson": ["lessons", *(f"lessons?lesson=zz-hostile-{n}" for n in range(n_lesson))],
        "model": [f"{room}?model=model-{n}" for n in range(len(texts)) for room in ("pretrained", "heads")],
        "note": [f"cache?{query({'note': text[:300], 'lock': text, 'hide': text, 'depth': text})}" for text in texts],
        "term": [f"glossary?{query({'term': text})}" for text in texts],
    }
    for n in range(n_lesson):
        (watched.folder / "lessons" / f"zz-hostile-{n}.md").unlink()
    for run in runs:
        store.delete(run, owner_of(COOKIE))


@pytest.fixture
def looking(browser: Any, watched: Watched) -> Iterator[Callable[..., Any]]:
    """`looking(with_policy) -> page`: whatever it asks for elsewhere, and every dialog, is noted in `page.caught`."""
    contexts = []

    def start(with_policy: bool) -> Any:
        context = browser.new_context(
            bypass_csp=not with_policy, viewport={"width": 1280, "height": 900}, reduced_motion="reduce"
        )
        context.add_cookies([{"name": "glassformer_owner", "value": COOKIE, "url": watched.url}])
        context.set_default_timeout(LONGEST_WAIT * 1000)
        contexts.append(context)
        page = counted(context.new_page())
        page.caught = []
        page.on("dialog", lambda dialog: (page.caught.append("a dialog"), dialog.dismiss()))
        mine = (watched.url, "data:", "blob:", "about:")
        page.on("request", lambda one: None if one.url.startswith(mine) else page.caught.append(one.url))
        page.on("popup", lambda other: page.caught.append("a window"))
        return page

    yield start
    for context in contexts:
        context.close()


def look(page: Any, url: str, where: str, *, is_shown: bool) -> None:
    """Open the page, touch what is there, and see that nothing was caught, and that the texts were there to see."""
    page.goto(f"{url}/{where}")
    page.wait_for_selector(READY)
    page.wait_for_timeout(400)
    for figure in page.locator("figure.gf").all()[:2]:  # what a pointer over a picture shows
        box = figure.bounding_box()
        if box:
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + min(box["height"] / 2, 120))
            page.wait_for_timeout(60)
    ran, found = page.evaluate(FOUND)
    if where.startswith("lessons?"):  # a lesson's own words are Markdown: they may link, but load and run nothing
        found = [one for one in found if re.match(LINK, one) is None]
    assert not ran, f"{where[:60]}: a script ran"
    assert found == [], f"{where[:60]}: {found[:3]}"
    assert page.caught == [], f"{where[:60]}: {page.caught[:3]}"
    if is_shown:
        shown = page.inner_text("body").replace("\u2060", "")
        assert "caught" in shown or CANARY in shown, f"{where[:60]}: the texts are not there"


def test_the_net_catches(looking: Callable[..., Any], watched: Watched) -> None:
    """What the other tests look for is seen where there is something: without the policy, and the policy stops it."""
    for with_policy in (False, True):
        page = looking(with_policy)
        page.goto(f"{watched.url}/api/ready")
        for payload in (one for one in PAYLOADS if "http-equiv" not in one):  # that one would leave the page
            page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", payload.replace("\0", ""))
        page.wait_for_timeout(300)
        ran, found = page.evaluate(FOUND)
        assert len(found) > 20
        assert bool(ran) != with_policy
        assert with_policy or page.caught


@pytest.mark.parametrize("with_policy", [False, True], ids=["without the policy", "with the policy"])
def test_nothing_that_is_written_ever_runs(
    looking: Callable[..., Any], watched: Watched, prepared: dict[str, list[str]], with_policy: bool
) -> None:
    page, n_page = looking(with_policy), 0
    for sink, places in prepared.items():
        if IS_FULL:
            chosen = places
        elif with_policy:
            chosen = places[:1] if sink in ("text", "studio") else []
        else:  # each text once, in another room each time
            chosen = places[:: len(packed()) + 1][:2] if sink == "text" else places[:1]
        for where in chosen:
            look(page, watched.url, where, is_shown=sink in ("lesson", "note", "studio"))
            n_page += 1
    tally(
        f"T3 {'with' if with_policy else 'without'} the policy",
        payloads=len(PAYLOADS),
        pages=n_page,
        scripts_run=0,
        foreign_requests=0,
    )


def test_names_of_files_are_shown_as_they_are(looking: Callable[..., Any], watched: Watched) -> None:
    page = looking(False)
    page.goto(f"{watched.url}/pretrained")
    page.wait_for_selector(READY)
    name = f"<img src=http:{CANARY} onerror=window.caught=1>.png"
    page.get_by_text("Upload files", exact=True).click()
    page.locator("input[type=file]").first.set_input_files([{"name": name, "mimeType": "image/png", "buffer": b"none"}])
    page.locator("[data-testid=stFileUploaderFileName], [data-testid=stFileChipName]").first.wait_for()
    settle(page)  # pressed before the upload has come, the button says that no file was chosen
    page.get_by_role("button", name="Open it").first.click()
    page.get_by_text("not a model file that is read here").first.wait_for()
    ran, found = page.evaluate(FOUND)
    assert not ran and found == [] and page.caught == []
