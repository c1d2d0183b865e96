// Tokens as readable labels: what cannot be seen gets a sign, what reads from right to left turns nothing but itself.
// Pure; tested with node.
import { CARRIER, HIDDEN, LONE_ACCENT, ONLY_JOINERS } from "../engine/hidden_letters.js";

const SIGNS = { " ": "·", "\n": "⏎", "\t": "⇥" };
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [ISOLATE, END] = ["\u2068", "\u2069"];
const MARKS = /(\p{M}{4})(\p{M}+)/gu; // a letter carries up to four marks; a tower of more would cover its neighbors

/**
 * The token with its spaces, line ends, control characters and lonely accents made visible, as a part of any sentence.
 */
export function visible(token) {
  return isolated(signed(token));
}

/** The same of a word, without the space that its token may begin with. */
export const word = (token) => visible(token.replace(/^ (?=\S)/, ""));

/** At most `limit` characters as a reader counts them, never half an emoji. */
export function short(token, limit = 12) {
  const text = signed(token);
  const parts = text.length <= limit ? [] : graphemes(text);
  return isolated(parts.length <= limit ? text : `${parts.slice(0, limit - 1).join("")}…`);
}

/** The same inside a text, where spaces stay spaces. */
export const inText = (token) =>
  token
    .split(" ")
    .map((part) => (part ? visible(part) : ""))
    .join(" ");

export const quoted = (token, limit = 16) => `“${short(token, limit)}”`;

/** A label as long as there is room for, cut between characters. widthOf: text => its width. */
export function fitted(label, room, widthOf) {
  if (widthOf(label) <= room) return label;
  const parts = graphemes(label.replaceAll(ISOLATE, "").replaceAll(END, "").replace(/…$/, ""));
  while (parts.length > 1 && widthOf(`${parts.join("")}…`) > room) parts.pop();
  return isolated(`${parts.join("")}…`);
}

/** The characters as a reader counts them. */
export const graphemes = (text) =>
  typeof Intl !== "undefined" && Intl.Segmenter
    ? [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].map((s) => s.segment)
    : [...text];

const code = (ch) => `[${ch.codePointAt(0).toString(16).toUpperCase().padStart(2, "0")}]`;

function signed(token) {
  if (token === "") return "∅";
  if (ONLY_JOINERS.test(token)) return [...token].map(code).join("");
  let out = LONE_ACCENT.test(token) && !HIDDEN.test([...token][0]) ? CARRIER : "";
  for (const ch of token) out += SIGNS[ch] ?? (HIDDEN.test(ch) ? code(ch) : ch);
  return out.replace(MARKS, (_, few, more) => `${few}[+${[...more].length}]`);
}

/** Arabic and Hebrew turn what stands beside them in a sentence or a picture, unless they are set apart. */
const isolated = (text) => (RIGHT_TO_LEFT.test(text) ? ISOLATE + text + END : text);
