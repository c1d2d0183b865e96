// What each exhibit on the page shows of its own, and what in it is empty; put on the page as `window.panes`. It shares
// nothing with what the app itself looks for.
window.panes = () => {
  const APART = '[class*="st-key-gf-panel-"], .gf-head, .gf-live, .gf-sr, style, script, template, [hidden]';
  const SHAPES = "path, rect, circle, ellipse, line, polyline, polygon, text, use, image";
  const isSeen = (node, least) => {
    const { width, height } = node.getBoundingClientRect();
    return width >= least && height >= least && node.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true });
  };
  const isPainted = (canvas) => {
    if (!canvas.width || !canvas.height) return false;
    const small = Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
    const context = small.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0, 64, 64);
    return context.getImageData(0, 0, 64, 64).data.some((one, i) => i % 4 === 3 && one > 0);
  };
  const isPicture = (node) =>
    isSeen(node, 12) &&
    (node.matches("img, video") ||
      (node.matches("canvas") && isPainted(node)) ||
      (node.matches("svg") && !!node.querySelector(SHAPES) && !node.closest("button")));
  const text = (node) =>
    [...node.childNodes]
      .filter((one) => one.nodeType === 3)
      .map((one) => one.textContent.trim())
      .join(" ")
      .trim();
  const isText = (node) => text(node).length > 1 && isSeen(node, 6) && !node.closest("button, [role=button]");
  function* deep(node) {
    for (const one of node.children) {
      if (one.matches(APART)) continue;
      yield one;
      if (one.shadowRoot) yield* deep(one.shadowRoot);
      yield* deep(one);
    }
  }
  const shows = (node) => {
    for (const one of deep(node)) if (!one.closest(".gf-error") && (isPicture(one) || isText(one))) return true;
    return false;
  };
  // What stands under a heading of the rail: something to read, or to operate.
  const isFilled = (node) => {
    for (const one of [node, ...deep(node)]) {
      if (isSeen(one, 6) && (one.matches("input, select, textarea, button") || text(one).length > 1)) return true;
    }
    return false;
  };
  const emptyHeadings = (exhibit) => {
    const rail = exhibit.querySelector('[class*="st-key-gf-rail-"]');
    const [set, read] = [rail, rail?.querySelector('[class*="st-key-gf-read-"]')];
    const isOther = (one) => one.matches('[class*="st-key-gf-try-"]') || one.contains(read);
    const parts = { Set: [set, set && [...set.children].filter((one) => !isOther(one))], Read: [read, read && [read]] };
    return Object.entries(parts)
      .filter(([name, [node]]) => node && getComputedStyle(node, "::before").content === `"${name}"`)
      .filter(([, [, below]]) => !below.some(isFilled))
      .map(([name]) => `has an empty “${name}”`);
  };
  // Two of a kind that have room side by side stand so.
  const apart = (pane) =>
    [...pane.querySelectorAll('[class*="st-key-gf-alike-"]')].filter(({ clientWidth, children: [left, right] }) => {
      const isWide = clientWidth > 32 * parseFloat(getComputedStyle(document.documentElement).fontSize);
      return isWide && left && right && left.offsetTop !== right.offsetTop;
    });
  const faults = [...document.querySelectorAll('[data-testid=stMain] [role="alert"]:not(.gf-error)')].map(
    (one) => one.innerText,
  );
  const exhibits = [...document.querySelectorAll('[data-testid=stMain] [class*="st-key-gf-exhibit-"]')];
  const told = exhibits.map((exhibit) => {
    const name = exhibit.className.match(/st-key-gf-exhibit-(\S+)/)[1];
    const pane = exhibit.querySelector('[class*="st-key-gf-pane-"]');
    if (!pane) return { name, empty: ["has no pane"] };
    if (pane.querySelector('[class*="st-key-gf-open-"]')) return { name, empty: ["is folded"] };
    const empty = [...(shows(pane) ? [] : ["shows nothing"]), ...emptyHeadings(exhibit)];
    if (apart(pane).length) empty.push("has a pair one below the other");
    for (const one of deep(pane)) {
      const host = one.getRootNode().host ?? one;
      const figure = one.matches("figure.gf") && !host.closest("details:not([open]), [inert]") && one; // folded away
      if (figure && !shows(figure.children[1]) && !shows(figure.children[2])) {
        empty.push(`picture “${figure.querySelector(".gf-title").textContent}” shows nothing`);
      }
      if (one.matches(".gf-error")) faults.push(`${name} says “${one.textContent}”`);
    }
    return { name, empty };
  });
  return { exhibits: told, faults: faults.filter((one) => /went wrong|this id/i.test(one)) };
};
/** Each text of the page, also on canvases and of labels, but code, formulas and the names of options. */
window.panes.texts = () => {
  const ABOUT_NAN = '[class*="st-key-gf-exhibit-number-for-minus-infinity"]'; // a lesson adds its step
  const NAMED = '[class*="st-key-gf-do-"] strong'; // an option that a lesson names may be called None
  const APART = `.katex, code, pre, style, script, template, textarea, button, option, label, [role=radio], ${NAMED}, ${ABOUT_NAN}`;
  const canvas = CanvasRenderingContext2D.prototype;
  const { fillText } = canvas;
  const found = [];
  const isShown = (node) => node.checkVisibility() || getComputedStyle(node).display === "contents";
  const walk = (root) => {
    for (const node of root.children) {
      if (node.matches(APART) || !isShown(node)) continue;
      if (node.matches("h1, h2, h3, h4, h5, h6") && !node.textContent.trim()) found.push("{{empty heading}}");
      found.push(node.ariaLabel ?? "", node.title ?? "");
      found.push(...[...node.childNodes].filter((one) => one.nodeType === 3).map((one) => one.textContent));
      if (node.shadowRoot) walk(node.shadowRoot);
      walk(node);
    }
  };
  walk(document.querySelector("[data-testid=stMain]"));
  canvas.fillText = function (text, ...place) {
    found.push(String(text));
    return fillText.call(this, text, ...place);
  };
  document.dispatchEvent(new Event("gf-look")); // every picture is drawn anew
  canvas.fillText = fillText;
  return [...new Set(found)].filter((one) => one.trim());
};
