// The glossary's terms, which come with every page (terms.js), for other scripts: as [name, name in addresses,
// definition, forms].
export const terms = [];

export function setTerms(list) {
  terms.splice(0, terms.length, ...list);
  document.dispatchEvent(new Event("gf-terms"));
}
