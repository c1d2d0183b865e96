// Reads cases from stdin and prints what the browser would show, for Python to compare.
import { readFileSync } from "node:fs";
import { hit, pipeline } from "../../../assets/widgets/strategies/filters.js";

const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(
  JSON.stringify(
    cases.map((c) => {
      const { stages, p } = pipeline(c.logits, c.settings, c.ids);
      return { p: [...p], kept: stages.map((s) => s.nKept), hit: hit(p, c.u) };
    }),
  ),
);
