// A thing of a row is pointed at, walked to by keys, told and marked; without a browser, on elements that only note.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const DRAWN = new Proxy({}, { get: () => () => ({}), set: () => true }); // a canvas's context: draws nowhere

class Element {
  listeners = {};
  attributes = {};
  children = [];
  style = {};
  text = "";
  addEventListener(kind, heard) {
    this.listeners[kind] = heard;
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  append(...children) {
    this.children.push(...children);
  }
  replaceChildren(...children) {
    this.children = children;
  }
  get textContent() {
    return this.text + this.children.map((one) => one.textContent ?? one).join("");
  }
  set textContent(text) {
    this.text = text;
  }
  getContext() {
    return DRAWN;
  }
  getBoundingClientRect() {
    return { left: 100, top: 50 };
  }
}
Object.assign(globalThis, { document: { createElement: () => new Element() }, devicePixelRatio: 1 });
const { alongRow } = await import("../../../assets/widgets/drawing/along_row.js");

let row;
let said;
let marked;
let readout;
const at = (x) => row.stage.listeners.pointermove({ clientX: 100 + x, clientY: 50 });
const press = (key) => {
  const event = { key, target: row.stage, isTaken: false, preventDefault: () => (event.isTaken = true) };
  row.stage.listeners.keydown(event);
  return event.isTaken;
};

beforeEach(() => {
  said = [];
  marked = [];
  const body = new Element();
  const shell = { body, header: { takeaway: "Five things." }, say: (text) => said.push(text) };
  row = alongRow(shell, {
    count: () => 5,
    hint: "Point at one.",
    size: () => [50, 20],
    under: (x) => (x > 50 ? null : x < 0 ? { beside: true } : Math.floor(x / 10)),
    paint: () => {},
    mark: (_, place) => marked.push(place),
    tell: (place) => [`thing ${typeof place === "number" ? place : "beside"}`],
  });
  readout = body.children[1];
  row.draw();
});

test("it has its size, its words, and a hint before one points", () => {
  assert.deepEqual([row.stage.style.width, row.stage.style.height], ["50px", "20px"]);
  assert.equal(row.stage.attributes["aria-label"], "Five things.");
  assert.equal(readout.textContent, "Point at one.");
  assert.deepEqual(marked, []);
});

test("what lies under the pointer is told and marked until a mouse goes", () => {
  at(23);
  assert.equal(readout.textContent, "thing 2");
  at(-3);
  assert.equal(readout.textContent, "thing beside");
  assert.deepEqual(marked, [2, { beside: true }]);
  row.stage.listeners.pointerleave({ pointerType: "touch" });
  assert.equal(readout.textContent, "thing beside");
  row.stage.listeners.pointerleave({ pointerType: "mouse" });
  assert.equal(readout.textContent, "Point at one.");
  assert.deepEqual(said, []);
});

test("keys walk from thing to thing, to the ends and no further, and are read out", () => {
  for (const key of ["ArrowRight", "ArrowRight", "End", "ArrowRight", "Home"]) assert.ok(press(key));
  assert.deepEqual(
    said,
    [0, 1, 4, 4, 0].map((place) => `thing ${place}`),
  );
  at(-3);
  press("ArrowRight");
  assert.equal(readout.textContent, "thing 0"); // from beside the row, its first
  assert.ok(press("Escape"));
  assert.equal(readout.textContent, "Point at one.");
  assert.ok(!press("Escape"), "there was nothing to forget: the key may mean something to the page");
});

test("a new drawing keeps what is pointed at, new numbers forget it", () => {
  at(23);
  row.draw();
  assert.equal(readout.textContent, "thing 2");
  row.forget();
  row.draw();
  assert.equal(readout.textContent, "Point at one.");
});
