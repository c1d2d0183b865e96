// Text that can be drawn, as core/data/printable.py makes it. Pure; tested with node.

import { CARRIER, HIDDEN, LONE_ACCENT, ONLY_JOINERS } from "./hidden_letters.js";

/** What Python takes for white space, for the brackets of a pattern; JavaScript's own \\s is another set. */
export const SPACES = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const AROUND = new RegExp(`^[${SPACES}]+|[${SPACES}]+$`, "gu");

/** Without the white space around it. */
export const strip = (text) => text.replace(AROUND, "");

const hex = (code, digits) => code.toString(16).toUpperCase().padStart(digits, "0");
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const marked = (c) => `⟨U+${hex(c.codePointAt(0), 4)}⟩`;

/** A token's text: what shows nothing becomes a mark such as ⟨U+202E⟩, and an accent without a letter gets a circle. */
export function printable(text) {
  if (ONLY_JOINERS.test(text)) return [...text].map(marked).join("");
  const out = text.replace(/./gsu, (c) =>
    !" \n\t".includes(c) && (/[\p{C}\p{Z}]/u.test(c) || HIDDEN.test(c)) ? marked(c) : c,
  );
  return LONE_ACCENT.test(out) ? CARRIER + out : out;
}

/** The same of a token's bytes; one that is only part of a character becomes ⟨E2⟩. */
export function printableBytes(bytes) {
  const whole = decoded(bytes); // nearly all
  if (whole !== null) return printable(whole);
  let out = "";
  for (let at = 0; at < bytes.length;) {
    const text = [1, 2, 3, 4].map((n) => decoded(bytes.subarray(at, at + n))).find((one) => one !== null);
    out += text === undefined ? `⟨${hex(bytes[at], 2)}⟩` : printable(text);
    at += text === undefined ? 1 : new TextEncoder().encode(text).length;
  }
  return out;
}

/** The text of the bytes, or null where they are no whole characters. */
function decoded(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}
