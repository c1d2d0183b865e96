"""Every control of a page, found in the page itself and moved as a person would: by a key, a click, or typing.

What a page shows is told by `shown`: each control's value, each text, and what each picture says of itself; and by
`drawn`: the pixels of each picture.
"""

import re
from dataclasses import dataclass
from typing import Any

# Furniture, which changes nothing of what the room shows; work that takes minutes or measures this machine's speed;
# and what leads elsewhere.
FURNITURE = re.compile(
    r"^(Show the numbers as a table|Table|Picture|PNG|SVG|Play|Pause|Share|Link|Code|Numbers|Download|Train|Stop|Resume"
    r"|Measure|Copy|Open it|Look it up|Browse|Upload|Close|Clear|Reset|Start again|Undo|Redo|Where is this number"
    r"|Use my last|Back to the example|Delete|Rename|Run it|Try it|Fullscreen|View|Check it|More about|More$|Open$"
    r"|Large type|Help for|Tensor, model)",
    re.IGNORECASE,
)

# What has the focus tells of itself, in whatever shadow it stands.
LEAVE = """() => {
  let e = document.activeElement;
  while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  e?.blur();
}"""

DRAFT = "Row editor"  # nothing before "Apply"
OF_THIS_VISIT = "Use my last drawing"  # a button that only whoever has drawn here sees

_DEEP = """
const main = document.querySelector('[data-testid=stMain]');
const all = (root, found = []) => {
  for (const e of root.querySelectorAll('*')) { found.push(e); if (e.shadowRoot) all(e.shadowRoot, found); }
  return found;
};
const isOwn = e => e.getRootNode() !== document;
const icon = e => e.querySelector('[data-testid=stIconMaterial]')?.textContent ?? '';
const name = e => (e.getAttribute('aria-label') || e.title || e.textContent.replace(icon(e), '')).trim().slice(0, 60);
const group = e => e.closest('[data-testid=stButtonGroup],[role=radiogroup]');
const kind = e => {
  if (e.disabled || e.getAttribute('aria-disabled') === 'true') return null;
  const own = isOwn(e), at = id => !own && e.closest(`[data-testid=${id}]`);
  if (e.matches('input[type=range]')) return 'range';
  if (own && e.matches('select')) return 'choice';
  if (own && e.matches('[role=listbox], [role=toolbar]')) return 'chips';
  if (own && e.closest('[role=toolbar]')) return null;
  if (own && e.matches('[role=img][tabindex="0"],[role=application][tabindex="0"],[role=group][tabindex="0"]'))
    return 'stage';
  if (own && e.matches('input[type=checkbox]')) return 'check';
  if (own && e.matches('button')) return e.getAttribute('aria-pressed') === 'true' ? null : 'press';
  if (own) return null;
  if (at('stNumberInput') && e.matches('input')) return 'number';
  if (at('stTextArea') && e.matches('textarea') || at('stTextInput') && e.matches('input')) return 'text';
  if (e.matches('.gf-choice textarea')) return 'text';
  if (at('stCheckbox') && e.matches('input')) return 'check';
  if (at('stSelectbox') && e.matches('input')) return 'select';
  if (at('stButtonGroup') && e.matches('button')) {
    const box = group(e), on = b => ['true'].includes(b.getAttribute('aria-checked') ?? b.getAttribute('aria-pressed'));
    if (e.closest('[class*="st-key-gf-panel-"], [class*="st-key-gf-try-"]')) return null;
    const buttons = [...box.querySelectorAll('button')], first = buttons.findIndex(on);
    return buttons[(first + 1) % buttons.length] === e && !on(e) ? 'press' : null;
  }
  if (at('stButton') && e.matches('button')) return 'press';
  return null;
};
const seen = e => { const box = e.getBoundingClientRect(); return box.width > 0 && box.height > 0; };
// What is folded away is not there; the field of a checkbox is drawn by its label.
const there = e => e.checkVisibility({visibilityProperty: true}) && seen(e) || e.matches('input[type=checkbox]');
const found = () => all(main).filter(e => kind(e) && there(e))
  .map(e => [kind(e), name(e), e, isOwn(e)]);
"""

SHOWN = (
    "() => {"
    + _DEEP
    + """
  const said = [];
  // What to try is a way to set controls: which one was clicked last, and what it asks then, is no part of the room.
  const tries = [...main.querySelectorAll('[class*="st-key-gf-try-"] button')];
  const tried = text => tries.some(e => text.trim().startsWith(name(e)));
  for (const e of all(main).filter(e => !e.closest('[class*="st-key-gf-try-"]'))) {
    if (!isOwn(e)) {
      if (e.matches('[data-testid=stMarkdownContainer], [data-testid=stHeading], [data-testid=stAlert]')) {
        if (e.closest('[data-testid=stExpander]') === null && !tried(e.innerText)) said.push(e.innerText);
      } else if (e.matches('input, textarea') && !e.closest('[data-testid=stFileUploader]')) {
        said.push(`${name(e)} = ${e.type === 'checkbox' ? e.checked : e.value}`);
      } else if (e.matches('[data-testid=stButtonGroup] button')) {
        said.push(`${name(e)} ${e.getAttribute('aria-checked') ?? e.getAttribute('aria-pressed')}`);
      } else if (e.matches('[data-testid=stVegaLiteChart], [data-testid=stPlotlyChart]')) {
        said.push(`chart ${e.querySelector('[aria-label]')?.getAttribute('aria-label')}`);
      }
    } else if (e.matches('input, select')) said.push(`own ${name(e)} = ${e.type === 'checkbox' ? e.checked : e.value}`);
    else if (e.matches('[role=img], [role=listbox], [role=toolbar], [role=application], [role=group]'))
      said.push(`own ${name(e)}`);
    else if (e.matches('[aria-pressed], [aria-selected]') && !e.closest('.gf-tools'))
      said.push(`own ${name(e)} ${e.getAttribute('aria-pressed') ?? e.getAttribute('aria-selected')}`);
    else if (e.matches('.gf-title, .gf-note, .gf-readout')) said.push(`own ${e.textContent}`);
  }
  return said;
}"""
)

