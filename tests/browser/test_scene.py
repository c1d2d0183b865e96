"""Every picture of the scene, alone with one recorded message: pointer, keys, Escape, choices, table, files, a phone.

`python -m tests.browser.record` records the messages anew.
"""

import base64
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from core.browser.script_bundler import WIDGETS_FOLDER
from tests.browser.firefox import Firefox

MESSAGES = Path(__file__).with_name("messages")
PICTURES = {
    path.stem: path.relative_to(WIDGETS_FOLDER).as_posix()
    for path in sorted(WIDGETS_FOLDER.rglob("*.js"))
    if re.search(r"^export default picture\(", path.read_text("utf-8"), re.MULTILINE)
}
every_picture = pytest.mark.parametrize("name", PICTURES)

PAGE = """<!doctype html><meta name="viewport" content="width=device-width"><style>
:root { --st-font: sans-serif; --st-code-font: monospace; --st-background-color: #fff; --st-text-color: #111322; }
:root.dark { --st-background-color: #0e1117; --st-text-color: #fafafa; }
body { margin: 8px; background: var(--st-background-color); }
</style><script type="module">
window.sent = [];
window.show = async (path, data) => {
  const host = document.body.appendChild(document.createElement("div"));
  const parentElement = host.attachShadow({ mode: "open" }).appendChild(document.createElement("div"));
  const setStateValue = (name, value) => window.sent.push([name, value]);
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  (await import(path)).default({ parentElement, data: bytes, setStateValue });
  while (!parentElement.querySelector(".gf[data-drawn], .gf-error")) await new Promise((done) => setTimeout(done, 10));
  window.figure = parentElement.querySelector(".gf");
};
</script>"""
# What it says, on the screen and to a screen reader.
SAYS = """[...figure.querySelectorAll("[aria-label], [aria-pressed], [aria-valuetext], .gf-readout, .gf-live")]
  .map((one) => [...["aria-label", "aria-pressed", "aria-valuetext"].map((name) => one.getAttribute(name)),
    one.matches(".gf-readout, .gf-live") ? one.innerText : ""].join("|")).join("\\n")"""
TOLD = "[...figure.querySelectorAll('.gf-split > div > .gf-panel, .gf-readout')].at(-1)?.innerText"
# The picture itself: where Tab leads in it, and whether it is painted.
SURFACE = (
    "figure.querySelector('.gf-stage') ?? figure.querySelector('[role=toolbar], [role=group][tabindex], [role=img]')"
)


@pytest.fixture
def alone(browser: Any) -> Iterator[Any]:
    """`alone(name, width=) -> page` with this picture only; whatever it complains of fails the test."""
    contexts, complaints = [], []

    def script(route: Any) -> None:
        path = WIDGETS_FOLDER / route.request.url.split("/", 3)[3]
        if path.is_file():
            route.fulfill(body=path.read_bytes(), content_type="text/javascript")
        else:
            route.fulfill(body=PAGE, content_type="text/html")

    def open_page(name: str, width: int = 1000, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 800}, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"{error}"))
        page.on("console", lambda told: complaints.append(told.text) if told.type in ("error", "warning") else None)
        page.route("**", script)
        page.goto("http://scene.test/")
        page.wait_for_function("!!window.show")
        data = base64.b64encode((MESSAGES / f"{name}.bin").read_bytes()).decode()
        page.evaluate("([path, data]) => show(path, data)", [f"/{PICTURES[name]}", data])
        assert page.locator(".gf-error").count() == 0
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not [one for one in complaints if "willReadFrequently" not in one]


def test_each_has_one_message() -> None:
    assert {path.stem for path in MESSAGES.iterdir()} == set(PICTURES)


def _focus(page: Any) -> bool:
    """Go into the picture, as Tab does; False where there is nothing to walk through."""
    found: bool = page.evaluate(
        f"""(() => {{
            const surface = {SURFACE}, own = surface?.matches('[tabindex="0"]') ? surface : null;
            const inside = own ?? surface?.querySelector('[tabindex="0"]');
            inside?.focus();
            return Boolean(inside);
        }})()"""
    )
    return found


@every_picture
def test_pointer_and_keys_tell_things_and_send_nothing(alone: Any, name: str) -> None:
    page = alone(name)
    first, told = page.evaluate(TOLD), set()
    label = page.evaluate(f"({SURFACE}).getAttribute('aria-label')")
    assert label and "undefined" not in label and "NaN" not in label
    box = page.evaluate(
        f"(() => {{ const b = ({SURFACE}).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }})()"
    )
    for step in range(12):
        page.mouse.move(box[0] + box[2] * (step + 1) / 14, box[1] + min(box[3], 700) * (step + 1) / 14)
        told.add(page.evaluate(TOLD))
    page.mouse.move(999, 799)
    if _focus(page):
        for key in ("Home", "ArrowRight", "ArrowDown", "ArrowRight", "End", "ArrowLeft", "ArrowUp"):
            page.keyboard.press(key)
            told.add(page.evaluate(TOLD))
        says = page.evaluate(SAYS)
        assert first is None or len(told) > 1 or says != first, "nothing was told"
        assert page.evaluate("sent") == []
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        film = page.evaluate("Boolean(figure.querySelector('[type=range]'))")  # it may have been moved
        assert film or page.evaluate("sent") or page.evaluate(TOLD) == first
    assert all("undefined" not in (one or "") and "NaN" not in (one or "") for one in told)


