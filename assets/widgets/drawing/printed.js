// Facts of a sentence as the server prints them: the filters of core/ui/exhibit/exhibit_text.py, by their names. Pure;
// tested with node.
import { fixed, pluralCategory } from "../page/numbers.js";
import { format, grouped } from "./elements.js";
import { visible } from "./tokens.js";

const FILTERS = {
  of(value, spec) {
    const [, digits, sign] = spec.match(/^[.](\d)(f|%)$/) ?? [];
    if (!sign) throw new Error(`no number is printed as ${spec}`);
    return sign === "%" ? `${fixed(100 * value, digits)}%` : fixed(value, digits);
  },
  signed(value, digits = 2, plus = false) {
    const text = format(value, digits);
    return plus && value > 0 && Number(value.toFixed(digits)) ? `+${text}` : text;
  },
  token: (value) => value.trim() || visible(value),
  plural: (count, word, words = `${word}s`) => `${grouped(count)} ${pluralCategory(count) === "one" ? word : words}`,
};

/** shown: name of a filter and its arguments; none: as it is. */
export const printed = (value, [name, ...args] = []) => (name ? FILTERS[name](value, ...args) : value);
