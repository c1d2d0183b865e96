// Sizes in pixels, before a slide is made smaller to fit, and contrasts of what stands on the page as text, widgets
// included; letters on data's colors left out. Put on the page as `window.measure`.
window.measure = () => {
  const lum = (c) => {
    const [r, g, b] = c.map((v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const parse = (s) => {
    const m = /rgba?\(([^)]+)\)/.exec(s);
    if (!m) return null;
    const p = m[1].split(/[ ,/]+/).map(Number);
    return [p[0], p[1], p[2], p[3] ?? 1];
  };
  const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3]));
  const above = (n) => n.parentElement ?? (n.getRootNode() instanceof ShadowRoot ? n.getRootNode().host : null);
  const lines = (n) => {
    const out = [];
    for (let p = n; p; p = above(p)) out.push(p);
    return out;
  };
  const ground = (n) => {
    const layers = [];
    for (const p of lines(n)) {
      const c = parse(getComputedStyle(p).backgroundColor);
      if (c && c[3] > 0) {
        layers.push(c);
        if (c[3] === 1) break;
      }
    }
    return layers.reverse().reduce((b, c) => over(c, b), [255, 255, 255]);
  };
  const small = [];
  const pale = [];
  const body = [];
  const walk = (root) => {
    for (const n of root.querySelectorAll("*")) {
      if (n.shadowRoot) walk(n.shadowRoot);
      if (
        !n.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) ||
        ![...n.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim())
      ) {
        continue;
      }
      if (
        n.closest(".gf-live, .katex, style, [data-testid=stSliderThumbValue], [disabled]") ||
        n.getBoundingClientRect().width < 2
      ) {
        continue;
      }
      const style = getComputedStyle(n);
      const zoom = lines(n).reduce((z, p) => z * (parseFloat(getComputedStyle(p).zoom) || 1), 1);
      const fit = Math.min(1, parseFloat(style.getPropertyValue("--gf-fit")) || 1); // of what is made smaller as a whole
      const size = (parseFloat(style.fontSize) * zoom) / fit;
      const name = `${n.tagName} ${n.textContent.trim().slice(0, 30)} ${size.toFixed(1)}`;
      // Names at the cells of a picture may be smaller.
      const least = n.getRootNode() instanceof ShadowRoot ? 14.5 : 17.9;
      if (size < least) small.push(name);
      if (
        n.closest("[data-testid=stMarkdownContainer]") &&
        n.matches("p, li") &&
        !n.closest("label, button, [data-testid=stWidgetLabel]")
      ) {
        body.push(size);
      }
      const ink = parse(style.color);
      if (!ink || n.closest("svg, .gf-token, .tok, .open")) continue;
      const back = ground(n);
      const [a, b] = [lum(over(ink, back)), lum(back)];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (contrast < 6.95) pale.push(`${name} ${contrast.toFixed(2)}`);
    }
  };
  walk(document.querySelector("[data-testid=stMain]"));
  return { small, pale, body: Math.min(...body) };
};
