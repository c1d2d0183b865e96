// Which key means what, and when a key belongs to somebody else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { maker, place, verdict } from "../../../assets/widgets/page/badge.js";
import { shifted } from "../../../assets/widgets/page/chart_zoom.js";
import { action, comesFirst, current } from "../../../assets/widgets/page/keys_rules.js";

const nothing = { tag: "BODY", role: "" };
const plain = { presenting: false, letters: true, open: false, tabbed: false, black: false };
const big = { ...plain, presenting: true };
const press = (key, more = {}) => ({ key, used: false, control: false, ...more });

test("letters, arrows and Esc", () => {
  assert.equal(action(press("p"), nothing, plain), "present");
  assert.equal(action(press("P"), nothing, plain), "present");
  assert.equal(action(press("?"), nothing, plain), "list");
  assert.equal(action(press("ArrowRight"), nothing, plain), "next");
  assert.equal(action(press("ArrowLeft"), nothing, big), "back");
  assert.equal(action(press("Escape"), nothing, big), "leave");
  assert.equal(action(press("Escape"), nothing, plain), null);
  for (const key of ["r", "c", "Enter", "Tab"]) {
    assert.equal(action(press(key), nothing, big), null, `${key} is not ours`);
  }
});

// What can have the focus on a page: whatever it is, the remote control of a lecturer must go on working.
const TEXTS = [
  { tag: "INPUT", type: "text", role: "" },
  { tag: "INPUT", type: "number", role: "" },
  { tag: "TEXTAREA", role: "" },
  { tag: "DIV", editable: true, role: "" },
];
const CONTROLS = [
  { tag: "INPUT", type: "range", role: "" },
  { tag: "DIV", role: "slider" },
  { tag: "BUTTON", role: "radio" },
  { tag: "BUTTON", role: "" },
  { tag: "INPUT", type: "checkbox", role: "switch" },
  { tag: "DIV", role: "grid" },
  { tag: "DIV", role: "listbox" },
  { tag: "SUMMARY", role: "" },
  { tag: "INPUT", type: "text", role: "combobox" },
  { tag: "SELECT", role: "" },
  { tag: "DIV", role: "region", scrolls: true },
  { tag: "A", role: "" },
];

test("a remote control turns the page in presenter mode wherever the focus is; elsewhere its keys are the browser's", () => {
  const keys = { PageDown: "next", PageUp: "back", Escape: "leave", F5: "leave" };
  for (const part of [nothing, ...TEXTS, ...CONTROLS]) {
    for (const tabbed of [false, true]) {
      for (const [key, does] of Object.entries(keys)) {
        assert.equal(action(press(key), part, { ...big, tabbed }), does, `${key} on ${JSON.stringify(part)}`);
        assert.ok(comesFirst(key, { ...big, tabbed }), `${key} waits for what has the focus`);
        assert.equal(action(press(key), part, { ...plain, tabbed }), null);
      }
    }
  }
  assert.equal(action(press("PageDown"), nothing, { ...big, open: true }), "next");
  assert.equal(action(press("Escape"), nothing, { ...big, open: true }), null); // closes what is open, as everywhere
});

test("after a click the keys are the page's, and after Tab they are the control's", () => {
  const keys = { ArrowRight: "next", ArrowLeft: "back", ArrowDown: "down", " ": "next", Home: "first", End: "last" };
  for (const [key, does] of Object.entries(keys)) {
    for (const part of [nothing, ...CONTROLS]) {
      assert.equal(action(press(key), part, big), does, `${key} after a click on ${JSON.stringify(part)}`);
    }
    for (const part of TEXTS) assert.equal(action(press(key), part, big), null, `${key} while typing`);
    assert.ok(comesFirst(key, big) && !comesFirst(key, { ...big, tabbed: true }) && !comesFirst(key, plain));
    assert.equal(action(press(key), { tag: "INPUT", type: "range", role: "" }, { ...big, tabbed: true }), null);
    assert.equal(action(press(key), nothing, { ...big, tabbed: true }), does);
  }
  assert.equal(action(press(" ", { shift: true }), nothing, big), "back");
  assert.equal(action(press(" "), { tag: "BUTTON", role: "" }, { ...big, tabbed: true }), null);
  assert.equal(action(press("ArrowRight"), { tag: "BUTTON", role: "" }, { ...big, tabbed: true }), "next");
  for (const key of [" ", "Home", "End", "ArrowDown", "b", "."]) {
    assert.equal(action(press(key), nothing, plain), null, `${key} outside presenter mode`);
  }
});