@every_picture
def test_a_choice_is_heard_by_a_screen_reader(alone: Any, name: str) -> None:
    page = alone(name)
    before = page.evaluate(SAYS)
    if page.evaluate(f"({SURFACE}).matches('[role=toolbar], .gf-stage[role=group]')") and _focus(page):
        for key in ("Home", "ArrowRight", "ArrowRight", "Enter"):
            page.keyboard.press(key)
        assert page.evaluate(SAYS) != before or page.evaluate("sent")
    player = page.locator(".gf-controls button", has_text="‹")
    if player.count() and player.is_visible():
        before = page.evaluate(SAYS)
        player.click()
        page.get_by_role("button", name=re.compile("back")).first.click()
        page.locator(".gf-controls button", has_text="›").click()
        page.locator(".gf-controls button", has_text="›").click()
        page.locator(".gf-controls input").first.press("Home")
        assert page.evaluate("sent") == []
        assert page.evaluate(SAYS) != before


@every_picture
def test_it_is_a_table_and_two_files(alone: Any, name: str) -> None:
    page = alone(name)
    page.get_by_role("button", name="Table", exact=True).click()
    rows = page.locator(".gf-table tbody tr")
    assert rows.count() > 0 and page.locator(".gf-table thead th").count() == rows.first.locator("th, td").count()
    page.get_by_role("button", name="Picture", exact=True).click()
    svg = page.evaluate("figure.svg()")
    kinds = page.evaluate(
        "svg => [...new DOMParser().parseFromString(svg, 'image/svg+xml').querySelectorAll('*')].map(n => n.tagName)",
        svg,
    )
    assert "parsererror" not in kinds and len(kinds) > 8
    assert not re.search(r"NaN|undefined|Infinity", re.sub(r'href="data:[^"]*"', "", svg))
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    content = Path(download.value.path()).read_bytes()
    assert content.startswith(b"\x89PNG") and len(content) > 1_500
    assert page.evaluate("sent") == []


@every_picture
def test_it_fits_a_telephone_in_the_dark_and_a_finger_finds_things(alone: Any, name: str) -> None:
    page = alone(name, 390, has_touch=True, is_mobile=True)
    page.evaluate("document.documentElement.classList.add('dark'); document.dispatchEvent(new Event('gf-look'))")
    assert page.evaluate("figure.scrollWidth - figure.clientWidth") <= 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 391
    small = page.evaluate(
        """[...figure.querySelectorAll("button, select, input")].filter((one) => one.checkVisibility())
            .map((one) => [one.textContent, one.getBoundingClientRect()])
            .filter(([, box]) => box.width && (box.width < 23.5 || box.height < 23.5)).map(([text]) => text)"""
    )
    assert small == []
    box = page.evaluate(
        f"(() => {{ const b = ({SURFACE}).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }})()"
    )
    page.touchscreen.tap(box[0] + min(box[2], 370) / 2, box[1] + min(box[3], 700) / 2)
    assert page.locator(".gf-error").count() == 0 and page.evaluate("figure.isConnected")


class _Scripts(BaseHTTPRequestHandler):
    """The page and its scripts, for a browser whose requests no test answers itself."""

    def do_GET(self) -> None:
        path = WIDGETS_FOLDER / self.path[1:]
        body = path.read_bytes() if path.is_file() else PAGE.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if path.is_file() else "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Scripts) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_firefox_draws_them_walks_them_and_makes_their_files(firefox: Firefox, address: str) -> None:
    arrow, escape = "\ue014", "\ue00c"
    for name, path in PICTURES.items():
        firefox.open(address)
        firefox.until("!!window.show")
        data = base64.b64encode((MESSAGES / f"{name}.bin").read_bytes()).decode()
        firefox.evaluate(f"show('/{path}', '{data}').then(() => true)")
        assert firefox.evaluate("figure.querySelector('.gf-error')") is None, name
        stage = f"({SURFACE})"
        firefox.evaluate(
            f"({stage}.matches('[tabindex]') ? {stage} : {stage}.querySelector('[tabindex=\"0\"]'))?.focus()"
        )
        before = firefox.evaluate(SAYS)
        for key in (arrow, arrow):
            firefox.press(key)
        walks = firefox.evaluate(f"Boolean({stage}.matches('[tabindex]') && figure.querySelector('.gf-readout'))")
        assert firefox.evaluate(SAYS) != before or not walks, name
        firefox.press(escape)
        svg = re.sub(r'href="data:[^"]*"', "", firefox.evaluate("figure.svg()"))
        assert not re.search("NaN|undefined", svg), name
        assert firefox.evaluate("sent") == [] or name in ("clock", "gap_row"), name  # Escape takes a choice back
        assert firefox.errors == [], name
