// Play, told: what happens on the way of the words, with what the model computed. Pure; tested with node.
import { percent } from "../drawing/elements.js";
import { inText, quoted, visible } from "../drawing/tokens.js";
import { labels } from "./labels.js";
import { told } from "./map_edits.js";
import { active, change, largest, strongest } from "./map_numbers.js";

const MOST_SAMPLE = 110; // letters of what it wrote in training

const name = (token) => quoted(token.replace(/^ (?=\S)/, ""));

/**
 * What is said: texts, and in a list of its own each that is set in bold.
 *
 * @typedef {(string | [string])[]} Words
 * @typedef {{reach: (g: any) => number, words: Words, early?: string, isDraw?: boolean}} Step
 */

/**
 * The steps from the text to the first drawn token. `reach(layout)` is how far the words have come, in u;
 * `early` names the tensor whose reading the bars show.
 *
 * @param {any} pass
 * @param {number} focus
 * @param {(id: number) => string} vocabulary
 * @param {{token: string, p: number}} draw what is drawn at the end
 */
export function story(pass, focus, vocabulary, draw) {
  const { nToken, nLayer, tokens, model } = pass;
  const { d_model: d, positions } = model.config;
  const isPlaced = ["learned", "sinusoidal"].includes(positions);
  const here = name(tokens[focus]);
  /** @type {Step[]} */
  const steps = [
    { reach: (g) => g.emb - 2, words: labels.parts("cut", { tokens: [labels("n_token", { n: nToken })] }) },
    {
      reach: (g) => g.emb + g.tile + 8,
      words: labels.parts(isPlaced ? "embedded.placed" : "embedded", { numbers: [labels("n_number", { n: d })] }),
      early: "embed",
    },
  ];
  for (let l = 0; l < nLayer; l++) {
    const most = strongest(pass, l, focus);
    const reads = most
      ? labels.parts("attention", {
          ...{ layer: l, here, token: [name(tokens[most.from])] },
          ...{ head: most.head, weight: percent(most.weight) },
        })
      : labels.parts("attention.first", { layer: l, here: [here] });
    steps.push({ reach: (g) => g.blocks[l].add1 + 6, words: reads, early: `blocks.${l}.resid_mid` });
    if (!pass.taps.has(`blocks.${l}.mlp.out`)) continue;
    const lit = active(pass, l, focus);
    const alone = lit
      ? labels.parts("mlp.active", { layer: l, here, active: [labels("of", { n: lit[0], all: lit[1] })] })
      : labels.parts("mlp.change", { layer: l, here, share: [percent(change(pass, l, focus))] });
    steps.push({ reach: (g) => g.blocks[l].p1, words: alone, early: `blocks.${l}.resid_out` });
  }
  const best = largest(pass.probabilities(focus));
  steps.push({
    reach: (g) => g.final + g.tile + 40,
    words: labels.parts("scored", {
      token: [name(vocabulary(best))],
      share: percent(pass.probabilities(focus)[best]),
    }),
    early: "final",
  });
  steps.push({
    reach: () => Infinity,
    words: labels.parts("drawn", { token: [name(draw.token)], share: percent(draw.p) }),
    isDraw: true,
  });
  return steps;
}

/** A step for each further token that is drawn. */
export const further = (token, p) => ({
  reach: () => Infinity,
  words: labels.parts("drawn_again", { token: [name(token)], share: percent(p) }),
  isDraw: true,
});

/** The last step: everything that was drawn has joined the text. */
export const ending = (written) => ({
  reach: () => Infinity,
  words: labels.parts("wrote", {
    text: [
      written
        .map(({ token }) => inText(token))
        .join("")
        .trim(),
    ],
  }),
});

/** What is said while nothing plays. */
export function idle(pass, focus, vocabulary) {
  const p = pass.probabilities(focus);
  const best = largest(p);
  const token = [name(vocabulary(best))];
  return labels.parts("expects", { here: name(pass.tokens[focus]), token, share: percent(p[best]) });
}

/** The same of every token, for a table. */
export function tableOf({ frame, pass, vocabulary }) {
  const rows = (frame ? [] : (pass?.tokens ?? [])).map((token, t) => {
    const p = pass.probabilities(t);
    const id = largest(p);
    return [t, visible(token), pass.ids[t], visible(vocabulary(id)), p[id]];
  });
  const columns = ["position", "token", "id", "next", "probability"].map((one) => labels(`column.${one}`));
  return { columns, rows };
}

/** What is said now. */
export function captionOf({ frame, pass, before, stay, focus, vocabulary, edits, isEdited }, { now }) {
  if (frame) {
    const text = `${frame.sample.slice(0, MOST_SAMPLE)}${frame.sample.length > MOST_SAMPLE ? " …" : ""}`;
    return [labels("recorded", { text })];
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
  const [from, to] = [percent(before[best]), percent(after[best])];
  const goes = from === to ? "stays" : after[best] < before[best] ? "falls" : "rises";
  return labels.parts(now === best ? `effect.${goes}` : `effect.${goes}.other`, {
    ...{ what, token: [name(vocabulary(best))], from, to },
    ...{ other: name(vocabulary(now)), share: percent(after[now]) },
  });
}
