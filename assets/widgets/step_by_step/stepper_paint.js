// The matrices on show as a picture for PNG and SVG: painted from where they stand on the page.

const hex = (css) => {
  const found = css.match(/[\d.]+/g)?.map(Number) ?? [];
  return found.length === 3 ? `#${found.map((v) => Math.round(v).toString(16).padStart(2, "0")).join("")}` : null;
};

/** box: the element that holds the matrices. Returns {width, height, paint(painter)}. */
export function paint(box, theme) {
  const frame = box.getBoundingClientRect();
  const place = (node) => {
    const at = node.getBoundingClientRect();
    return [at.left - frame.left + 8, at.top - frame.top + 4, at.width, at.height];
  };
  return {
    width: Math.max(box.scrollWidth, frame.width) + 16,
    height: frame.height + 8,
    paint(p) {
      for (const td of box.querySelectorAll("td")) {
        const [x, y, w, h] = place(td);
        const css = getComputedStyle(td);
        const isMasked = td.classList.contains("gf-hatch");
        p.rect(x + 0.5, y + 0.5, w - 1, h - 1, {
          fill: isMasked ? theme.panel : (hex(td.style.backgroundColor) ?? undefined),
          stroke: isMasked ? theme.line : undefined,
        });
        if (td.classList.contains("cut-c")) p.rect(x - 1, y, 3, h, { fill: theme.text });
        if (td.classList.contains("cut-r")) p.rect(x, y - 1, w, 3, { fill: theme.text });
        if (td.classList.contains("set")) p.rect(x + 1, y + 1, w - 2, h - 2, { stroke: theme.accent, width: 2 });
        p.text(td.textContent, x + w / 2, y + h / 2, {
          fill: hex(td.style.color || css.color) ?? theme.text,
          size: parseFloat(css.fontSize),
          font: theme.code,
          align: "center",
        });
      }
      for (const th of box.querySelectorAll("th")) {
        const [x, y, w, h] = place(th);
        const isRow = th.scope === "row";
        if (th.textContent && getComputedStyle(th).visibility !== "hidden") {
          p.text(th.textContent, isRow ? x + w - 7 : x + w / 2, y + h / 2, {
            fill: theme.soft,
            size: 12,
            font: theme.code,
            align: isRow ? "right" : "center",
          });
        }
      }
      for (const node of box.querySelectorAll(".st-name, .st-head, .st-sign")) {
        const [x, y, , h] = place(node);
        const left = parseFloat(getComputedStyle(node).paddingLeft) || 0;
        if (node.textContent) {
          p.text(node.firstElementChild ? node.firstElementChild.textContent : node.textContent, x + left, y + h / 2, {
            fill: theme.text,
            size: 13,
            font: theme.code,
            weight: 600,
          });
        }
      }
    },
  };
}
