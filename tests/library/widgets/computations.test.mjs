import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.location = new URL("http://host/heads");
globalThis.history = { state: null, replaceState: () => {} };
globalThis.requestAnimationFrame = (act) => setTimeout(act);
globalThis.document = new EventTarget();
const choices = await import("../../../assets/widgets/page/choices.js");
const { declare, isKnown, part, stateOf } = await import("../../../assets/widgets/page/computations.js");

const LAYER = { name: "layer", low: 0, high: 3, step: 1, value: 1, default: 1, begins: "0", fixed: null, of: null };
const HEADER = { linked: { layer: "" }, computed: "one" };
const at = (layer) => JSON.stringify({ layer });
const chosen = () => ({ layer: choices.valueOf("layer") });

test("the server's values hold for what it computed, until the model is there, and then only there", () => {
  choices.declare(LAYER);
  assert.equal(isKnown(HEADER), false);
  declare("one", { at: at(1), names: ["layer"], chosen });
  assert.equal(isKnown(HEADER), true);
  const before = stateOf(HEADER);
  choices.choose({ layer: 2 });
  assert.equal(part("one", "twice"), undefined); // its weights are on their way
  let n = 0;
  const run = ({ layer }) => ({ n: n++, twice: 2 * layer });
  declare("one", { at: at(1), names: ["layer"], chosen, run });
  assert.notEqual(stateOf(HEADER), before);
  assert.equal(part("one", "twice"), 4);
  assert.equal(part("one", "n"), 0); // all parts of one run
  choices.choose({ layer: 1 });
  assert.equal(part("one", "twice"), undefined);
});

test("what cannot be computed here is told to the server", () => {
  const fail = () => {
    throw new Error("too long");
  };
  const { error } = console;
  console.error = () => {};
  let isTold = false;
  globalThis.document.addEventListener("gf-tell", () => (isTold = true), { once: true });
  declare("two", { at: at(0), names: ["layer"], chosen, run: fail });
  assert.equal(part("two", "twice"), undefined);
  assert.equal(isTold, true);
  console.error = error;
});
