// The map on the model that ships: every place, every number, every edit, what Play draws.
import assert from "node:assert/strict";
import { test } from "node:test";
import { arithmetic } from "../../../assets/widgets/engine/arithmetic.js";
import { generate } from "../../../assets/widgets/engine/generate.js";
import { fits, fromNumbers, tensorNames, toNumbers } from "../../../assets/widgets/model_map/map_address.js";
import { Edits } from "../../../assets/widgets/model_map/map_edits.js";
import { layout } from "../../../assets/widgets/model_map/map_layout.js";
import { early, threads } from "../../../assets/widgets/model_map/map_numbers.js";
import { code, crumbs, inside, matrix, outer, placeIn, room } from "../../../assets/widgets/model_map/map_places.js";
import { MapState } from "../../../assets/widgets/model_map/map_state.js";
import { effect, idle, story, captionOf } from "../../../assets/widgets/model_map/map_story.js";
import { asked, model, opened, TEXT } from "./opened.mjs";

const best = (p) => p.indexOf(Math.max(...p));
const close = (a, b) => assert.ok(Math.abs(a - b) <= 1e-4 * Math.max(1, Math.abs(b)), `${a} is not ${b}`);

/** Every place that one can go into from this one. */
function* walk(place, asked) {
  yield place;
  for (const { place: next } of inside(place, asked)) yield* walk(next, asked);
}

test("every place leads out to the whole model, has a name and a room, and every matrix its own numbers", () => {
  const state = opened();
  const { pass, focus, vocabulary } = state;
  const places = [...walk({}, { nLayer: pass.nLayer, nHead: pass.nHead, hasMlp: true })];
  assert.equal(places.length, 1 + 4 + 2 * (1 + 2 + 4 * 7 + 4));
  for (const place of places) {
    assert.ok(code(place) && room(place));
    let [at, n] = [place, 0];
    for (; outer(at); at = outer(at)) n++;
    assert.deepEqual(at, {});
    assert.equal(n, crumbs(place).length - 1);
    if (!place.name) continue;
    const shown = matrix(pass, place, focus, vocabulary);
    for (const [r, c] of [
      [0, 0],
      [focus, 0],
      [focus, shown.columns.length - 1],
    ]) {
      const value = shown.value(r, c);
      if (value === null) continue;
      const cell = placeIn({ ...place, cell: [r, shown.ids ? shown.ids[c] : c] });
      close(arithmetic(model, pass.taps, pass.ids, place.name, cell).value, value);
    }
  }
});

test("a way to a number's terms ends at numbers of the pass", () => {
  const { pass } = opened();
  const { terms } = arithmetic(model, pass.taps, pass.ids, "blocks.1.attn.out", [3, 5]);
  for (const { a, from } of terms) {
    const [name, at] = from;
    const { shape, data } = pass.taps.get(name);
    assert.equal(data[at.reduce((sum, i, axis) => sum * shape[axis] + i, 0)], a);
  }
});

test("a step that adds a number says which: what stands before it, and that number, are its value", () => {
  const { pass, focus } = opened();
  let n = 0;
  for (const [name, { shape }] of pass.taps) {
    if (shape.length !== 2) continue;
    const { steps, terms } = arithmetic(model, pass.taps, pass.ids, name, [focus, 1]) ?? {};
    let before = (terms ?? []).reduce((sum, one) => sum + one.value, 0);
    for (const { label, value } of steps ?? []) {
      const [, sign, added] = label.match(/\(([+−])([\d.]+)\)$/) ?? [];
      if (added) n += 1;
      if (added) assert.ok(Math.abs(before + (sign === "−" ? -added : +added) - value) < 1e-3, `${name}: ${label}`);
      before = value;
    }
  }
  assert.ok(n >= 4, `${n} steps add a number`);
});

