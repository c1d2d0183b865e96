// The beam tree: paths, fates, frames and what is said about them.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countFrames,
  counts,
  fate,
  frameAt,
  keptOf,
  normalized,
  passes,
  path,
  placeOf,
  sentence,
  tokensOf,
} from "../../../assets/widgets/beam/beam_tree_math.js";

// Two beams over three steps. Token 0 ends. Step 2: the second kept text (token 2) goes on twice.
const STEPS = [
  {
    parents: [0, 0, 0, 0],
    tokens: [1, 0, 2, 3],
    kept: [true, false, true, false],
    finished: [false, true, false, false],
    n_candidate: 5,
    stop: "",
  },
  {
    parents: [1, 0, 1, 0],
    tokens: [4, 1, 3, 0],
    kept: [true, true, false, false],
    finished: [false, false, false, false],
    n_candidate: 10,
    stop: "",
  },
  {
    parents: [0, 1, 0, 1],
    tokens: [0, 4, 2, 0],
    kept: [false, false, false, false],
    finished: [true, true, false, false],
    n_candidate: 10,
    stop: "length",
  },
];

test("a path follows the parents among the kept ones", () => {
  assert.deepEqual(keptOf(STEPS[0]), [0, 2]);
  assert.deepEqual(path(STEPS, 2, 0), [2, 0, 0]);
  assert.deepEqual(tokensOf(STEPS, path(STEPS, 2, 0)), [2, 4, 0]);
  assert.deepEqual(tokensOf(STEPS, path(STEPS, 2, 1)), [1, 1, 4]);
  assert.deepEqual(path(STEPS, 0, 3), [3]);
});

test("a path goes through its candidates, and no path through none", () => {
  assert.deepEqual(
    [0, 1].map((c) => passes([0, 1], 1, c)),
    [false, true],
  );
  assert.equal(passes([0], 1, 0), false); // it has ended before
  assert.equal(passes(null, 0, 0), false); // and not null: it is compared with true and false
});

test("a finished text is found in the tree, once it is there", () => {
  assert.deepEqual(placeOf(STEPS, [2, 4, 0], 2), [2, 0, 0]);
  assert.equal(placeOf(STEPS, [2, 4, 0], 1), null);
  assert.deepEqual(placeOf(STEPS, [0], 0), [1]);
  assert.equal(placeOf(STEPS, [1, 1, 0], 2), null); // an end behind the first B is not finished
  assert.equal(placeOf(STEPS, [], 2), null);
});

test("fates and frames", () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((c) => fate(STEPS[0], c)),
    ["kept", "finished", "kept", "pruned"],
  );
  assert.deepEqual(counts(STEPS[2]), { kept: 0, finished: 2, pruned: 2 });
  assert.equal(countFrames(STEPS), 7);
  assert.deepEqual([0, 1, 2, 5, 6].map(frameAt), [
    { step: -1, decided: true },
    { step: 0, decided: false },
    { step: 0, decided: true },
    { step: 2, decided: false },
    { step: 2, decided: true },
  ]);
});

test("the score is the one of Python", () => {
  assert.equal(normalized(-6, 3, 0), -6);
  assert.equal(normalized(-6, 3, 1), -2);
  assert.ok(Math.abs(normalized(-6, 3, -0.5) + 6 * Math.sqrt(3)) < 1e-12);
});

test("what is said counts what is there", () => {
  const header = { steps: STEPS, n_beam: 2, n_token: 1000 };
  assert.match(sentence(header, 0), /1,000 in all/);
  assert.match(sentence(header, 1), /the prompt × 1,000 tokens are 5 candidates\. The best 4/);
  assert.match(sentence(header, 2), /2 go on, 1 is finished, 1 is dropped\.$/);
  assert.match(sentence(header, 3), /2 texts × 1,000 tokens are 10 candidates/);
  assert.match(sentence(header, 6), /2 are finished, 2 are dropped\. The search ends: the length is used up/);
  const last = (stop) => sentence({ ...header, steps: [...STEPS.slice(0, 2), { ...STEPS[2], stop }] }, 6);
  assert.match(last("full"), /2 texts are finished\.$/);
  assert.match(last("hopeless"), /no text that goes on can still beat/);
  assert.match(last("impossible"), /no token is possible/);
});
