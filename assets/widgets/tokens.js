// Tokens as readable labels: every invisible character gets a sign. Pure; tested with node.

const SIGNS = { " ": "·", "\n": "⏎", "\t": "⇥" };
// Direction marks, line separators and the byte order mark would change how the rest of a page reads.
const HIDDEN = /[\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\u0000-\u001f\u007f-\u00a0\u00ad]/;

/** The token with its spaces, line ends and control characters made visible. */
export function visible(token) {
  if (token === "") return "∅";
  let out = "";
  for (const ch of token) {
    if (SIGNS[ch] !== undefined) out += SIGNS[ch];
    else if (HIDDEN.test(ch)) out += `[${ch.codePointAt(0).toString(16).toUpperCase().padStart(2, "0")}]`;
    else out += ch;
  }
  return /^[\u200c\u200d\ufe0e\ufe0f]+$/.test(out) ? `[${out.codePointAt(0).toString(16).toUpperCase()}]` : out;
}

const segments = (text) =>
  typeof Intl !== "undefined" && Intl.Segmenter
    ? [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].map((s) => s.segment)
    : [...text];

/** At most `limit` characters as a reader counts them, never half an emoji. */
export function short(token, limit = 12) {
  const text = visible(token);
  if (text.length <= limit) return text;
  const parts = segments(text);
  return parts.length <= limit ? text : parts.slice(0, limit - 1).join("") + "…";
}

export const quoted = (token, limit = 16) => `“${short(token, limit)}”`;
