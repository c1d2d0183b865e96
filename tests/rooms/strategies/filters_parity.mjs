// Reads cases from stdin and prints what the browser would show, for Python to compare.
import { readFileSync } from "node:fs";
import { inverseCdf } from "../../../assets/widgets/engine/draws.js";
import { pipeline } from "../../../assets/widgets/strategies/knobs.js";

const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(
  JSON.stringify(
    cases.map((c) => {
      const { stages, p } = pipeline(c.logits, c.settings, c.ids);
      return { p: [...p], kept: stages.map((s) => s.nKept), hit: inverseCdf(p, c.u) };
    }),
  ),
);
