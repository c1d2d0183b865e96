// What the touch tests ask of a page, put into it once: `touch.…`. Pictures stand in shadows of the page.
(() => {
  const all = (selector, root = document) =>
    [...root.querySelectorAll("*")].flatMap((node) => [
      ...(node.matches(selector) ? [node] : []),
      ...(node.shadowRoot ? all(selector, node.shadowRoot) : []),
    ]);
  const isShown = (node) => {
    const { width, height } = node.getBoundingClientRect();
    return width > 0 && height > 0 && node.checkVisibility({ visibilityProperty: true, opacityProperty: false });
  };
  const figures = () => all("figure.gf").filter(isShown);
  const named = (node) =>
    `${node.tagName.toLowerCase()}${[...node.classList].map((one) => `.${one}`).join("")} ` +
    `"${(node.getAttribute("aria-label") ?? node.textContent ?? "").trim().slice(0, 40)}"`;

  /** All that one sees of a picture, but for what the browser itself shows under a pointer, and the pointer. */
  function look(i) {
    const figure = figures()[i];
    if (!figure) return "gone";
    const canvases = [...figure.querySelectorAll("canvas")].filter((one) => one.width && one.height);
    // eslint-disable-next-line no-restricted-properties -- only read
    return figure.outerHTML.replaceAll(/ ?cursor: \w+;/g, "") + canvases.map((one) => one.toDataURL()).join();
  }

  /** Places of a picture, in css pixels of the window, where nothing lies over it: its parts, then a grid. */
  function places(i) {
    const figure = figures()[i];
    figure.scrollIntoView({ block: "center", behavior: "instant" });
    const root = figure.getRootNode();
    const inside = (x, y) => {
      const hit = root.elementFromPoint(x, y);
      return hit && figure.contains(hit) && !hit.closest(".gf-head, input, select, .gf-table");
    };
    const found = [];
    const parts = figure.querySelectorAll("[data-i], tr, [data-at], .gf-plan");
    for (const node of [...parts].slice(1, 4)) {
      const { x, y, width, height } = node.getBoundingClientRect();
      found.push([x + width / 2, y + height / 2]);
    }
    const stages = [...figure.querySelectorAll(".gf-stage, canvas, svg")].filter(isShown);
    for (const node of stages.length ? stages.slice(0, 3) : [figure]) {
      const { x, y, width, height } = node.getBoundingClientRect();
      const cells = [0.5, 0.3, 0.7, 0.15, 0.88];
      for (const v of cells) for (const u of cells) found.push([x + u * width, y + v * height]);
    }
    return found.filter(([x, y]) => x > 0 && y > 0 && x < innerWidth && y < innerHeight && inside(x, y));
  }

  /** Fields whose letters are so small that iOS would zoom into them. */
  const smallText = () =>
    all("input:not([type=range], [type=checkbox], [type=radio], [type=file]), textarea, select")
      .filter((node) => isShown(node) && Number.parseFloat(getComputedStyle(node).fontSize) < 16)
      .map((node) => `${named(node)} ${getComputedStyle(node).fontSize}`);

  // Streamlit's own, and Plotly's bar.
  const STREAMLITS = '[data-testid="stHeader"], [data-testid="stSlider"], [data-testid="stFileUploader"], .modebar';
  const TARGETS =
    "button, a[href], input, select, textarea, summary, [role=button], [role=radio], [role=tab], [role=option]";
  /** What one can tap and is less than 24 css pixels wide or high; a link within a sentence may be. */
  const smallTargets = () =>
    all(TARGETS)
      .filter((node) => isShown(node) && !node.disabled && !node.closest(STREAMLITS))
      .filter((node) => !(node.matches("[role=option]") && getComputedStyle(node).display === "inline")) // in a text
      .filter(
        (node) =>
          !(
            node.matches("a") &&
            node.closest("p, li, td, .gf-sentence") &&
            !node.closest("nav, [class*=st-key-contents]")
          ),
      )
      .map((node) => [node, node.closest("label") ?? node])
      .map(([node, target]) => [node, [node, target].map((one) => one.getBoundingClientRect())])
      .filter(([, boxes]) => boxes.every(({ width, height }) => width < 23.9 || height < 23.9))
      .filter(([, [box]]) => box.right > 0 && box.width > 1 && box.height > 1)
      .map(([node, [box]]) => `${named(node)} ${box.width.toFixed(0)} x ${box.height.toFixed(0)}`);

  /** Where two fingers cannot zoom the page. */
  const unzoomable = () =>
    all("*")
      .filter(
        (node) =>
          isShown(node) &&
          !node.closest('[data-testid="stSlider"]') &&
          !["auto", "manipulation"].includes(getComputedStyle(node).touchAction),
      )
      .filter((node) => !getComputedStyle(node).touchAction.includes("pinch-zoom"))
      .map(named);

  const isFetching = () => all(".gf-title").some((node) => node.textContent.startsWith("Fetching"));

  globalThis.touch = { isFetching, figures: () => figures().length, look, places, smallText, smallTargets, unzoomable };
})();