test("a head that is off adds nothing, its map stays; undo and reset bring all back", () => {
  const state = opened();
  const p = state.pass.probabilities(state.focus);
  state.change((edits) => edits.toggle({ part: "head", layer: 1, head: 2 }));
  assert.ok(state.isEdited && state.isOff({ part: "head", layer: 1, head: 2 }));
  const { shape, data } = state.pass.taps.get("blocks.1.attn.heads");
  const size = shape[1] * shape[2];
  assert.ok(data.subarray(2 * size, 3 * size).every((v) => v === 0));
  assert.ok(data.subarray(size, 2 * size).some((v) => v !== 0));
  assert.deepEqual(state.pass.weights(1), state.before.weights(1));
  assert.deepEqual(state.before.probabilities(state.stay[state.focus]), p);
  assert.ok(state.differs(state.focus));
  assert.match(effect(p, state.pass.probabilities(state.focus), state.vocabulary, "Off").join(""), /rises|falls|stays/);
  state.change((edits) => edits.undo());
  assert.ok(!state.isEdited);
  assert.deepEqual(state.pass.probabilities(state.focus), p);
});

test("a weight that is dragged keeps its row's sum of 1, and is one step to undo", () => {
  const state = opened();
  const n = state.pass.nToken;
  for (const value of [0.2, 0.5, 0.9]) {
    const edit = { part: "weight", layer: 0, head: 1, query: n - 1, key: 2, value };
    state.change((edits) => edits.set(edit, true));
    const row = state.pass.weights(0).subarray((1 * n + n - 1) * n, (1 * n + n) * n);
    close(row[2], value);
    close(
      row.reduce((a, b) => a + b, 0),
      1,
    );
  }
  assert.equal(state.edits.past.length, 1);
  state.change((edits) => edits.undo());
  assert.equal(state.edits.count, 0);
});

test("a number that is held is that number, and only what comes after it changes", () => {
  const state = opened();
  const at = [state.focus, 7];
  state.change((edits) => edits.set({ part: "cell", name: "blocks.0.resid_out", at, value: 9 }));
  const tap = (pass, name) => pass.taps.get(name).data;
  const d = model.config.d_model;
  assert.equal(tap(state.pass, "blocks.0.resid_out")[at[0] * d + 7], 9);
  assert.deepEqual(tap(state.pass, "blocks.0.attn.out"), tap(state.before, "blocks.0.attn.out"));
  assert.notDeepEqual(tap(state.pass, "final"), tap(state.before, "final"));
  assert.ok(state.holds("blocks.0.resid_out", { layer: 0, cell: at }));
});

test("a token left out is read by nobody, and cells that were held are let go", () => {
  const state = opened();
  state.change((edits) => edits.set({ part: "cell", name: "embed", at: [0, 0], value: 1 }));
  const { ids, nToken } = state.before;
  state.focus = 3;
  state.change((edits) => edits.leaveOut(3));
  assert.deepEqual(state.pass.ids, [...ids.slice(0, 3), ...ids.slice(4)]);
  assert.equal(state.pass.nToken, nToken - 1);
  assert.equal(state.focus, 2);
  assert.deepEqual(
    state.edits.now.map(({ part }) => part),
    ["token"],
  );
  state.open(model, `${TEXT} hat`, 64);
  assert.equal(state.edits.count, 0);
});

test("parts that are off stay off in another text", () => {
  const edits = new Edits();
  edits.toggle({ part: "mlp", layer: 0 });
  edits.set({ part: "cell", name: "embed", at: [0, 0], value: 1 });
  edits.retext();
  assert.deepEqual(edits.now, [{ part: "mlp", layer: 0 }]);
});

test("Play draws what the engine writes from the same seed, until a sentence ends", () => {
  for (const seed of [0, 1, 2]) {
    const state = opened();
    state.draw(seed, 64);
    const steps = [...generate(model, state.read.ids, state.written.length, { seed })];
    assert.deepEqual(
      state.written.map(({ id }) => id),
      steps.map(({ token }) => token),
    );
    const pieces = state.written.map(({ token }) => token);
    assert.ok(pieces.slice(0, -1).every((one) => !/[.!?\n]/.test(one)));
    assert.equal(state.pass.nToken, state.read.ids.length);
  }
});

