// How one token's probability comes about, term by term, for `formula`.
import { chance, format } from "../drawing/elements.js";
import { visible } from "../drawing/tokens.js";
import { labels } from "./labels.js";

const FAR = 20; // beyond it e to the power of a logit is no number to read

/** token: its name; t: its place in the vocabulary; z: logits; T: the temperature; now: what `distribution` gave. */
export function terms(token, t, z, T, largest, now) {
  const name = ["", labels("token"), visible(token)];
  if (T === 0) return [name, ["", labels("all_on_largest"), format(now.after[t], 4), true]];
  const shift = Math.abs(largest / T) > FAR ? largest : 0;
  const weight = Math.exp((z[t] - shift) / T);
  const share = now.tempered[t];
  const power = `exp(${format(z[t] - shift, 2)} / ${format(T, 2)}) = ${format(weight, 3)}`;
  const isWhole = now.nKept === z.length;
  const cut = [["→", labels("cut"), "0", true]];
  const kept = [
    ["/", labels("kept_mass"), format(now.mass, 4)],
    ["=", labels("after"), chance(now.after[t], 4), true],
  ];
  return [
    name,
    ["", shift ? labels("exp_below_largest") : "exp(z / T)", power],
    ["/", labels("sum_of_tokens"), format(weight / share, 3)],
    ["=", "p", chance(share, 4), isWhole],
    ...(isWhole ? [] : now.cut[t] ? cut : kept),
  ];
}
