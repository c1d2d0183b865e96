// Colors: from a number to a color, and whether black or white is readable on it. Pure; tested with node.
import { COLORS } from "./theme.js";

export const parseHex = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const toHex = (rgb) => `#${rgb.map((v) => Math.round(v).toString(16).padStart(2, "0")).join("")}`;
export const mix = (a, b, t) => {
  const x = parseHex(a);
  const y = parseHex(b);
  return toHex(x.map((v, i) => v + (y[i] - v) * t));
};

/** Relative luminance of an [r, g, b] color, 0 black to 1 white (WCAG 2.2). */
export function luminance(rgb) {
  const [r, g, b] = rgb.map((v) => {
    const s = v / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export const contrast = (a, b) => {
  const [x, y] = [luminance(parseHex(a)), luminance(parseHex(b))];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
};

/** White or black, whichever is easier to read on `background`: one of the two always has at least 4.5 to 1. */
export const readableOn = (background) =>
  contrast(background, "#ffffff") >= contrast(background, "#000000") ? "#ffffff" : "#000000";

/** 256 steps of a scale as [r, g, b] bytes: index 0 is the low end. */
export function table(stops) {
  const colors = stops.map(parseHex);
  const out = new Uint8Array(256 * 3);
  for (let i = 0; i < 256; i++) {
    const x = (i / 255) * (colors.length - 1);
    const k = Math.min(Math.floor(x), colors.length - 2);
    for (let c = 0; c < 3; c++) out[i * 3 + c] = colors[k][c] + (colors[k + 1][c] - colors[k][c]) * (x - k);
  }
  return out;
}

/**
 * A fixed scale for one kind of value.
 * kind: "probability" (0..1), "signed" (-limit..limit) or "value" (low..high); `level(v)` is a place from 0 to
 * 255 in the table `rgb`.
 */
export function scale(kind, low, high, mode) {
  const stops = kind === "signed" ? COLORS[mode].diverging : COLORS[mode].sequential;
  const rgb = table(stops);
  const span = high - low || 1;
  const level = (v) => Math.max(0, Math.min(255, Math.round(((v - low) / span) * 255)));
  const css = (v) => {
    const i = level(v) * 3;
    return toHex([rgb[i], rgb[i + 1], rgb[i + 2]]);
  };
  return { kind, low, high, stops, rgb, level, css };
}

/** Eight quiet tints to tell neighbouring tokens apart: the categories, mostly page. */
export const tints = (mode, page) => COLORS[mode].categorical.slice(0, 6).map((c) => mix(page, c, 0.26));

/** A canvas with one pixel for each cell: `level(i)` is its place on the scale from 0 to 255, null leaves it bare. */
export function raster(columns, rows, rgb, level, canvas = document.createElement("canvas")) {
  Object.assign(canvas, { width: columns, height: rows });
  const image = new ImageData(columns, rows);
  const pixels = new DataView(image.data.buffer);
  for (let i = 0; i < columns * rows; i++) {
    const k = level(i);
    if (k !== null) {
      pixels.setUint32(4 * i, ((rgb[k * 3] << 24) | (rgb[k * 3 + 1] << 16) | (rgb[k * 3 + 2] << 8) | 255) >>> 0);
    }
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}
