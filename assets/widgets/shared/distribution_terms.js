// How one token's probability comes about, term by term, for `formula`.
import { chance, format } from "../drawing/elements.js";
import { visible } from "../drawing/tokens.js";

const FAR = 20; // beyond it e to the power of a logit is no number to read

/** token: its name; t: its place in the vocabulary; z: logits; T: the temperature; now: what `distribution` gave. */
export function terms(token, t, z, T, largest, now) {
  const name = ["", "token", visible(token)];
  if (T === 0) return [name, ["", "greedy: all on the largest logit", format(now.after[t], 4), true]];
  const shift = Math.abs(largest / T) > FAR ? largest : 0;
  const weight = Math.exp((z[t] - shift) / T);
  const share = now.tempered[t];
  const power = `exp(${format(z[t] - shift, 2)} / ${format(T, 2)}) = ${format(weight, 3)}`;
  const isWhole = now.nKept === z.length;
  const cut = [["→", "cut", "0", true]];
  const kept = [
    ["/", "kept mass", format(now.mass, 4)],
    ["=", "after", chance(now.after[t], 4), true],
  ];
  return [
    name,
    ["", shift ? "exp((z − largest) / T)" : "exp(z / T)", power],
    ["/", "Σ over all tokens", format(weight / share, 3)],
    ["=", "p", chance(share, 4), isWhole],
    ...(isWhole ? [] : now.cut[t] ? cut : kept),
  ];
}
