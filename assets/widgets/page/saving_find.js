// Which pictures an exhibit holds, and how each becomes a file: the app's own widgets, charts of Vega-Lite and Plotly,
// images.
import { save } from "../drawing/painter.js";
import { compose, shortTitle } from "./saving_svg.js";
import { labels } from "./labels.js";

/** The pictures in their order on the page: {node, title, save(kind, name), svg()}; kind is "svg" or "png". */
export function find(exhibit) {
  const found = [];
  for (const node of exhibit.querySelectorAll("*")) {
    const widget = node.shadowRoot?.querySelector("figure.gf") ?? (node.matches("figure.gf") ? node : null);
    if (widget?.save) {
      found.push({ node, title: titleOf(widget), save: (kind) => widget.save(kind), svg: () => widget.svg() });
    } else if (node.matches('[data-testid="stVegaLiteChart"]')) found.push(composed(node, vega));
    else if (node.matches(".js-plotly-plot")) found.push(composed(node, plotly));
    else if (node.matches('[data-testid="stImage"] img, [data-testid="stImageContainer"] img')) {
      found.push(composed(node, image));
    }
  }
  const drawn = found.filter(({ node }) => node.getClientRects().length); // not behind a closed part of the page
  const titles = drawn.map((one) => one.title);
  return drawn.map((one, i) => ({
    ...one,
    title: titles.filter((title) => title === one.title).length > 1 ? `${one.title} (${i + 1})` : one.title,
  }));
}

/** What a picture is called: its own title, what it says to a screen reader, or the words right above it. */
function titleOf(node) {
  const own =
    node.querySelector(".gf-title")?.textContent ||
    node.getAttribute("alt") ||
    node.getAttribute("aria-label") ||
    node.closest("[aria-label]:not(section)")?.getAttribute("aria-label") ||
    node.querySelector("[aria-label]")?.getAttribute("aria-label");
  return shortTitle(own || labels("picture"));
}

const pageColor = (node) => {
  for (let at = node; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (color && !/, 0\)$|transparent/.test(color)) return color;
  }
  return "#ffffff";
};

/** @param {(node: any) => {width: number, height: number, parts: any[]}} take what the picture is made of */
function composed(node, take) {
  const whole = () => {
    const { width, height, parts } = take(node);
    return { width, height, text: compose(width, height, pageColor(node), parts) };
  };
  const save = async (kind, name) => {
    const { width, height, text } = whole();
    await write(kind, name, text, width, height);
  };
  return { node, title: titleOf(node), save, svg: () => whole().text };
}

function vega(node) {
  const svg = node.querySelector("svg.marks, .vega-embed svg, svg");
  const canvas = node.querySelector("canvas");
  const { width, height } = (svg ?? canvas).getBoundingClientRect();
  const parts = svg ? [{ svg, x: 0, y: 0 }] : [{ href: canvas.toDataURL("image/png"), x: 0, y: 0, width, height }];
  return { width, height, parts };
}

/** Plotly lays several SVGs over one another, and below them a canvas for what is drawn in space. */
function plotly(node) {
  const outer = (node.querySelector(".svg-container") ?? node).getBoundingClientRect();
  const parts = [];
  const at = (one) => {
    const box = one.getBoundingClientRect();
    return { x: box.left - outer.left, y: box.top - outer.top, width: box.width, height: box.height };
  };
  // What a browser has shown of a canvas in space it throws away; Plotly's own scene draws it once more.
  const scenes = Object.values(node._fullLayout ?? {})
    .map((one) => one?._scene)
    .filter((scene) => scene?.toImage);
  for (const scene of scenes) {
    parts.push({ href: scene.toImage("png"), ...at(scene.container ?? node.querySelector(".gl-container")) });
  }
  if (!scenes.length) {
    for (const canvas of node.querySelectorAll("canvas")) {
      if (canvas.width && canvas.getClientRects().length) {
        parts.push({ href: canvas.toDataURL("image/png"), ...at(canvas) });
      }
    }
  }
  for (const svg of node.querySelectorAll("svg.main-svg")) parts.push({ svg, ...at(svg) });
  return { width: outer.width, height: outer.height, parts };
}

function image(node) {
  const canvas = document.createElement("canvas");
  canvas.width = node.naturalWidth;
  canvas.height = node.naturalHeight;
  canvas.getContext("2d").drawImage(node, 0, 0);
  const { width, height } = node.getBoundingClientRect();
  return { width, height, parts: [{ href: canvas.toDataURL("image/png"), x: 0, y: 0, width, height }] };
}

async function write(kind, name, text, width, height) {
  if (kind === "svg") return save(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`);
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    await picture.decode();
    const canvas = document.createElement("canvas"); // two pixels per css pixel, as the widgets' own
    canvas.width = Math.ceil(width * 2);
    canvas.height = Math.ceil(height * 2);
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    save(await new Promise((done) => canvas.toBlob(done, "image/png")), `${name}.png`);
  } finally {
    URL.revokeObjectURL(picture.src);
  }
}