test("the story says what the pass says, and its bars end at what is expected", () => {
  const state = opened();
  const { pass, focus, vocabulary } = state;
  const told = story(pass, focus, vocabulary, { token: " hat", p: 0.4 });
  assert.equal(told.length, 2 + 2 * pass.nLayer + 2);
  const p = pass.probabilities(focus);
  assert.ok(
    told
      .at(-2)
      .words.join("")
      .includes(`${(100 * Math.max(...p)).toFixed(0)}%`),
  );
  assert.ok(idle(pass, focus, vocabulary)[1][0].includes(vocabulary(best(p)).trim()));
  const last = early(pass, `blocks.${pass.nLayer - 1}.resid_out`, focus);
  last.forEach((v, id) => close(v, p[id]));
  const [g] = [layout({ ...asked(pass), width: 900 })];
  const reach = told.map((one) => one.reach(g));
  assert.deepEqual(
    reach,
    [...reach].sort((a, b) => a - b),
  );
});

test("a first token has nothing before it to read, and one token is a text", () => {
  const state = opened("Sam");
  assert.equal(state.pass.nToken, 1);
  const words = story(state.pass, 0, state.vocabulary, { token: "", p: 0 }).map((one) => one.words.join(""));
  assert.ok(words.some((one) => one.includes("no earlier token")));
  assert.ok(!opened("").pass);
});

test("threads are those of the token that is followed; of a head alone, all of it", () => {
  const { pass, focus } = opened();
  assert.ok(threads(pass, 1, focus).some(({ to, isBold }) => to === focus && isBold));
  assert.ok(threads(pass, 1, focus, 2).every(({ head, isBold }) => head === 2 && isBold));
});

test("what is set comes back from an address, and of another model nothing that is not there", () => {
  const { before } = opened();
  const names = tensorNames(before.nLayer);
  assert.ok([...before.taps.keys()].every((name) => names.includes(name)));
  const edits = [
    { part: "head", layer: 1, head: 3 },
    { part: "attn", layer: 0 },
    { part: "mlp", layer: 1 },
    { part: "token", position: 4 },
    { part: "weight", layer: 0, head: 2, query: 5, key: 3, value: 0.25 },
    { part: "cell", name: "blocks.1.attn.q", at: [1, 2, 3], value: -1.5 },
    { part: "cell", name: "final", at: [0, 95], value: 12 },
  ];
  const places = [
    {},
    { layer: 1 },
    { layer: 0, head: 2 },
    { layer: 1, part: "mlp", name: "blocks.1.mlp.act", cell: [3, 200] },
  ];
  for (const place of [...places, { name: "probabilities", cell: [2, 1] }]) {
    const set = { step: 3, frame: null, focus: 6, speed: 2, seed: 2 ** 31 - 1, edits, place };
    const found = toNumbers(set, names);
    assert.match(found.join("."), /^[0-9]+([.][0-9]+)*$/);
    assert.deepEqual(fromNumbers(found, names), set);
    assert.ok(fits(set, before), JSON.stringify(place));
  }
  const whole = { step: null, frame: null, focus: null, speed: 1, seed: 0, edits: [], place: {} };
  assert.deepEqual(fromNumbers(toNumbers(whole, names), names), whole);
  for (const wrong of [
    { ...whole, place: { layer: 7 } },
    { ...whole, place: { head: 1 } },
    { ...whole, place: { name: "blocks.0.attn.weights", layer: 0 } },
    { ...whole, place: { name: undefined } },
    { ...whole, focus: 99 },
    { ...whole, edits: [{ part: "cell", name: "final", at: [0, 96], value: 0 }] },
    { ...whole, edits: [{ part: "cell", name: undefined, at: [], value: 0 }] },
    { ...whole, edits: before.ids.map((_, position) => ({ part: "token", position })) },
  ]) {
    assert.ok(!fits(wrong, before), JSON.stringify(wrong));
  }
  for (const numbers of [[], [1, 2, 3], Array(12).fill(1)]) assert.equal(fromNumbers(numbers, names), null);
});

test("a part that is off does not leak into a recorded moment of the training", () => {
  const state = new MapState();
  state.edits.now = [{ part: "attn", layer: 0 }];
  assert.equal(state.isOff({ part: "attn", layer: 0 }), true);
  state.show({ tokens: ["a"], nToken: 1, sample: "a b" });
  assert.equal(state.isOff({ part: "attn", layer: 0 }), false);
  assert.match(captionOf(state, {}).join(""), /Recorded on this sentence, without your changes/);
  state.frame = null;
  assert.equal(state.isOff({ part: "attn", layer: 0 }), true);
});
