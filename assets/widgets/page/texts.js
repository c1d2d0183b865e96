// The texts of scripts by key. Each folder has a table of its own, `labels.js`, which a translation replaces as a whole
// (assets/locales/<locale>/widgets/<folder>/labels.js); nothing but the table is in it.
import { pluralCategory } from "./numbers.js";
import { forFinger, isTouched } from "./touch_words.js";

/**
 * A function that returns a text of the table with its values filled in: `labels("open", { n: 3 })`. The text with the
 * plural form of n is used, `open.one`, `open.few`, if there is one. A key that the table lacks is a mistake of ours.
 *
 * `labels.parts("said", { token: node })` returns the text in pieces, to be appended: a value that is neither a text
 * nor a number stays as it is, in its place. Where there is no pointer, the texts speak of tapping (touch_words.js).
 */
export const texts = (written) => {
  const table = isTouched()
    ? Object.fromEntries(Object.entries(written).map(([key, text]) => [key, forFinger(text)]))
    : written;
  const find = (key, values) => {
    const text = (typeof values?.n === "number" && table[`${key}.${pluralCategory(values.n)}`]) || table[key];
    if (text === undefined) throw new Error(`there is no text ${key}`);
    return text;
  };
  const fill = (text, values = {}) => text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
  const labels = (key, values) => fill(find(key, values), values);
  labels.parts = (key, values) =>
    find(key, values)
      .split(/(\{\w+\})/)
      .reduce((/** @type {any[]} */ parts, piece) => {
        const value = values[piece.match(/^\{(\w+)\}$/)?.[1]];
        if (typeof value === "object") return [...parts, value];
        const before = typeof parts.at(-1) === "string" ? parts.pop() : "";
        return [...parts, before + fill(piece, values)];
      }, [])
      .filter((part) => part !== "");
  return labels;
};
