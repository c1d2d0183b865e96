// Runs one recipe with what the server told of it, and prints its parts for Python to compare.
import { readFileSync } from "node:fs";
import { RECIPES } from "../../../assets/widgets/computed/recipes.js";
import { parseSafetensors } from "../../../assets/widgets/engine/safetensors.js";

const [spec, weights] = process.argv.slice(2);
const { recipe, model, told, at } = JSON.parse(readFileSync(spec, "utf8"));
const { buffer, byteOffset, byteLength } = readFileSync(weights);
const file = buffer.slice(byteOffset, byteOffset + byteLength);
const parts = RECIPES[recipe]({ config: model.config, weights: parseSafetensors(file) }, { ...told, ...at });
const plain = (part) => (part?.data ? [...part.data] : part);
console.log(JSON.stringify(Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, plain(part)]))));
