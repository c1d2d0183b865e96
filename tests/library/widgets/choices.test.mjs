import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

globalThis.location = new URL("http://host/heads");
globalThis.history = {
  state: null,
  replaceState: (_, __, address) => (globalThis.location = new URL(address, globalThis.location)),
};
globalThis.requestAnimationFrame = (act) => setTimeout(act);
const choices = await import("../../../assets/widgets/page/choices.js");

const LAYER = { name: "layer", low: 0, high: 3, step: 1, value: 1, default: 1, begins: "0", fixed: null, of: null };
const QUERY = { ...LAYER, name: "query", high: 9, value: 9, default: 9 };
const KEY = { ...LAYER, name: "key", low: -1, high: 9, value: -1, default: -1, of: "query" };
const RANK = { ...LAYER, name: "rank", options: [["first", "First token"], ["focus", "Focus"]], value: "first", default: "first" }; // prettier-ignore
let path = 0;

beforeEach(() => {
  globalThis.location = new URL(`http://host/page${path++}`); // each test on a page that nobody has seen
  for (const one of [LAYER, QUERY, KEY, RANK]) choices.declare(one);
});

test("a choice is known at once, and stands in the address unless it is where it began", () => {
  choices.choose({ layer: 3, rank: "focus" });
  assert.deepEqual([choices.valueOf("layer"), choices.indexOf("rank")], [3, 1]);
  choices.write();
  assert.equal(globalThis.location.search, "?layer=3&rank=focus");
  choices.choose({ layer: 1 });
  choices.write();
  assert.equal(globalThis.location.search, "?rank=focus");
});

test("what the server says again does not undo what was chosen; what begins anew does", () => {
  choices.choose({ layer: 3 });
  choices.declare(LAYER);
  assert.equal(choices.valueOf("layer"), 3);
  choices.declare({ ...LAYER, high: 2 }); // a smaller model: the nearest that it has
  assert.equal(choices.valueOf("layer"), 2);
  choices.declare({ ...LAYER, value: 0, begins: "1" });
  assert.equal(choices.valueOf("layer"), 0);
});

test("what the server has set anew hasn't begun before it is here", () => {
  const hasBegun = (times) => choices.hasBegun("layer", times);
  choices.declare({ ...LAYER, begins: "9 abc" });
  assert.deepEqual([hasBegun(9), hasBegun(10), choices.hasBegun("nobody", 0)], [true, false, false]);
  choices.declare({ ...LAYER, begins: "10 abc" });
  assert.ok(hasBegun(10) && hasBegun(9)); // a panel that was drawn before need not be drawn anew
});

test("a key begins anew where its query moves, unless both are chosen", () => {
  choices.choose({ query: 5, key: 2 });
  assert.deepEqual([choices.valueOf("query"), choices.valueOf("key")], [5, 2]);
  choices.choose({ layer: 2 });
  assert.equal(choices.valueOf("key"), 2);
  choices.choose({ query: 4 });
  assert.equal(choices.valueOf("key"), -1);
});

test("a fixed choice stays, and no value is one that it does not offer", () => {
  choices.declare({ ...LAYER, fixed: "locked by the link" });
  choices.choose({ layer: 3, query: 3.4 });
  assert.deepEqual([choices.valueOf("layer"), choices.valueOf("query")], [1, 3]);
});

test("the address that opens the page holds, also one that Back brings; nonsense in it does not", () => {
  globalThis.location = new URL("http://host/linked?layer=2&rank=Focus&query=x");
  for (const one of [LAYER, QUERY, RANK]) choices.declare(one);
  assert.deepEqual(["layer", "rank", "query"].map(choices.valueOf), [2, "focus", 9]);
  globalThis.location = new URL("http://host/linked?layer=0");
  choices.adopt();
  assert.deepEqual(["layer", "rank"].map(choices.valueOf), [0, "first"]);
  globalThis.location = new URL(`http://host/linked?layer=${LAYER.default}`); // there it may begin elsewhere
  choices.adopt();
  assert.equal(choices.withChoices(globalThis.location.href), globalThis.location.href);
});

test("an address of the server keeps what was chosen; another page has its own; a link to it holds as it says", () => {
  choices.choose({ layer: 3 });
  const here = globalThis.location.pathname;
  assert.equal(choices.withChoices(`http://host${here}?text=a`), `http://host${here}?text=a&layer=3`);
  globalThis.location = new URL("http://host/elsewhere");
  choices.declare(LAYER);
  assert.equal(choices.valueOf("layer"), 1);
  assert.equal(choices.withChoices(`http://host${here}`), `http://host${here}?layer=3`);
  assert.equal(choices.withChoices(`http://host${here}?layer=0`), `http://host${here}?layer=0`);
});

