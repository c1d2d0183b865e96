"""A class in real browsers: a teacher's desk, a projector, two phones; from the code on the wall to the end."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Error, expect

from tests.browser.fixtures import KNOWN, _new_page, counted
from tests.browser.rooms import follow, serious_faults, still

PHONE = {"has_touch": True}
Opened = Any  # `opened(path, width) -> page`, with `errors`


@pytest.fixture
def opened(browser: Any, url: str) -> Iterator[Opened]:
    """`opened(path, width) -> page`, each in a browser of its own; what a console complains of fails the test."""
    errors: list[str] = []
    pages: list[Any] = []

    def start(path: str, width: int = 390, **options: Any) -> Any:
        page = _new_page(browser, errors, url, width, False, options)
        page.context.clear_cookies()  # newcomers, at the depth of stories
        page.goto(f"{url}/{path}")
        pages.append(page)
        return page

    start.errors = errors  # type: ignore[attr-defined]
    yield start
    for page in pages:
        with suppress(Error):
            page.context.close()
    assert not [one for one in errors if not KNOWN.search(one)]


def app(page: Any) -> Any:
    return page.frame_locator("iframe.app")


def shows(page: Any, address: str) -> None:
    """Wait until its frame is at this address, and the script of that page is done."""
    for _ in range(300):
        here = next((one.url for one in page.frames[1:] if re.search(address, one.url)), "")
        if here:
            break
        page.wait_for_timeout(100)
    assert here, [one.url for one in page.frames]
    expect(app(page).locator('[data-testid="stApp"][data-test-script-state="notRunning"]')).to_be_attached()


def show_app(projector: Any) -> None:
    """Uncover the app on the projector, which begins in presenter mode, and bring its sidebar back."""
    projector.get_by_role("button", name="Begin").click()
    leave = app(projector).get_by_role("button", name="Leave presenter mode")
    expect(leave).to_be_visible()
    expect(app(projector).get_by_test_id("stSidebar")).to_be_hidden()
    leave.click()


def begin(opened: Opened) -> tuple[Any, Any, str]:
    """As a teacher does, by clicks from Home: the desk, the projector, and the code."""
    home = opened("", 1440)
    follow(home.get_by_test_id("stSidebar"), "Start a class")
    still(home)  # a click on a link that is drawn anew between press and release opens nothing
    with home.expect_popup() as tab:
        home.get_by_test_id("stMain").get_by_role("link", name="Start a class").click()
    desk = counted(tab.value)
    with desk.expect_popup() as tab:
        desk.get_by_role("button", name="Open the projector").click()
    projector = counted(tab.value)
    projector.set_viewport_size({"width": 1024, "height": 768})
    expect(projector.get_by_role("img", name="QR code")).to_be_visible()
    code = projector.locator("p.code").inner_text()
    # No key where all look, nor in the history of the room's computer; and what all look at holds the weaker one alone.
    assert re.fullmatch("[0-9A-Z]{6}", code) and desk.url.split("#")[1] == projector.url.split("#")[1] == code
    kept = [
        page.evaluate("Object.keys(sessionStorage).filter(name => name.startsWith('glassformer.'))")
        for page in (desk, projector)
    ]
    assert sorted(kept[0]) == ["glassformer.desk", "glassformer.projector"] and kept[1] == ["glassformer.projector"]
    return desk, projector, code


def join(opened: Opened, code: str, name: str = "") -> Any:
    """With the code typed; who gives no name comes by the QR code, which is a link."""
    phone = opened("join" if name else f"join#{code}", 390, **PHONE)
    if name:
        phone.get_by_label("Code of the class").fill(code.lower())
    phone.get_by_label("Nickname").fill(name)
    phone.get_by_role("button", name="Join").click()
    expect(phone.get_by_text("With the class")).to_be_visible()
    return phone


# What a class cannot read from the last row: text below 24 px (in a picture, as it is scaled), or beyond the edge.
UNREADABLE = """() => {
  const faults = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode()); ) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest('script, style, noscript') || !element.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const scale = element.getScreenCTM?.().a ?? 1;
    const size = scale * parseFloat(getComputedStyle(element).fontSize);
    if (size < 23.9) faults.push(`${size.toFixed(1)} px: ${node.data.trim().slice(0, 30)}`);
    const sheet = (element.closest('.sheet') ?? document.body).getBoundingClientRect();
    const isCut = box.right > innerWidth + 1 || box.bottom > sheet.bottom + 1;
    if (isCut) faults.push(`cut: ${node.data.trim().slice(0, 30)}`);
  }
  return faults;
}"""


def is_readable(wall: Any) -> None:
    """Wait until all text on the wall can be read from the last row."""
    for _ in range(50):
        if not (faults := wall.evaluate(UNREADABLE)):
            return
        wall.wait_for_timeout(100)
    assert faults == []


def test_a_class_from_the_code_to_the_end(opened: Opened) -> None:
    desk, projector, code = begin(opened)
    mia, tom = join(opened, code, "Mia"), join(opened, code)
    expect(desk.get_by_role("heading", name="Learners: 2")).to_be_visible()
    expect(projector.get_by_text("2 learners")).to_be_visible()
    assert "Mia" not in projector.locator("body").inner_text()

    # Follow me: a room by clicks in the projector, then a choice that the browser answers.
    show_app(projector)
    follow(app(projector).get_by_test_id("stSidebar"), "Attention heads")
    for phone in (mia, tom):
        shows(phone, r"/heads$")
    app(projector).get_by_role("button", name="head 1.2").first.click()
    shows(projector, r"/heads\?")
    address = next(one.url for one in projector.frames[1:] if "/heads" in one.url).split("/heads")[1]
    for phone in (mia, tom):
        shows(phone, re.escape(f"/heads{address}"))

    expect(desk.get_by_role("button", name=re.compile("Mia at work Attention heads"))).to_be_visible()

    # Tom goes his own way, isn't pulled back, and gets a button.
    follow_in_phone(tom, "Masks")
    shows(tom, "/masks")
    expect(tom.get_by_text("You're on your own way")).to_be_visible()
    desk.get_by_label("A lesson", exact=True).select_option("masks")
    shows(mia, "lesson=masks&step=1")
    shows(projector, "lesson=masks&step=1")
    shows(tom, "/masks")
    tom.get_by_role("button", name="Back to the class").click()
    shows(tom, "lesson=masks&step=1")

    # A question of the lesson: nobody sees an answer before it is revealed; then the computation answers.
    desk.get_by_role("button", name="How many of the 36 cells").click()
    expect(projector.get_by_text("A number from 0 to 36")).to_be_visible()
    is_readable(projector)
    # The page's own question, which would give the answer away, is closed meanwhile.
    own = app(mia).locator(".st-key-gf-predict-masks-1-1")
    expect(own).to_be_attached()
    expect(own.get_by_role("button", name="Just show me")).to_be_hidden()
    for phone, value in ((mia, "21"), (tom, "18")):
        phone.get_by_label("Your answer").fill(value)
        phone.get_by_role("button", name="Send").click()
        expect(phone.get_by_text("You can change it")).to_be_visible()
    expect(projector.get_by_text("2 of 2 answered")).to_be_visible()
    assert not projector.locator("svg.histogram").count() and not mia.locator("svg.histogram").count()
    desk.get_by_role("button", name="Reveal").click()
    expect(projector.locator("svg.histogram")).to_be_visible()
    is_readable(projector)
    desk.get_by_role("button", name="Let it be computed").click()
    for page in (projector, mia, tom):
        expect(page.get_by_text("has 21 open cells").first).to_be_visible()
    expect(mia.get_by_text("Your answer: 21 cells ✓ Right.")).to_be_visible()
    expect(tom.get_by_text("Your answer: 18 cells ✗ Not this time.")).to_be_visible()
    is_readable(projector)
    expect(desk.get_by_role("button", name=re.compile("Mia ✓ right"))).to_be_visible()

    assert [serious_faults(page) for page in (desk, projector, mia)] == ["", "", ""]

    # A reload comes back to the same answer; eyes up front covers the phones.
    mia.reload()
    expect(mia.get_by_text("has 21 open cells")).to_be_visible()
    desk.get_by_role("button", name="Done", exact=True).click()
    expect(app(tom).get_by_text("You said 18 cells")).to_be_visible()  # the class answer is the page's prediction
    desk.get_by_role("button", name="Eyes up front").click()
    expect(tom.get_by_role("heading", name="Eyes up front")).to_be_visible()
    desk.get_by_role("button", name="Eyes up front").click()
    expect(tom.get_by_role("heading", name="Eyes up front")).to_be_hidden()

    # Stuck, and a screen lifted to the projector with consent.
    mia.get_by_role("button", name="I'm stuck").click()
    desk.get_by_role("button", name=re.compile("Mia ✋ stuck")).click()
    desk.get_by_role("button", name="Show this screen").click()
    follow_in_phone(tom, "Tokens")
    mia.get_by_role("button", name="Yes, show it").click()
    expect(projector.get_by_text("What a learner found")).to_be_visible()

    # Sent out; then the end.
    desk.get_by_role("button", name="Send out").click()
    expect(mia.get_by_text("You are no longer in this class.")).to_be_visible()
    expect(desk.get_by_role("heading", name="Learners: 1")).to_be_visible()
    desk.get_by_text("End the class").click()
    desk.get_by_role("button", name="End it and delete everything").click()
    for page in (desk, projector, tom):
        expect(page.get_by_role("heading", name=re.compile("class (is over|has ended)|Your class"))).to_be_visible()


def follow_in_phone(phone: Any, room: str) -> None:
    app(phone).get_by_test_id("stExpandSidebarButton").click()
    follow(app(phone).get_by_test_id("stSidebar"), room)


@pytest.mark.full
def test_every_kind_of_question_is_answered_with_a_finger(opened: Opened) -> None:
    desk, projector, code = begin(opened)
    mia = join(opened, code)

    def asked(kind: str) -> None:
        desk.get_by_label("Your question").fill(f"A question about {kind}?")
        desk.get_by_role("button", name=kind, exact=True).click()
        desk.get_by_role("button", name="Ask", exact=True).click()
        expect(mia.get_by_text(f"A question about {kind}?")).to_be_visible()

    def shown(what: str) -> None:
        expect(mia.get_by_text("You can change it")).to_be_visible()
        desk.get_by_role("button", name="Reveal").click()
        expect(projector.locator(what).first).to_be_visible()
        desk.get_by_role("button", name="Done", exact=True).click()
        expect(mia.locator("section.sheet")).to_be_hidden()

    asked("a choice")
    mia.get_by_role("button", name="yes").click()
    shown(".bars")
    asked("a token")
    mia.get_by_role("button", name="␣played").click()
    shown(".token b")
    asked("a cell")
    mia.get_by_role("button", name="saw, Mia").click()
    shown("td.heat")
    asked("a word")
    mia.get_by_label("Your word").fill("ball")
    mia.get_by_role("button", name="Send").click()
    shown(".bars")
    asked("a curve")
    sheet = mia.locator("canvas.gf-sheet")
    sheet.scroll_into_view_if_needed()
    box = sheet.bounding_box()
    mia.mouse.move(box["x"] + 56, box["y"] + 60)
    mia.mouse.down()
    mia.mouse.move(box["x"] + box["width"] - 18, box["y"] + 180, steps=20)
    mia.mouse.up()
    mia.get_by_role("button", name="Commit").click()
    shown("svg.curves path.one")


@pytest.mark.full
def test_the_class_as_a_language_model(opened: Opened) -> None:
    desk, projector, code = begin(opened)
    mia, tom = join(opened, code), join(opened, code)
    desk.get_by_role("button", name="a word", exact=True).click()
    desk.get_by_role("button", name="Take a story").click()
    expect(desk.get_by_label("A text to continue")).not_to_have_value("")
    desk.get_by_role("button", name="Ask", exact=True).click()
    for phone, word in ((mia, "zebra"), (tom, "rude")):
        phone.get_by_label("Your word").fill(word)
        phone.get_by_role("button", name="Send").click()
    # The teacher reads the words before they go on the wall, and removes one.
    desk.get_by_role("button", name="Remove “rude”").click()
    expect(tom.get_by_text("Your teacher has removed your answer.")).to_be_visible()
    desk.get_by_role("button", name="Let it be computed").click()
    table = projector.locator("table.words")
    expect(table.get_by_role("columnheader", name="GPT")).to_be_visible()
    assert "rude" not in projector.locator("body").inner_text()
    is_readable(projector)
    columns = mia.locator("table.words th").all()
    assert len(columns) > 4 and max(one.bounding_box()["x"] + one.bounding_box()["width"] for one in columns) <= 390
    expect(table.get_by_text("∞")).to_be_visible()
    desk.get_by_role("button", name="Write on with “zebra”").click()
    expect(projector.locator("p.given")).to_contain_text("zebra …")


@pytest.mark.full
def test_at_ones_own_pace_one_stays_in_the_steps_and_nothing_moves_under_a_finger(opened: Opened) -> None:
    desk, _, code = begin(opened)
    mia = join(opened, code)
    desk.get_by_label("A lesson", exact=True).select_option("masks")
    shows(mia, "lesson=masks&step=1")
    desk.get_by_role("button", name="steps at their pace").click()
    desk.get_by_label("Step", exact=True).last.select_option("2")
    expect(mia.get_by_text("Steps 1 to 2, at your pace")).to_be_visible()
    for step in (2, 2):
        app(mia).locator(".st-key-gf-lesson-next button").click()
        shows(mia, f"lesson=masks&step={step}")
    expect(mia.get_by_text("The class stays in steps 1 to 2 for now.")).to_be_visible()
    desk.get_by_role("button", name="what I show").click()
    shows(mia, "lesson=masks&step=1")
    expect(app(mia).locator(".st-key-gf-lesson-step-masks-1")).to_be_visible()
    expect(mia.locator(".as-shown")).to_be_hidden()  # a finger on it is not on one's own work
    mia.mouse.move(200, 500)
    mia.mouse.down()
    desk.get_by_role("button", name="The next step").click()
    mia.wait_for_timeout(1500)
    shows(mia, "lesson=masks&step=1")
    mia.mouse.up()
    shows(mia, "lesson=masks&step=2")


@pytest.mark.full
def test_what_a_teacher_is_typing_stays_while_others_act(opened: Opened) -> None:
    """Catch a desk that is drawn anew with each word of a learner."""
    desk, _, code = begin(opened)
    join(opened, code, "Mia")
    desk.get_by_role("button", name=re.compile("^Mia")).click()
    name = desk.get_by_label("Name", exact=True)
    name.fill("Mia B")
    tom = join(opened, code, "Tom")
    tom.get_by_role("button", name="I'm stuck").click()
    expect(desk.get_by_role("button", name=re.compile("Tom ✋ stuck"))).to_be_visible()
    expect(name).to_have_value("Mia B")
    expect(name).to_be_focused()


@pytest.mark.full
def test_a_lost_line_comes_back_and_what_was_said_meanwhile_arrives(opened: Opened) -> None:
    desk, _, code = begin(opened)
    mia = join(opened, code, '<img src="x" onerror="document.title = 1">')
    expect(desk.get_by_role("button", name="<img src")).to_be_visible()
    app(mia).locator("h1").wait_for()
    for frame in mia.frames:
        frame.wait_for_load_state("networkidle")  # what the app still loads would fail
    mia.context.set_offline(True)
    expect(mia.get_by_text("No connection. It comes back by itself.")).to_be_visible()
    mia.get_by_role("button", name="I'm stuck").click()
    mia.context.set_offline(False)
    expect(mia.get_by_text("With the class")).to_be_visible()
    expect(desk.get_by_role("button", name=re.compile("stuck"))).to_be_visible()
    mia.context.close()
    opened.errors.clear()  # what a browser says of a network that is gone


@pytest.mark.full
def test_a_frame_that_was_led_back_is_told_once_more(opened: Opened) -> None:
    _, projector, code = begin(opened)
    mia = join(opened, code, "Mia")
    show_app(projector)
    follow(app(projector).get_by_test_id("stSidebar"), "Masks")
    shows(mia, "/masks$")
    mia.frames[1].evaluate("history.replaceState(null, '', '/tokens')")
    shows(mia, "/tokens$")
    shows(mia, "/masks$")


@pytest.mark.full
def test_what_stands_on_the_projector_is_there_before_ones_own_app(opened: Opened) -> None:
    _, projector, code = begin(opened)
    mia = join(opened, code, "Mia")
    show_app(projector)
    mia.evaluate("Math.random = () => 200")  # her own app waits for seconds, as in a large class
    projector.route(re.compile("classroom/board.*at=masks"), lambda one: one.abort(), times=1)  # it is laid once more
    follow(app(projector).get_by_test_id("stSidebar"), "Masks")
    board = mia.locator(".as-shown")
    expect(board).to_be_visible()
    there = board.locator('iframe[srcdoc*="Train without the mask"]')
    expect(there).to_be_visible()
    assert "<svg" in there.get_attribute("srcdoc")
    projector.route(re.compile("classroom/board.*at=positions"), lambda one: one.abort())  # and now it never comes
    follow(app(projector).get_by_test_id("stSidebar"), "Positions")
    expect(board).to_be_hidden()  # rather nothing than a room where the class no longer is
    shows(mia, "/positions")

    # Whoever made it: nothing of it runs.
    page = "<script>parent.document.title = 'hacked'</script><img src=x onerror='parent.document.title = `hacked`'>"
    laid = projector.evaluate(
        "page => { const {code, key} = JSON.parse(sessionStorage['glassformer.projector']);"
        "return fetch(`classroom/board?of=${code}&at=tokens`, {method: 'POST', headers: {'x-key': key},"
        "body: page + '<h1>Read me</h1>'}).then(answer => answer.status) }",
        page,
    )
    assert laid == 200
    own: list[Any] = []  # held back until the other one was seen
    projector.route(re.compile("classroom/board.*at=tokens"), lambda one: own.append(one))
    follow(app(projector).get_by_test_id("stSidebar"), "Tokens")
    expect(board).to_be_visible()
    there = board.locator('iframe[srcdoc*="Read me"]')
    expect(there).to_be_attached()
    while not own:
        projector.wait_for_timeout(100)
    own[0].continue_()
    expect(there).not_to_be_attached()  # what the projector really shows has taken its place
    assert mia.title() == "Join a class"
    assert any("Blocked script execution" in one for one in opened.errors)
    opened.errors[:] = [one for one in opened.errors if "about:srcdoc" not in one and "Failed to load" not in one]
