// Texts on the screen outside the brackets of the pseudo-locale, each with the block it stands in. Put on the page as
// `window.bare`.
window.bare = (words) => {
  /** What of a text is in no brackets. A bracket that only ends here began in another block. */
  function outside(text) {
    let [depth, out] = [0, ""];
    for (const letter of text) {
      if (letter === "⟧" && depth === 0) out = "";
      if (letter === "⟦") depth += 1;
      else if (letter === "⟧") depth -= 1;
      else if (depth <= 0) out += letter;
      if (letter === "⟧" && depth <= 0) [depth, out] = [0, `${out} `];
    }
    return out;
  }
  const INLINE = new Set(
    "A ABBR B BDI BR CITE CODE DEL EM I KBD LABEL MARK Q S SMALL SPAN STRONG SUB SUP TSPAN U VAR".split(" "),
  );
  const NOT_OURS =
    "style, script, noscript, template, .katex, .katex-mathml, code, pre, kbd, [translate=no], textarea, option";
  const ATTRIBUTES = ["aria-label", "title", "placeholder", "alt", "aria-description", "aria-roledescription"];
  // The same in every language: names of models and of methods, and tokens that begin with a space.
  const NAMES = /(?<!\p{Ll})(GPT(-\w+)?( \(\w+\))?|GRU|LSTM|BERT|BPE|exp|PCA|t-SNE|Muon|PNG|SVG)(?!\p{Ll})|·\p{L}+/gu;
  const isWord = (text) => /\p{L}{3}/u.test(text.replace(NAMES, ""));
  const wordsOf = (text) => text.match(/\p{L}{3,}/gu) ?? [];
  const data = new Set(words); // and words of tokens and of texts in fields
  const collect = (root) => {
    for (const one of root.querySelectorAll("[translate=no], textarea, input")) {
      wordsOf(one.value ?? one.textContent).forEach((word) => data.add(word));
    }
    for (const { textContent: pair } of root.querySelectorAll(".role-legend-label text")) {
      if (/^\p{Ll}+, \p{Ll}+$/u.test(pair)) wordsOf(pair).forEach((word) => data.add(word)); // "red, blue"
    }
    for (const one of root.querySelectorAll("*")) if (one.shadowRoot) collect(one.shadowRoot);
  };
  collect(document.body);
  const isData = (text) => wordsOf(text.replace(NAMES, "")).every((word) => data.has(word));
  /** A name at a point of a chart. */
  const isChartName = (block, text) => block.closest?.(".mark-text, .textpoint") && !text.includes(" ");
  // Where no mark can stand: attributes, what Vega and Plotly write, what Streamlit makes of Markdown, and what is
  // said aloud of a part of a picture.
  const UNMARKED = [
    "[data-testid=stVegaLiteChart] svg *, .js-plotly-plot *",
    "[data-testid=stMarkdownContainer] :is(p, td), .gf-scroll th, button[data-i][tabindex='-1']",
  ].join();
  const blocks = new Map();
  const out = [];
  const attribute = (node) => {
    for (const name of ATTRIBUTES) {
      const text = node.getAttribute?.(name);
      if (text && isWord(outside(text)) && !isData(outside(text))) out.push([name, where(node), outside(text)]);
    }
  };
  const where = (node) =>
    [...`${node.getAttribute?.("class") ?? ""}`.split(" "), node.dataset?.testid ?? "", node.tagName.toLowerCase()]
      .filter((one) => /^(st|gf)|^[a-z]+$/.test(one))
      .slice(-3)
      .join(" ");
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      let block = node.parentNode;
      while (INLINE.has(block.tagName) && block.parentElement) block = block.parentElement;
      blocks.set(block, (blocks.get(block) ?? "") + node.textContent);
      return;
    }
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (node.matches(NOT_OURS)) return;
      if (!node.closest("[data-testid=stVegaLiteChart] svg")) attribute(node); // Vega describes its marks itself
      if (node.shadowRoot) walk(node.shadowRoot);
    }
    for (const child of node.childNodes) walk(child);
  };
  walk(document.body);
  for (const [block, text] of blocks) {
    const rest = outside(text);
    if (isWord(rest) && !(block.matches?.(UNMARKED) && isData(rest)) && !isChartName(block, rest.trim())) {
      out.push(["text", where(block.host ?? block), rest.replace(/\s+/g, " ").trim().slice(0, 160)]);
    }
  }
  return out;
};

// Texts of ours that a box around them hides in part, though it doesn't scroll. Put on the page as `window.cutOff`.
window.cutOff = () => {
  const above = (node) => node.parentElement ?? node.getRootNode().host ?? null;
  const out = [];
  const visit = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) visit(node.shadowRoot);
      const own = [...node.childNodes].filter(
        (one) => one.nodeType === Node.TEXT_NODE && one.textContent.includes("⟦"),
      );
      if (!own.length || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const ink = range.getBoundingClientRect();
      if (ink.width < 2 || ink.height < 2 || getComputedStyle(node).clipPath !== "none") continue;
      let { left, right, top, bottom } = ink;
      for (let one = node; one && one !== document.body; one = above(one)) {
        const { overflowX, overflowY, textOverflow } = getComputedStyle(one);
        if (/auto|scroll/.test(overflowX + overflowY) || textOverflow === "ellipsis") break;
        const box = one.getBoundingClientRect();
        if (overflowX !== "visible") [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
        if (overflowY !== "visible") [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
      }
      const shares = [(right - left) / ink.width, (bottom - top) / ink.height];
      const [along, across] = ink.width < ink.height ? shares.reverse() : shares; // a title may stand upright
      // Across, the box of a bracket is higher than the letters. What is hidden as a whole is for screen readers.
      if (along < 0.05 || across < 0.05 || (along > 0.95 && across > 0.7)) continue;
      out.push([Math.round(100 * along), Math.round(100 * across), node.textContent.trim().slice(0, 80)]);
    }
  };
  visit(document.body);
  return out;
};
