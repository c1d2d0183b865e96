// What test_accessibility.py asks a page about its pictures and its focus; put on the page as `window.reach`.
(() => {
  /** All elements, also those of the widgets. */
  function every() {
    const roots = [document];
    const found = [];
    for (const root of roots) {
      for (const one of root.querySelectorAll("*")) {
        found.push(one);
        if (one.shadowRoot) roots.push(one.shadowRoot);
      }
    }
    return found;
  }

  const named = (one) =>
    `${one.tagName} ${one.getAttribute("aria-label") ?? one.textContent.slice(0, 40)} ${one.className}`.slice(0, 120);

  function tabbable(one) {
    const takes = "a[href], button, input, select, textarea, summary, [tabindex]";
    if (!one.matches(takes) || one.tabIndex < 0 || one.disabled || one.inert) return false;
    if (!one.checkVisibility({ visibilityProperty: true }) || one.closest("[inert], [aria-hidden=true]")) return false;
    const box = one.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  }

  /** How an element, its parts and what it stands in look: a ring may be drawn on any of them. */
  function look(one) {
    const parts = [...one.children]
      .map((child) => getComputedStyle(child))
      .flatMap((css) => [css.outline, css.boxShadow, css.borderColor]);
    for (let node = one, i = 0; node && i < 8; node = node.parentElement ?? node.getRootNode().host, i++) {
      const css = getComputedStyle(node);
      parts.push(
        css.outline,
        css.boxShadow,
        css.borderColor,
        css.backgroundColor,
        css.color,
        css.textDecorationLine,
        css.opacity,
        css.width,
      );
    }
    return parts.join("|");
  }

  // In a group of buttons the arrow keys go on from the one that Tab reaches.
  const group = (one) => one.closest("[role=radiogroup], [role=toolbar], [role=group], [role=tablist]");
  let numbered = [];
  let looks = new Map();
  let sliders = new Map();

  window.reach = {
    /** Titles of pictures without a button for their table. */
    naked: () =>
      every()
        .filter(
          (one) =>
            one.matches("figure.gf") &&
            ![...one.querySelectorAll(".gf-tools button")].some((b) => /Table|Picture/.test(b.textContent)),
        )
        .map((one) => one.querySelector(".gf-title")?.textContent ?? "?"),
    /** How many elements there are. */
    size: () => every().length,
    /** Keep where every slider of a picture stands: a film that plays moves its own. */
    watch() {
      sliders = new Map(
        every()
          .filter((one) => one.matches('figure.gf input[type="range"]'))
          .map((one) => [one, one.value]),
      );
    },
    /** Where those sliders stand that have moved since. */
    moved: () =>
      [...sliders]
        .filter(([one, value]) => one.value !== value)
        .map(([one, value]) => `${named(one)} ${value} → ${one.value}`),
    /** Give each element that Tab should reach a number, and keep its look without the focus. */
    number() {
      numbered = every().filter(tabbable);
      looks = new Map(numbered.map((one) => [one, look(one)]));
      return numbered.length;
    },
    /** What has the focus; null if nothing of the page. */
    focused() {
      let one = document.activeElement;
      let isNew = false;
      while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
      if (!one || one === document.body) return null;
      if (!numbered.includes(one)) {
        numbered.push(one);
        isNew = true;
      }
      const before = one.tagName === "CANVAS" ? undefined : looks.get(one); // a table marks its cell in its picture
      return { id: numbered.indexOf(one), what: named(one), isNew, seen: before === undefined || before !== look(one) };
    },
    missed(reached) {
      const groups = new Set(reached.map((i) => group(numbered[i])).filter(Boolean));
      return numbered
        .filter((one, i) => !reached.includes(i) && one.isConnected && one.checkVisibility() && !groups.has(group(one)))
        .map(named);
    },
  };
})();
