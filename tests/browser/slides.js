// What can be read and seen of one slide, in pixels of the screen. Put on the page as `window.slide`.
window.slide = (at) => {
  const PICTURES = "canvas, svg, img, table, [role=img]";
  const exhibit = document.querySelectorAll('[data-testid=stMain] [class*="st-key-gf-exhibit-"]')[at];
  const foot = document.querySelector(".gf-present-bar").getBoundingClientRect().top;
  const frame = exhibit.getBoundingClientRect();
  const above = (node) => node.parentElement ?? node.getRootNode().host ?? null;
  const chain = (node) => {
    const out = [];
    for (let one = node; one; one = above(one)) out.push(one);
    return out;
  };
  const zoomOf = (node) => chain(node).reduce((z, one) => z * (parseFloat(getComputedStyle(one).zoom) || 1), 1);
  /** The part of a box that no box around it hides, and whether one that scrolls does. */
  const seen = (node, box) => {
    let { left, top, right, bottom } = box;
    let scrolls = false;
    for (const one of chain(node).slice(1)) {
      const { overflowX, overflowY } = getComputedStyle(one);
      if (overflowX === "visible" && overflowY === "visible") continue;
      if (one instanceof SVGElement && one.ownerSVGElement) continue;
      const clip = one.getBoundingClientRect();
      if (overflowX !== "visible") [left, right] = [Math.max(left, clip.left), Math.min(right, clip.right)];
      if (overflowY !== "visible") [top, bottom] = [Math.max(top, clip.top), Math.min(bottom, clip.bottom)];
      const isCut = left > box.left + 1 || right < box.right - 1 || top > box.top + 1 || bottom < box.bottom - 1;
      scrolls ||= isCut && /auto|scroll/.test(overflowX + overflowY);
      if (one === exhibit) break;
    }
    return { left, top, right, bottom, scrolls };
  };
  const texts = [];
  const filled = [];
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.matches("style, script, .gf-live, .katex-mathml, .katex-mathml *")) continue;
      if (!node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
      if (node.shadowRoot) walk(node.shadowRoot);
      const isText = [...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim());
      const box = node.getBoundingClientRect();
      if (box.width < 2 || box.height < 2 || getComputedStyle(node).clipPath !== "none") continue;
      if (!isText) {
        if (node.matches(PICTURES) && !node.closest("button, label")) filled.push(seen(node, box));
        continue;
      }
      const range = document.createRange();
      range.selectNodeContents(node);
      const ink = node instanceof SVGElement ? box : range.getBoundingClientRect();
      const shown = seen(node, ink);
      const width = Math.max(0, shown.right - shown.left);
      const height = Math.max(0, shown.bottom - shown.top);
      const style = getComputedStyle(node);
      let size = parseFloat(style.fontSize) * zoomOf(node);
      let angle = 0;
      const svg = node.ownerSVGElement;
      if (svg) {
        const m = node.getCTM();
        angle = Math.round((Math.atan2(m.b, m.a) * 180) / Math.PI);
        const wide = parseFloat(svg.viewBox.baseVal?.width) || 0;
        const own = wide ? svg.getBoundingClientRect().width / wide / zoomOf(svg) : 1;
        size *= wide ? own : 1;
      }
      if (width > 1 && height > 1) filled.push(shown);
      texts.push({
        text: node.textContent.trim().slice(0, 40),
        tag: node.tagName.toLowerCase(),
        size: Math.round(size * 10) / 10,
        angle,
        kind: node.closest("[data-testid=stVegaLiteChart]")
          ? "vega"
          : node.closest(".js-plotly-plot")
            ? "plotly"
            : node.getRootNode() instanceof ShadowRoot
              ? "widget"
              : node.closest(".katex")
                ? "formula"
                : "prose",
        box: [ink.left, ink.top, ink.right, ink.bottom].map(Math.round),
        hidden: Math.round(100 - (100 * width * height) / (ink.width * ink.height || 1)),
        scrolls: shown.scrolls,
        low: shown.bottom,
        svg: svg ? [...document.querySelectorAll("svg")].indexOf(svg) : -1,
        node,
      });
    }
  };
  walk(exhibit);
  const inside = texts.filter(({ box }) => box[3] > frame.top && box[1] < frame.bottom);
  const under = inside.filter(({ low, scrolls, hidden }) => low > foot + 2 && !scrolls && hidden < 100);
  const isShort = (node) =>
    chain(node)
      .slice(0, 3)
      .some((one) => getComputedStyle(one).textOverflow === "ellipsis");
  // What is hidden as a whole is for screen readers, or behind another tab.
  const cut = inside.filter(({ node, hidden, scrolls }) => hidden > 20 && hidden < 100 && !scrolls && !isShort(node));
  const beyond = inside.filter(({ node, box }) => (box[2] > innerWidth + 1 || box[0] < -1) && !isShort(node));
  const tilted = inside.filter(({ angle }) => angle % 90);
  const over = [];
  // Names of points stand where their points are.
  const isOfPoint = (node) =>
    node.closest(".textpoint, .mark-text") && !node.closest("[class*=role-axis], [class*=role-leg]");
  const drawn = inside.filter(({ node }) => node.ownerSVGElement && !isOfPoint(node));
  const small = (b) => (b[2] - b[0]) * (b[3] - b[1]);
  drawn.forEach((one, i) => {
    for (const two of drawn.slice(i + 1)) {
      if (one.node.contains(two.node) || two.node.contains(one.node) || one.text === two.text) continue;
      if (one.angle % 90 || two.angle % 90) continue;
      if (one.node.getRootNode() !== two.node.getRootNode()) continue;
      const w = Math.min(one.box[2], two.box[2]) - Math.max(one.box[0], two.box[0]);
      const h = Math.min(one.box[3], two.box[3]) - Math.max(one.box[1], two.box[1]);
      if (w > 2 && h > 2 && w * h > 0.2 * Math.min(small(one.box), small(two.box))) {
        over.push(`${one.text} | ${two.text}`);
      }
    }
  });
  // Names at the cells of a matrix: those that lean must not touch.
  const labels = inside.filter(({ node }) => node.matches(".gf-label"));
  const leaning = labels.filter(({ node }) => /rotate\(-?(?!0|90)\d/.test(node.style.transform));
  leaning.sort((a, b) => a.node.getBoundingClientRect().left - b.node.getBoundingClientRect().left);
  leaning.forEach((one, i) => {
    const two = leaning[i + 1];
    if (!two || two.node.parentElement !== one.node.parentElement) return;
    const apart = parseFloat(two.node.style.left) - parseFloat(one.node.style.left);
    if (apart * Math.sin((55 / 180) * Math.PI) < 1.1 * parseFloat(one.node.style.fontSize)) {
      over.push(`${one.text} | ${two.text}`);
    }
  });
  const plots = [...exhibit.querySelectorAll("svg.marks .root > g > .background")].map((one) =>
    Math.round(one.getBoundingClientRect().height),
  );
  // The share of the slide's cells of 8 px in which something stands.
  const [left, top, right, bottom] = [frame.left, frame.top, frame.right, Math.min(frame.bottom, foot)];
  const n = [Math.ceil((right - left) / 8), Math.ceil((bottom - top) / 8)];
  const cells = new Uint8Array(n[0] * n[1]);
  for (const box of filled) {
    for (let y = Math.max(0, (box.top - top) >> 3); y < Math.min(n[1], (box.bottom - top) / 8); y++) {
      for (let x = Math.max(0, (box.left - left) >> 3); x < Math.min(n[0], (box.right - left) / 8); x++) {
        cells[y * n[0] + x] = 1;
      }
    }
  }
  const name = ({ text, size }) => `${text} ${size}`;
  const least = (kind) => {
    const of = inside.filter((one) => one.kind === kind && one.hidden < 90).sort((a, b) => a.size - b.size)[0];
    return of ? [of.size, of.text] : null;
  };
  const words = () => {
    const said = inside.filter(
      ({ node, hidden, kind }) =>
        hidden < 90 && kind === "prose" && node.matches("p, li, h3") && !node.closest("button, label, summary"),
    );
    const [of] = said.sort((a, b) => a.size - b.size);
    return of ? [of.size, of.text] : null;
  };
  const curves = [...exhibit.querySelectorAll("svg.marks .mark-line path")].map(
    (one) => Math.round(parseFloat(getComputedStyle(one).strokeWidth) * zoomOf(one) * 10) / 10,
  );
  const pane = exhibit.querySelector('[class*="st-key-gf-pane-"]');
  const read = exhibit.querySelector('[class*="st-key-gf-rail-"] > :has(> [class*="st-key-gf-read-"])');
  return {
    name: /st-key-gf-exhibit-([\w-]+)/.exec(exhibit.className)[1],
    under: under.map(name),
    cut: cut.map((one) => `${name(one)} ${one.hidden}% ${one.kind}`),
    beyond: beyond.map(name),
    tilted: tilted.map((one) => `${one.text} ${one.angle}`),
    over,
    least: Object.fromEntries(["prose", "vega", "plotly", "widget", "formula"].map((kind) => [kind, least(kind)])),
    words: words(),
    fit: parseFloat(pane.style.getPropertyValue("--gf-fit")) || 1,
    paneBox: [pane.clientWidth, pane.clientHeight].map(Math.round),
    readHidden: read ? Math.max(0, read.scrollHeight - read.clientHeight) : 0,
    plot: plots.length ? Math.min(...plots) : null,
    curve: curves.length ? Math.min(...curves) : null,
    used: Math.round((100 * cells.reduce((sum, one) => sum + one, 0)) / cells.length),
    frame: [frame.top, frame.bottom].map(Math.round),
  };
};
