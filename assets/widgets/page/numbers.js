// Numbers as the language of the page writes them: 1,234.5 in English, 1.234,5 in German. Imports nothing.

export const LANGUAGE = globalThis.document?.documentElement?.lang || "en";
const POINT = LANGUAGE.startsWith("en") ? "." : (1.5).toLocaleString(LANGUAGE).replace(/\d/g, "");

const PLURALS = new Intl.PluralRules(LANGUAGE);

/** The plural form that the language uses with a number: "one", "few", …; see CLDR. @param {number} n */
export const pluralCategory = (n) => PLURALS.select(n);

/** A number that a script has written, with the decimal point of the language. @param {string} text */
export const localized = (text) => (POINT === "." ? text : text.replace(".", POINT));

/** @param {number} value @param {number} digits after the point */
export const fixed = (value, digits) => localized(value.toFixed(digits));

/** A count with separators between thousands. @param {number} n */
export const grouped = (n) => n.toLocaleString(LANGUAGE);
