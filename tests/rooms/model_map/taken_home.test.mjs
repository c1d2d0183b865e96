// A map that was saved as a web page: no server computes what isn't on it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Asking } from "../../../assets/widgets/model_map/map_asking.js";

test("a map that was taken home says that nobody answers", () => {
  const asking = (component) => {
    const state = { server: null, focus: 0, written: [], receive: (server) => (state.server = server) };
    const asking = new Asking({ component, commit() {} }, state);
    const server = {
      of: "text",
      model: "model",
      pass: "pass",
      whole: { seed: null },
      columns: {},
      names: {},
      notes: [],
    };
    asking.hear({ header: { server }, arrays: {} }, {});
    state.edits = { count: 1, now: [] };
    return asking;
  };
  const [home, app] = [asking({ isAlone: true }), asking({})];
  assert.match(home.waiting, /taken home/);
  assert.equal(app.waiting, "Reading …");
  for (const one of [home, app]) {
    one.change({});
    assert.ok(one.isOut);
    one.state.edits.count = 0; // undone
    one.change({});
  }
  assert.ok(app.isOut && !home.isOut); // what is here holds again; the app's answer is on its way
});
