// The glossary's terms, which come with every page (terms.js), for other scripts: as [name, name in addresses,
// definition, forms].
export let terms = [];

export function setTerms(list) {
  terms = list;
  document.dispatchEvent(new Event("gf-terms"));
}
