// Reads cases from stdin and prints what the browser would show, for Python to compare.
import { readFileSync } from "node:fs";
import { dot, rotated, score } from "../../../assets/widgets/positions/clock_math.js";

const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(
  JSON.stringify(
    cases.map((c) =>
      c.table
        ? dot(c.table.flat(), c.table[0].length, c.a, c.b)
        : {
            q: [...rotated(c.q, c.m, c.frequencies, c.interleaved)],
            total: score(c.q, c.k, c.m, c.n, c.frequencies, c.interleaved).total,
          },
    ),
  ),
);