test("a black screen, and every key brings the page back", () => {
  for (const key of ["b", "B", "."]) {
    for (const part of [nothing, ...CONTROLS]) assert.equal(action(press(key), part, big), "black");
  }
  for (const part of TEXTS) assert.equal(action(press("b"), part, big), null);
  const dark = { ...big, black: true };
  for (const key of ["b", "PageDown", "Enter", "x"]) assert.equal(action(press(key), TEXTS[0], dark), "black");
  assert.equal(action(press("Escape"), nothing, dark), "leave");
  assert.equal(action(press("Shift"), nothing, dark), null);
});

test("nothing while one types, or where a part has answered the key itself", () => {
  for (const part of [...TEXTS, { tag: "INPUT", type: "text", role: "combobox" }]) {
    for (const key of ["p", "?", "ArrowRight"]) assert.equal(action(press(key), part, plain), null);
  }
  const slider = { tag: "INPUT", type: "range", role: "" };
  assert.equal(action(press("ArrowRight"), slider, plain), null);
  assert.equal(action(press("p"), slider, plain), "present");
  assert.equal(action(press("ArrowRight"), { tag: "DIV", role: "slider" }, plain), null);
  assert.equal(action(press("ArrowRight"), { tag: "DIV", role: "region", scrolls: true }, plain), null);
  assert.equal(action(press("ArrowRight", { used: true }), nothing, big), null);
  assert.equal(action(press("p", { control: true }), nothing, plain), null);
  assert.equal(action(press("p"), nothing, { ...plain, open: true }), null);
  for (const key of ["p", "b", "."]) assert.equal(action(press(key), nothing, { ...big, letters: false }), null);
});

test("the exhibit on show", () => {
  assert.equal(current([300, 1200], 270), -1);
  assert.equal(current([0, 900], 270), 0);
  assert.equal(current([-900, 12], 270), 1);
  assert.equal(current([], 270), -1);
});

test("a pointer over an enlarged chart finds the chart's own place", () => {
  const box = { left: 100, top: 50, width: 300, height: 150 };
  const [x, y] = shifted(box, 250, 80, 1.5);
  assert.equal(250 - x, 100); // 150 pixels of the screen are 100 of the chart
  assert.equal(80 - y, 20);
});

test("what the badge says", () => {
  const badge = { index: [2, "row", "column"], rows: null, columns: null, model: "Stories", step: 2000, seed: 0 };
  assert.equal(place(badge, [5, 3], ["query", "key"]), "[2, 5, 3]");
  assert.equal(place(badge, null, ["query", "key"]), "[2, query, key]");
  assert.equal(place({ ...badge, index: ["column", "row"], rows: [40, 7] }, [1, 3], ["unit", "token"]), "[3, 7]");
  assert.equal(maker(badge), "Stories, step 2,000, seed 0");
  assert.equal(maker({ ...badge, step: null, seed: null }), "Stories");
  const found = { largest: 3.3e-7, n_number: 3600, is_all: true };
  assert.match(
    verdict(found, { again: 0.25, shown: 0.2500001, difference: -1e-7 }),
    /^Recomputed: 0\.2500000\. Shown: 0\.2500001\. Difference here: 1\.0·10⁻⁷\. Largest difference in all 3,600 numbers of the tensor: 3\.3·10⁻⁷\.$/,
  );
  assert.match(verdict({ ...found, is_all: false }), /shown here.*Point at a cell/);
});
