// The map under the wheel: one place in or out, and the page scrolls where the picture is not meant.
import assert from "node:assert/strict";
import { test } from "node:test";
import { zooms } from "../../../assets/widgets/model_map/map_gestures.js";

/** A stage, and what was asked of it: true for in, false for out. */
function staged({ isFocused = true } = {}) {
  const stage = Object.assign(new EventTarget(), { matches: () => isFocused });
  const asked = [];
  zooms(stage, (isIn) => asked.push(isIn));
  const send = (type, fields) => {
    const event = Object.assign(new Event(type, { cancelable: true }), fields);
    stage.dispatchEvent(event);
    return event;
  };
  return { asked, send };
}

test("a wheel's notch is one place, however finely it turns", () => {
  const { asked, send } = staged();
  send("wheel", { deltaY: -120 });
  for (let i = 0; i < 5; i++) send("wheel", { deltaY: 10 });
  assert.deepEqual(asked, [true, false]);
});

test("the wheel scrolls the page, until one has clicked into the picture or holds Ctrl", () => {
  const { asked, send } = staged({ isFocused: false });
  assert.equal(send("wheel", { deltaY: -120 }).defaultPrevented, false);
  assert.deepEqual(asked, []);
  assert.equal(send("wheel", { deltaY: -120, ctrlKey: true }).defaultPrevented, true);
  assert.deepEqual(asked, [true]);
});
