// The list of a model's files: what it says, in which order they go, and what a refusal, a break or a retry leaves.
import assert from "node:assert/strict";
import { test } from "node:test";

/** Lines that answer when they are told to. */
const lines = [];
globalThis.XMLHttpRequest = class {
  upload = {};
  constructor() {
    lines.push(this);
  }
  open(_, place) {
    this.name = place.split("/").pop();
  }
  setRequestHeader() {}
  send() {}
  abort() {
    this.isAborted = true;
  }
  answer(status, responseText = "") {
    Object.assign(this, { status, responseText });
    this.onload();
  }
};
let answers = [];
globalThis.fetch = async () => ({ ok: true, json: async () => answers });

const { add, begin, counted, list, remove, retry } = await import("../../../assets/widgets/pretrained/file_queue.js");
const { fromElsewhere, how, leftOut, megabytes } = await import("../../../assets/widgets/pretrained/file_field.js");

const taken = (name) => ({ name, refused: "" });
const states = () => list.rows.map(({ name, state }) => `${name} ${state}`);

test("sizes and progress in words", () => {
  assert.deepEqual([0, 512, 99_999, 1e5, 15e6, 15.84e6, 2e9].map(megabytes), [
    "0 bytes", "512 bytes", "100 kB", "0.1 MB", "15 MB", "15.8 MB", "2 GB",
  ]); // prettier-ignore
  assert.equal(how({ state: "goes", sent: 3_160_000, size: 15_800_000 }), "3.2 MB of 15.8 MB, 20%");
  assert.equal(how({ state: "goes", sent: 15_799_999, size: 15_800_000 }), "15.8 MB of 15.8 MB, 99%");
  assert.equal(how({ state: "goes", sent: 0, size: 0 }), "0 bytes of 0 bytes, 100%");
  assert.match(leftOut(["a", "b", "c", "d", "e", "f"]), /^Left out: a, b, c, d and 2 more\. No model/);
  assert.match(leftOut(["README.md", "pytorch_model.BIN"]), /never are\.$/);
  assert.equal(leftOut([]), "");
});

test("the small ones go first, one at a time, and a failure leaves the others", async () => {
  begin(0, [["vocab.txt", 9]]);
  answers = [
    taken("model.safetensors"),
    taken("config.json"),
    taken(null),
    { name: "merges.txt", refused: "too large" },
  ];
  await add([{ name: "big.safetensors", size: 100 }, { name: "config.json", size: 5 }, { name: "x.bin", size: 1 },
    { name: "merges.txt", size: 1e9 }]); // prettier-ignore
  assert.deepEqual(counted(), { coming: 2, failed: 0 });
  assert.deepEqual(list.leftOut, ["x.bin"]);
  assert.deepEqual(lines.map(({ name }) => name), ["config.json"]); // prettier-ignore
  lines[0].answer(201);
  lines[1].upload.onprogress({ loaded: 40 });
  assert.deepEqual(states(), ["vocab.txt here", "model.safetensors goes", "config.json here", "merges.txt refused"]);
  lines[1].onerror();
  assert.deepEqual(counted(), { coming: 0, failed: 1 });
  retry(list.rows.find(({ state }) => state === "failed"));
  assert.equal(list.rows[1].sent, 0); // from its beginning
  lines[2].answer(413, "With this one your models would take 3 GB.\n");
  assert.equal(list.rows[1].why, "With this one your models would take 3 GB.");
});

test("a file takes the place of one of its name, and what is cancelled is gone", async () => {
  answers = [taken("config.json"), taken("model.safetensors")];
  await add([{ name: "config (1).json", size: 7 }, { name: "b.safetensors", size: 50 }]); // prettier-ignore
  assert.deepEqual(states(), ["vocab.txt here", "merges.txt refused", "config.json goes", "model.safetensors waits"]);
  remove(list.rows.find(({ name }) => name === "config.json"));
  assert.ok(lines.at(-2).isAborted);
  assert.deepEqual(states(), ["vocab.txt here", "merges.txt refused", "model.safetensors goes"]);
  begin(1, []); // a model was opened: what still goes, goes on
  assert.deepEqual(states(), ["model.safetensors goes"]);
  lines.at(-1).answer(201);
  begin(1, []); // the same list, from a script that knows less
  assert.deepEqual(states(), ["model.safetensors here"]);
});

test("what another tab has sent is told, can be removed, and doesn't come back", () => {
  begin(2, [["config.json", 7]]);
  assert.deepEqual([states(), list.elsewhere], [["config.json here"], ["config.json"]]);
  assert.match(fromElsewhere(list.elsewhere), /^From another tab, or from before: config\.json\. .*one list/);
  begin(2, [
    ["config.json", 7],
    ["model.safetensors", 9],
  ]);
  assert.deepEqual(states(), ["config.json here", "model.safetensors here"]);
  assert.deepEqual(list.elsewhere, ["config.json", "model.safetensors"]);
  remove(list.rows[0]);
  begin(2, [
    ["config.json", 7],
    ["model.safetensors", 9],
  ]); // the server told of it before it was gone
  assert.deepEqual([states(), list.elsewhere], [["model.safetensors here"], ["model.safetensors"]]);
  begin(3, []);
  assert.deepEqual([states(), list.elsewhere, fromElsewhere([])], [[], [], ""]);
});

test("what this tab sends is its own", async () => {
  begin(4, []);
  answers = [taken("config.json")];
  await add([{ name: "config.json", size: 7 }]);
  begin(4, [["config.json", 7]]);
  lines.at(-1).answer(201);
  begin(4, [["config.json", 7]]);
  assert.deepEqual([states(), list.elsewhere], [["config.json here"], []]);
  begin(5, []);
});

test("a server that can't be reached is said, and nothing waits for it", async () => {
  globalThis.fetch = async () => {
    throw new TypeError("network");
  };
  await add([{ name: "config.json", size: 7 }]);
  assert.match(list.trouble, /can't be reached/);
  assert.equal(counted().coming, 0);
});