test("a text is one clean line, of a long one the end; without any it is what it began with", () => {
  const TEXT = { name: "text", most: 9, value: "the dog", default: "the dog", begins: "0", fixed: null, of: null };
  globalThis.location = new URL("http://host/texts?text=%00one%0D%0Aline%20and%20more");
  choices.declare(TEXT);
  assert.equal(choices.valueOf("text"), " and more");
  choices.choose({ text: "a cat" });
  choices.write();
  assert.equal(globalThis.location.search, "?text=a+cat");
  assert.deepEqual([choices.cleaned("a\r\nb\u0007\tc", 99), choices.cleaned(" \n ", 99)], ["a b\tc", undefined]);
});

test("a text that is too long is cut between words, and of one endless word its end stays", () => {
  assert.equal(choices.cleaned("Ben had a kite and", 6), "and"); // not "te and"
  assert.equal(choices.cleaned("Ben had a kite and", 8), "kite and");
  assert.equal(choices.cleaned("x".repeat(90), 70), "x".repeat(70));
});

test("what a picture says of a text stands below its field, and in no other page", () => {
  choices.declare({ name: "note", label: "", range: "", value: "a", default: "a", begins: "0", most: 9 });
  choices.remark("note", "only the end");
  assert.equal(choices.remarkOf("note"), "only the end");
  choices.remark("note", "");
  assert.equal(choices.remarkOf("note"), "");
});

test("of several at once each stands in the address, none does as well, and one that is not offered spoils them", () => {
  const off = { ...LAYER, name: "off", options: [["0.0", "0.0"], ["1.0", "1.0"]], value: ["1.0"], default: ["1.0"], is_several: true }; // prettier-ignore
  choices.declare(off);
  choices.choose({ off: ["0.0", "1.0"] });
  choices.write();
  assert.equal(globalThis.location.search, "?off=0.0&off=1.0");
  choices.choose({ off: [] });
  choices.write();
  assert.equal(globalThis.location.search, "?off=");
  choices.choose({ off: ["1.0"] });
  choices.write();
  assert.equal(globalThis.location.search, "");
  for (const [search, value] of [
    ["?off=1.0&off=0.0", ["0.0", "1.0"]],
    ["?off=", []],
    ["?off=0.0&off=x", ["1.0"]],
  ]) {
    globalThis.location = new URL(`http://host/several${path++}${search}`);
    choices.declare(off);
    assert.deepEqual(choices.valueOf("off"), value);
  }
});

const TEXT = { name: "text", most: 40, value: "Tom", default: "Sam", begins: "0 ", fixed: null, of: null, came: 0 };

test("a text that was typed here is untold until the server says it too", () => {
  choices.declare(TEXT);
  assert.deepEqual(choices.untold(), {});
  choices.choose({ text: "Mia", layer: 3 });
  assert.deepEqual(choices.untold(), { text: "Mia" });
  choices.declare({ ...TEXT, value: "Mia" });
  assert.deepEqual(choices.untold(), {});
  choices.choose({ text: "Ben" });
  globalThis.location = new URL("http://host/left"); // it is told by then
  assert.deepEqual(choices.untold(), {});
});

test("a text that comes along to a page seen before holds there, once", () => {
  choices.declare(TEXT);
  choices.choose({ text: "Mia" });
  const here = globalThis.location.href;
  globalThis.location = new URL("http://host/between");
  choices.declare({ ...TEXT, value: "Ben" });
  globalThis.location = new URL(here);
  choices.declare({ ...TEXT, value: "Ben", came: 1 });
  assert.equal(choices.valueOf("text"), "Ben");
  choices.choose({ text: "Zoe" });
  choices.declare({ ...TEXT, value: "Ben", came: 1 });
  assert.equal(choices.valueOf("text"), "Zoe");
});

test("a word of a text is held no longer when the server brings another text", () => {
  const WORD = { ...TEXT, name: "word", most: 4, value: "", default: "", of: "text" };
  choices.declare(TEXT);
  choices.declare(WORD);
  choices.choose({ word: "3" });
  choices.declare({ ...TEXT, value: "Mia had a hat.", begins: "1 " }); // a chip
  assert.deepEqual([choices.valueOf("text"), choices.valueOf("word")], ["Mia had a hat.", ""]);
});
