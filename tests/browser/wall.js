// What a reader in the last row cannot read of a race on the wall, in words.
window.unreadable = () => {
  const wall = document.querySelector(".wall");
  const found = [];
  const boxes = [];
  const scale = (one) => one.getScreenCTM?.().a ?? 1;
  for (const one of wall.querySelectorAll("*")) {
    const box = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    const text = [...one.childNodes].map((node) => (node.nodeType === 3 ? node.data.trim() : "")).join("");
    if (!box.width || style.visibility === "hidden") continue;
    if (text && parseFloat(style.fontSize) * scale(one) < 23.9) found.push(`small: ${text} ${style.fontSize}`);
    if (one.matches("svg .run, svg .mean, svg .goal")) {
      const thick = one.tagName === "circle" ? 2 * one.r.baseVal.value : parseFloat(style.strokeWidth);
      if (thick * scale(one) < (one.tagName === "circle" ? 11.9 : 2.95)) {
        found.push(`thin: ${one.tagName} ${one.getAttribute("class")}`);
      }
    }
    if (one.matches("svg, svg text, svg circle")) {
      const isOut = box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight - 51;
      if (isOut) found.push(`out of sight: ${one.tagName} ${text} ${Object.values(box.toJSON()).map(Math.round)}`);
    }
    if (one.matches("svg text")) {
      for (const [other, said] of boxes) {
        const isOver = other.left < box.right && box.left < other.right;
        if (isOver && other.top + 7 < box.bottom && box.top + 7 < other.bottom) found.push(`over ${said}: ${text}`);
      }
      boxes.push([box, text]);
    }
  }
  for (const one of wall.querySelectorAll("button, p, h2, figcaption")) {
    if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth) found.push(`cut: ${one.textContent}`);
  }
  if (wall.querySelector("svg") && !wall.querySelector("svg .axis-title ~ .grid-line")) found.push("no axis");
  const chart = wall.querySelector("svg")?.getBoundingClientRect();
  if (chart && chart.width * chart.height < 0.18 * innerWidth * innerHeight) found.push("the chart is small");
  return found;
};
