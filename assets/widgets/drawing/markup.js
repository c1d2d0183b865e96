// Markup that the server made from Markdown, as nodes: known elements and attributes; anything else leaves its text.

const HTML = new Set(
  "a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i li ol p pre small span strong sub sup table tbody td th thead tr ul".split(
    " ",
  ),
);
const MATH = new Set(
  (
    "math menclose mfrac mi mn mo mover mpadded mphantom mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd " +
    "mtext mtr munder munderover"
  ).split(" "),
);
const MATH_ATTRIBUTES = new Set(
  (
    "accent columnalign columnlines columnspacing depth display displaystyle fence form height largeop linebreak " +
    "linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation " +
    "rowlines rowspacing rspace scriptlevel separator stretchy voffset width"
  ).split(" "),
);
const HTML_NAMESPACE = "http://www.w3.org/1999/xhtml";
const MATH_NAMESPACE = "http://www.w3.org/1998/Math/MathML";
const VALUES = {
  class: /^[\w -]*$/,
  href: /^(https?:\/\/|[\w-]+\.html$)/i, // of the web, and of a page beside this one
  start: /^\d+$/,
  style: /^text-align: ?(left|right|center)$/, // of a table's cell
};
const SILENT = new Set(["script", "style", "template"]); // their text isn't for readers

/** The nodes of a markup, copied one by one from a document in which nothing loads and nothing runs. */
export const nodes = (html) => copies(new DOMParser().parseFromString(html, "text/html").body);

const copies = (parent) => [...parent.childNodes].flatMap(copy);

function copy(node) {
  if (node.nodeType === Node.TEXT_NODE) return [document.createTextNode(node.nodeValue)];
  if (node.nodeType !== Node.ELEMENT_NODE || SILENT.has(node.localName)) return [];
  const isHtml = node.namespaceURI === HTML_NAMESPACE && HTML.has(node.localName);
  const isMath = node.namespaceURI === MATH_NAMESPACE && MATH.has(node.localName);
  if (!isHtml && !isMath) return copies(node);
  const made = document.createElementNS(node.namespaceURI, node.localName);
  for (const { name, value } of node.attributes) {
    const isKnown = isMath ? MATH_ATTRIBUTES.has(name) : Object.hasOwn(VALUES, name) && VALUES[name].test(value);
    if (isKnown) made.setAttribute(name, value);
  }
  made.append(...copies(node));
  return [made];
}
