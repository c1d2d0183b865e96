// What is set in pictures, written into an address and read from it: nothing is lost, and nothing else gets in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { follow, read, short, withView, write } from "../../../assets/widgets/page/view.js";

test("what was written is read again", () => {
  const set = { ab12: { x1: "3", held: "0.14.7" }, zz: { y: "-0.5" } };
  assert.deepEqual(read(write(set)), set);
  assert.equal(write({ ab12: {} }), "");
  assert.deepEqual(read(null), {});
});

test("what fits no control is passed over, and the rest is kept", () => {
  assert.deepEqual(read("ab_x-1_<b>-2_y-url(3)~__proto__-1~TOOLONGNAME_x-1~cd_z-4"), {
    ab: { x: "1" },
    cd: { z: "4" },
  });
  assert.equal(Object.keys(read("a_x-1~".repeat(100_000))).length, 1);
});

test("names that differ by a letter get other letters", () => {
  const names = Array.from({ length: 300 }, (_, i) => short(`INPUT head ${i}`));
  assert.equal(new Set(names).size, 300);
});

const EXHIBIT = "st-key-gf-exhibit-masks-kinds";
const ENGLISH = { label: "Weights", query: "query at", part: "norms" };
const GERMAN = { label: "Gewichte", query: "Anfrage bei", part: "Normen" };

/** A control as the page has it: what its selector says of it, and its attributes. */
function control(tagName, attributes, dataset) {
  const node = { tagName, dataset, title: "", textContent: "", closest: () => null, dispatchEvent() {} };
  node.getAttribute = (name) => attributes[name] ?? null;
  node.matches = (selector) => attributes.type === "range" && selector.includes("[type=range]");
  node.click = () => (attributes["aria-pressed"] = "true");
  return Object.assign(node, { value: "0" });
}

/** A picture with a slider and a button, opened at an address; what is set then, and what the address says then. */
function opened(texts, view) {
  const address = new URL("http://x/masks");
  if (view) address.searchParams.set("view", view);
  globalThis.location = address;
  globalThis.history = { state: null, replaceState() {} }; // in the app it writes `withView(address)`
  const slider = control("INPUT", { type: "range", "aria-label": texts.query }, { name: "query_at" });
  const looks = { "aria-pressed": "false" };
  const button = control("BUTTON", looks, { name: "term 0", words: texts.part });
  const root = { querySelectorAll: () => [slider, button], addEventListener() {}, isConnected: true };
  root.getRootNode = () => ({ host: { closest: () => ({ className: EXHIBIT }) } });
  const header = { widget: "matrix", label: texts.label, label_name: "rooms.masks.kinds:weights" };
  address.pathname = `/${Math.random()}`; // what a page was left with is kept by its path
  follow({ root, header, raw: { header }, widget: {} });
  const [id, controls] = root.addressNames();
  return {
    id,
    names: [...controls.keys()],
    set: [slider.value, looks["aria-pressed"]],
    written: withView(address.href),
  };
}

test("a picture and its controls have the same names in every language", () => {
  const [english, german] = [ENGLISH, GERMAN].map((texts) => opened(texts));
  assert.deepEqual([german.id, german.names], [english.id, english.names]);
  const [slider, button] = english.names;
  const view = write({ [english.id]: { [slider]: "7", [button]: "1" } });
  assert.deepEqual(opened(GERMAN, view).set, ["7", "true"]);
});

test("an address of an earlier release, with English words, still holds and is written anew", () => {
  const words = { [short("INPUT query at")]: "7", [short("BUTTON norms")]: "1" };
  const { id, names, set, written } = opened(ENGLISH, write({ [short(`${EXHIBIT} matrix Weights`)]: words }));
  assert.deepEqual(set, ["7", "true"]);
  assert.equal(new URL(written).searchParams.get("view"), write({ [id]: { [names[0]]: "7", [names[1]]: "1" } }));
});
