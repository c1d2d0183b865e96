// Runs the cases of a folder and writes what the engine computes, for Python to compare.
//
// case-i.json says what to do, model-<name>.safetensors holds weights; result-i.bin gets the numbers, result-i.json
// their names and shapes.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { arithmetic } from "../../../assets/widgets/engine/arithmetic.js";
import { Cache } from "../../../assets/widgets/engine/cache.js";
import * as filters from "../../../assets/widgets/engine/filters.js";
import { forward } from "../../../assets/widgets/engine/forward.js";
import { generate } from "../../../assets/widgets/engine/generate.js";
import { parseSafetensors } from "../../../assets/widgets/engine/safetensors.js";
import { map, tensor } from "../../../assets/widgets/engine/tensor.js";

const folder = process.argv[2];
const read = (name) => {
  const { buffer, byteOffset, byteLength } = readFileSync(join(folder, name));
  return buffer.slice(byteOffset, byteOffset + byteLength);
};

/** Everything by name: the taps of a pass; of a text read in pieces, the logits; of a text written, the tokens. */
function found({ config, weights, given, edit, cuts, write, isMade }) {
  const model = { config, weights: parseSafetensors(read(weights)) };
  if (write) {
    const steps = [];
    const how = {
      ...write.how,
      filters: write.filters.map(
        ([name, v]) =>
          (z, ids) =>
            filters[name](z, v, ids),
      ),
    };
    for (const step of generate(model, given.ids, write.n, how)) steps.push(step);
    return new Map([
      [
        "tokens",
        tensor(
          [steps.length],
          Float32Array.from(steps, (step) => step.token),
        ),
      ],
      [
        "draws",
        tensor(
          [steps.length],
          Float32Array.from(steps, (step) => step.draw ?? -1),
        ),
      ],
    ]);
  }
  if (cuts) return inPieces(model, given.ids, cuts);
  if (isMade) return made(model, given.ids);
  const image = given.image && tensor(given.shape, Float32Array.from(given.image));
  const mask = given.mask && Uint8Array.from(given.mask);
  const edits = edit ? { [edit]: (x) => map(x, (v) => 0.5 * v + 0.1) } : undefined;
  return forward(model, { ...given, image, mask }, { edits });
}

/** Every number of every tap, made from those before it. */
function made(model, ids) {
  const taps = forward(model, { ids });
  const again = ([name, { shape }]) => {
    const size = (axis) => shape.slice(axis).reduce((n, one) => n * one, 1);
    const place = (i) => shape.map((n, axis) => Math.floor(i / size(axis + 1)) % n);
    const number = (_, i) => arithmetic(model, taps, ids, name, place(i)).value;
    return [name, tensor(shape, Float32Array.from({ length: size(0) }, number))];
  };
  return new Map([...taps].map(again));
}

/** All logits of a text that a cache reads in pieces; before each, another text is begun and taken back. */
function inPieces(model, ids, cuts) {
  const cache = new Cache();
  const rows = [];
  let vocab = 0;
  for (let i = 0; i < cuts.length; i++) {
    const [from, to] = [cuts[i - 1] ?? 0, cuts[i]];
    forward(model, { ids: [...ids.slice(from, to)].reverse() }, { cache });
    cache.cut(from);
    const logits = forward(model, { ids: ids.slice(from, to) }, { cache }).get("logits");
    rows.push(...logits.data);
    vocab = logits.shape[1];
  }
  return new Map([["logits", tensor([ids.length, vocab], Float32Array.from(rows))]]);
}

for (const file of readdirSync(folder).filter((name) => name.startsWith("case-"))) {
  const taps = found(JSON.parse(readFileSync(join(folder, file), "utf8")));
  const numbers = [...taps.values()].map((x) => Buffer.from(x.data.slice().buffer));
  const stem = join(folder, file.replace("case-", "result-").replace(".json", ""));
  writeFileSync(`${stem}.bin`, Buffer.concat(numbers));
  writeFileSync(`${stem}.json`, JSON.stringify([...taps].map(([name, { shape }]) => [name, shape])));
}
