// Things of a painting are pointed at, walked to by keys and chosen; without a browser, on elements that only note.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const DRAWN = new Proxy({}, { get: () => () => ({}), set: () => true }); // a canvas's context: draws nowhere

class Element {
  listeners = {};
  attributes = {};
  style = {};
  addEventListener(kind, heard) {
    this.listeners[kind] = heard;
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  classList = { toggle() {} };
  append() {}
  replaceChildren() {}
  removeAttribute() {}
  getContext() {
    return DRAWN;
  }
  getBoundingClientRect() {
    return { left: 100, top: 50 };
  }
}
Object.assign(globalThis, { document: { createElement: () => new Element() }, devicePixelRatio: 1 });
const { nearest, Painting } = await import("../../../assets/widgets/scene/surfaces.js");

const THINGS = ["a", "b", "c", "d", "e", "beside"];
let picture;
let heard;
const at = (x, kind = "pointermove") => picture.stage.listeners[kind]({ clientX: 100 + x, clientY: 50 });
const press = (key) => {
  const event = { key, target: picture.stage, isTaken: false, preventDefault: () => (event.isTaken = true) };
  picture.stage.listeners.keydown(event);
  return event.isTaken;
};

function show(more = {}) {
  const painting = {
    size: [50, 20],
    at: (x) => (x > 50 ? null : x < 0 ? 5 : Math.floor(x / 10)),
    paint() {},
    mark() {},
  };
  picture.show({ things: THINGS, walked: 5, ...painting, ...more }, { width: 600 }, "Five things.");
  picture.mark(null);
}

beforeEach(() => {
  heard = [];
  const note = (what) => (place) => {
    heard.push(`${what} ${place}`);
    if (what !== "choose") picture.mark(place);
  };
  const reset = () => (picture.marked === null ? false : picture.mark(null));
  picture = new Painting({ point: note("point"), walk: note("walk"), choose: note("choose"), reset });
  show();
});

test("it has its size and its words, and is no picture alone where its things can be chosen", () => {
  assert.deepEqual([picture.stage.style.width, picture.stage.style.height], ["50px", "20px"]);
  assert.deepEqual([picture.stage.attributes.role, picture.stage.attributes["aria-label"]], ["img", "Five things."]);
  show({ choose() {} });
  assert.equal(picture.stage.attributes.role, "group");
});

test("what lies under the pointer is pointed at until a mouse goes", () => {
  at(23);
  at(-3);
  at(60);
  picture.stage.listeners.pointerleave({ pointerType: "touch" });
  assert.deepEqual(heard, ["point 2", "point 5", "point null"]);
  picture.stage.listeners.pointerleave({ pointerType: "mouse" });
  assert.equal(heard.at(-1), "point null");
});

test("all four arrows walk from thing to thing, to the ends and no further", () => {
  for (const key of ["ArrowRight", "ArrowDown", "End", "ArrowRight", "Home", "ArrowUp"]) assert.ok(press(key));
  assert.deepEqual(
    heard,
    [0, 1, 4, 4, 0, 0].map((place) => `walk ${place}`),
  );
  at(-3);
  press("ArrowRight");
  assert.equal(heard.at(-1), "walk 0"); // from what no key reaches, to the first
  assert.ok(press("Escape"));
  assert.ok(!press("Escape"), "there was nothing to forget: the key may mean something to the page");
});

test("in lines, arrows stay in theirs or change it", () => {
  show({ things: "abcdef", walked: 6, across: 3 });
  for (const key of ["ArrowRight", "ArrowDown", "End", "ArrowRight", "ArrowDown", "Home", "ArrowUp"]) press(key);
  assert.deepEqual(
    heard,
    [0, 3, 5, 5, 5, 3, 0].map((place) => `walk ${place}`),
  );
});

test("Enter chooses where something can be chosen, and a key may mean something of its own", () => {
  press("ArrowRight");
  assert.ok(!press("Enter"));
  show({ choose() {}, keys: { ArrowUp: () => void heard.push("up") } });
  picture.mark(1);
  for (const key of ["Enter", " ", "ArrowUp"]) assert.ok(press(key));
  assert.deepEqual(heard, ["walk 0", "choose 1", "choose 1", "up"]);
});

test("the nearest spot is found, and none that is too far", () => {
  const find = nearest([[0, 0], [30, 0]], 20); // prettier-ignore
  assert.deepEqual([find(4, 4), find(18, 0), find(60, 0)], [0, 1, null]);
});