# Every picture is painted anew first: one that was painted before its font had come would differ.
DRAWN = (
    "async () => {"
    + _DEEP
    + """
  await document.fonts.ready;
  document.dispatchEvent(new Event('gf-look'));
  const sum = text => [...text].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0) | 0, 0);
  const pixels = canvas => canvas.width && canvas.height ? sum(canvas.toDataURL()) : 0;
  return all(main).filter(e => e.matches('figure.gf') && seen(e))
    .map(e => `drawn ${e.querySelector('.gf-title').textContent}: ${[...e.querySelectorAll('canvas')].map(pixels)}`);
}"""
)


@dataclass(frozen=True)
class Control:
    """A control as it was found.

    Attributes:
        kind: how it is moved.
        name: what it is called on the page.
        own: whether it belongs to one of our own widgets.
        nth: which of those with the same kind and name.
        is_clicked: a picture or a text that is clicked, where its twin is gone through by keys.
    """

    kind: str
    name: str
    own: bool
    nth: int
    is_clicked: bool = False


def controls(page: Any) -> list[Control]:
    """All that can be moved now, from top to bottom."""
    rows = page.evaluate(f"() => {{{_DEEP} return found().map(([k, n, , own]) => [k, n, own]); }}")
    counts: dict[tuple[str, str, bool], int] = {}
    found = []
    for kind, name, own in rows:
        if (kind == "press" and (FURNITURE.search(name) or not name)) or name.startswith(DRAFT):
            continue
        nth = counts[kind, name, own] = counts.get((kind, name, own), -1) + 1
        found.append(Control(kind, name, own, nth))
        if kind in ("chips", "stage"):
            found.append(Control(kind, name, own, nth, is_clicked=True))
    return found


def shown(page: Any) -> list[str]:
    """What the page shows, line by line."""
    said: list[str] = page.evaluate(SHOWN)
    return [line for one in said if (line := " ".join(one.split())) != OF_THIS_VISIT]


def drawn(page: Any) -> list[str]:
    """What each picture's pixels add up to, a line for each picture."""
    lines: list[str] = page.evaluate(DRAWN)
    return lines


def _click(page: Any, handle: Any) -> None:
    """Click a picture beside its middle, or the fourth piece of a text, and take the pointer away."""
    pieces = [one for one in handle.query_selector_all("[data-i]") if one.is_visible()]  # not a screen reader's own
    if pieces:
        pieces[min(3, len(pieces) - 1)].click()
    else:
        box = handle.bounding_box()
        handle.click(position={"x": 0.62 * box["width"], "y": 0.55 * box["height"]})
    page.mouse.move(0, 0)
    page.evaluate(LEAVE)


def move(page: Any, control: Control) -> bool:
    """Move it by one; False where it is no longer there."""
    handle = page.evaluate_handle(
        f"([k, n, own, nth]) => {{{_DEEP}"
        "return found().filter(one => one[0] === k && one[1] === n && one[3] === own)[nth]?.[2] ?? null; }",
        [control.kind, control.name, control.own, control.nth],
    ).as_element()
    if handle is None:
        return False
    if control.kind in ("press", "check"):
        handle.evaluate("e => e.click()")
        return True
    if control.is_clicked:
        _click(page, handle)
        return True
    inside = handle.query_selector("button[tabindex='0']") if control.kind == "chips" else None
    (inside or handle).focus()
    press = page.keyboard.press
    if control.kind == "range":
        press("ArrowLeft" if handle.evaluate("e => +e.value >= +e.max") else "ArrowRight")
    elif control.kind == "choice":
        handle.evaluate(
            "e => { e.selectedIndex = (e.selectedIndex + 1) % e.options.length;"
            "for (const one of ['input', 'change']) e.dispatchEvent(new Event(one, {bubbles: true})); }"
        )
    elif control.kind in ("chips", "stage"):
        for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
            press(key)
        handle.evaluate("e => e.dispatchEvent(new PointerEvent('pointerleave', {pointerType: 'mouse'}))")
        page.evaluate(LEAVE)
    elif control.kind == "number":
        press("ArrowDown" if handle.evaluate("e => e.max !== '' && +e.value >= +e.max") else "ArrowUp")
        press("Enter")
    elif control.kind == "text":
        words = handle.input_value().split(" ")
        handle.fill(" ".join(words[:-1]) if len(words) > 1 else "the")
        press("Control+Enter")
    elif control.kind == "select":
        handle.click()
        options = page.locator("[role=option]")
        options.first.wait_for()
        texts = options.all_inner_texts()
        now = handle.input_value()
        following = (texts.index(now) + 1) % len(texts) if now in texts else 0
        options.nth(following).click()
    return True
