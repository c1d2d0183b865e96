// Which rows of the cache are new, and the words for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsAt, sentence, strongest } from "../../../assets/widgets/cache/cache_steps.js";

test("the prompt's rows are new together, then one at a time", () => {
  assert.deepEqual(rowsAt(0, 5), { count: 5, fresh: 5 });
  assert.deepEqual(rowsAt(1, 5), { count: 6, fresh: 1 });
  assert.deepEqual(rowsAt(9, 1), { count: 10, fresh: 1 });
});

test("the strongest row is looked for among those that are there", () => {
  assert.equal(strongest([0.2, 0.5, 0.3, 0.9], 3), 1);
  assert.equal(strongest([0.4, 0.4], 2), 0);
});

test("the sentence names what is read, reused and written", () => {
  const tokens = ["Tom", " ran", " home", "."];
  const weights = [0.25, 0.75, 0];
  assert.match(
    sentence(0, 2, tokens, weights),
    /^Step 0 reads the prompt: 2 rows new\..*“·ran” \(0\.75\)\. The model writes “·home”\.$/,
  );
  assert.match(
    sentence(1, 2, tokens, weights),
    /^Step 1 reads “·home”: 1 row new, 2 reused\..*The model writes “\.”\.$/,
  );
});
