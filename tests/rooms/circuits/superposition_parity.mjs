// The loss of a toy model as the browser computes it; a test in Python compares.
import { readFileSync } from "node:fs";
import { edges, loss, products, seen } from "../../../assets/widgets/circuits/superposition_math.js";

const { toys, values, importance } = JSON.parse(readFileSync(0, "utf8"));
const found = toys.map((toy) => ({
  loss: loss(toy, values[toy.bias.length], importance),
  products: products(toy.weight),
  edges: edges(toy.weight).length,
  seen: seen(toy.weight, 0.7, -0.4),
}));
console.log(JSON.stringify(found));
