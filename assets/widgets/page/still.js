// A chart as a picture, on the ground that its colors are made for. For pages without Vega.
import { el } from "../drawing/elements.js";
import { readFrame } from "../drawing/frame.js";

export default async ({ data, parentElement }) => {
  const { svg, alt, mode } = (await readFrame(data)).header;
  const picture = el("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, alt });
  parentElement.replaceChildren(el("div", { class: `gf-still ${mode}` }, picture));
};
