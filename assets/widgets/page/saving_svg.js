// One SVG out of the layers of a chart, to stand as a file of its own.

const escape = (s) =>
  String(s).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const round = (v) => Math.round(v * 100) / 100;

/** The first clause of a description, of at most so many letters, cut at a word. */
export function shortTitle(text, most = 70) {
  const line = text
    .trim()
    .replace(/\s+/g, " ")
    .replace(/^(.{8,}?)[;.:]( .*|$)/u, "$1");
  const short = line.length <= most ? line : `${line.slice(0, most).replace(/\s+\S*$/, "")} …`;
  return short.charAt(0).toUpperCase() + short.slice(1);
}

/**
 * @param parts layers from below: {svg, x, y} an element, or {href, x, y, width, height} an image.
 * @param serialize element => text; the browser's own.
 */
export function compose(width, height, page, parts, serialize = (node) => new XMLSerializer().serializeToString(node)) {
  const layers = parts.map((part) =>
    part.svg
      ? `<g transform="translate(${round(part.x)} ${round(part.y)})">${serialize(part.svg)}</g>`
      : `<image x="${round(part.x)}" y="${round(part.y)}" width="${round(part.width)}" height="${round(part.height)}" href="${escape(part.href)}"/>`,
  );
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">` +
    `<rect width="100%" height="100%" fill="${escape(page)}"/>${layers.join("")}</svg>`
  );
}
