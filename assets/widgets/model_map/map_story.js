// Play, told: what happens on the way of the words, with what the model computed. Pure; tested with node.
import { percent } from "../drawing/elements.js";
import { inText, quoted, visible } from "../drawing/tokens.js";
import { told } from "./map_edits.js";
import { active, change, largest, strongest } from "./map_numbers.js";

const MOST_SAMPLE = 110; // letters of what it wrote in training

const name = (token) => quoted(token.replace(/^ (?=\S)/, ""));

/** @typedef {{reach: (g: any) => number, words: string[], early?: string, isDraw?: boolean}} Step */

/**
 * The steps from the text to the first drawn token. `reach(layout)` is how far the words have come, in u; `words`
 * alternate, plain and strong; `early` names the tensor whose reading the bars show.
 *
 * @param {any} pass
 * @param {number} focus
 * @param {(id: number) => string} vocabulary
 * @param {{token: string, p: number}} draw what is drawn at the end
 */
export function story(pass, focus, vocabulary, draw) {
  const { nToken, nLayer, tokens, model } = pass;
  const { d_model: d, positions } = model.config;
  const here = name(tokens[focus]);
  /** @type {Step[]} */
  const steps = [
    { reach: (g) => g.emb - 2, words: ["The text is cut into ", count(nToken, "token"), "."] },
    {
      reach: (g) => g.emb + g.tile + 8,
      words: ["Each token becomes ", `${d} numbers`, placed(positions)],
      early: "embed",
    },
  ];
  for (let l = 0; l < nLayer; l++) {
    const most = strongest(pass, l, focus);
    const reads = most
      ? [
          `Attention, layer ${l}: ${here} reads `,
          name(tokens[most.from]),
          ` most (head ${most.head}, ${percent(most.weight)}).`,
        ]
      : [`Attention, layer ${l}: `, here, " has no earlier token to read."];
    steps.push({ reach: (g) => g.blocks[l].add1 + 6, words: reads, early: `blocks.${l}.resid_mid` });
    if (!pass.taps.has(`blocks.${l}.mlp.out`)) continue;
    const lit = active(pass, l, focus);
    const alone = lit
      ? [`MLP, layer ${l}: each token by itself. For ${here}, `, `${lit[0]} of ${lit[1]}`, " units are active."]
      : [
          `MLP, layer ${l}: each token by itself. It changes ${here} by `,
          percent(change(pass, l, focus)),
          " of its size.",
        ];
    steps.push({ reach: (g) => g.blocks[l].p1, words: alone, early: `blocks.${l}.resid_out` });
  }
  const best = largest(pass.probabilities(focus));
  steps.push({
    reach: (g) => g.final + g.tile + 40,
    words: [
      "The last vector scores all tokens: ",
      name(vocabulary(best)),
      ` gets ${percent(pass.probabilities(focus)[best])}.`,
    ],
    early: "final",
  });
  steps.push({
    reach: () => Infinity,
    words: [
      "One is drawn: ",
      name(draw.token),
      `, which had ${percent(draw.p)}. It joins the text, and all begins again.`,
    ],
    isDraw: true,
  });
  return steps;
}

/** A step for each further token that is drawn. */
export const further = (token, p) => ({
  reach: () => Infinity,
  words: ["Again, with one token more: ", name(token), `, which had ${percent(p)}.`],
  isDraw: true,
});

/** The last step: everything that was drawn has joined the text. */
export const ending = (written) => ({
  reach: () => Infinity,
  words: [
    "It wrote: ",
    written
      .map(({ token }) => inText(token))
      .join("")
      .trim(),
    "",
  ],
});

/** What is said while nothing plays. */
export function idle(pass, focus, vocabulary) {
  const p = pass.probabilities(focus);
  const best = largest(p);
  return [`After ${name(pass.tokens[focus])} the model expects `, name(vocabulary(best)), ` (${percent(p[best])}).`];
}

/** The same of every token, for a table. */
export function tableOf({ frame, pass, vocabulary }) {
  const rows = (frame ? [] : (pass?.tokens ?? [])).map((token, t) => {
    const p = pass.probabilities(t);
    const id = largest(p);
    return [t, visible(token), pass.ids[t], visible(vocabulary(id)), p[id]];
  });
  return { columns: ["position", "token", "id", "expects next", "probability"], rows };
}

/** What is said now. */
export function captionOf({ frame, pass, before, stay, focus, vocabulary, edits, isEdited }, { now }) {
  if (frame) {
    const wrote = `${frame.sample.slice(0, MOST_SAMPLE)}${frame.sample.length > MOST_SAMPLE ? " …" : ""}`;
    return [`Recorded on this sentence, without your changes; your text comes back after. The model wrote: ${wrote}`];
  }
  if (now) return now.words;
  if (!isEdited) return idle(pass, focus, vocabulary);
  const what = edits.now.map((one) => told(one, before.tokens)).join(", ");
  const sentence = what[0].toUpperCase() + what.slice(1);
  return effect(before.probabilities(stay[focus]), pass.probabilities(focus), vocabulary, sentence);
}

/** The same with something changed inside: what the change did to what was expected. */
export function effect(before, after, vocabulary, what) {
  const [best, now] = [largest(before), largest(after)];
  const then = now === best ? "." : `; now it expects ${name(vocabulary(now))} (${percent(after[now])}).`;
  const verb = after[best] < before[best] ? "falls" : "rises";
  if (percent(after[best]) === percent(before[best])) {
    return [`${what}: `, name(vocabulary(best)), ` stays at ${percent(before[best])}${then}`];
  }
  return [
    `${what}: `,
    name(vocabulary(best)),
    ` ${verb} from ${percent(before[best])} to ${percent(after[best])}${then}`,
  ];
}

const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

function placed(positions) {
  if (["learned", "sinusoidal"].includes(positions)) return ", for what it is and where it stands.";
  return ". They travel along its line.";
}
