// Reads logits and settings from stdin and prints what the browser would say of both orders, for Python to compare.
import { readFileSync } from "node:fs";
import { apart, bothOrders, nLeft } from "../../../assets/widgets/strategies/orders_math.js";

const { logits, settings } = JSON.parse(readFileSync(0, "utf8"));
console.log(
  JSON.stringify(
    settings.map(([t, p]) => {
      const found = bothOrders(Float32Array.from(logits), t, p);
      return { left: found.map(nLeft), apart: apart(...found), shown: found.map((one) => [...one.slice(0, 7)]) };
    }),
  ),
);
