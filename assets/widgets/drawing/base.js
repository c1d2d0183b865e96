// What every widget shares: mounting, the shell around the picture, theme, toolbar, table, keyboard, errors.
import { readFrame, readHeader } from "./frame.js";
import { download, paintScale } from "./painter.js";
import { readTheme } from "../page/read_theme.js";
import { STYLE } from "./style.js";
import { follow, renew } from "../page/view.js";
import "./history.js";

/** Make an element. Text is always set as text, never as markup. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

export const clamp = (v, low, high) => Math.max(low, Math.min(high, v));

/** A number as it is printed everywhere: a true minus sign, no "-0.00". */
export function format(v, digits = 3) {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  if (!Number.isFinite(v)) return v > 0 ? "∞" : "−∞";
  const text = v !== 0 && Math.abs(v) >= 1e5 ? v.toExponential(2) : v.toFixed(digits);
  return text.replace(/^-(?=[0.]*$)/, "").replace("-", "−");
}

/** A count with commas. */
export const grouped = (n) => n.toLocaleString("en-US");

const VARIABLES = {
  line: "line",
  soft: "soft",
  panel: "panel",
  wash: "wash",
  accent: "accent",
  onAccent: "on-accent",
  truth: "truth",
};

class Shell {
  constructor(parent, style) {
    this.title = el("div", { class: "gf-title" });
    this.tools = el("div", { class: "gf-tools" });
    this.head = el("div", { class: "gf-head" }, this.title, this.tools);
    this.body = el("div");
    this.tableBox = el("div", {
      class: "gf-table",
      hidden: true,
      tabindex: 0,
      role: "region",
      "aria-label": "The numbers as a table",
    });
    this.live = el("div", { class: "gf-live", "aria-live": "polite" });
    this.root = el("figure", { class: "gf" }, this.head, this.body, this.tableBox, this.live);
    this.root.save = (kind) => this.save(kind); // for the Download panel of the exhibit
    parent.append(el("style", { text: STYLE + style }), this.root);
    this.tableButton = el("button", {
      type: "button",
      text: "Table",
      title: "Show the numbers as a table",
      "aria-pressed": "false",
      onclick: () => this.showTable(this.tableBox.hidden),
    });
    this.tools.append(
      this.tableButton,
      ...["png", "svg"].map((kind) =>
        el("button", {
          type: "button",
          text: kind.toUpperCase(),
          title: `Download the picture as ${kind.toUpperCase()}`,
          onclick: () => this.save(kind),
        }),
      ),
    );
    this.header = {};
    this.arrays = {};
  }

  get width() {
    return this.body.clientWidth || this.root.clientWidth || 600;
  }

  /** Tell Python. Only for clicks, Enter and released controls: each call is a rerun of the script. */
  commit(name, value) {
    if (this.bringing) return;
    this.told = true;
    this.component.setStateValue(name, value);
  }

  /** Say something to a screen reader. */
  say(text) {
    this.live.textContent = text;
  }

  applyTheme() {
    this.theme = readTheme(this.root);
    this.root.classList.toggle("presenting", this.theme.presenting);
    for (const [name, css] of Object.entries(VARIABLES)) this.root.style.setProperty(`--gf-${css}`, this.theme[name]);
  }

  showTable(on) {
    this.tableBox.hidden = !on;
    this.body.hidden = on;
    this.tableButton.setAttribute("aria-pressed", String(on));
    this.tableButton.textContent = on ? "Picture" : "Table";
    if (on) this.fillTable();
    else this.redraw();
  }

  fillTable() {
    const { columns, rows } = this.widget.table();
    const head = el("tr", {}, ...columns.map((c) => el("th", { text: c, scope: "col" })));
    const body = rows.map((row) =>
      el(
        "tr",
        {},
        ...row.map((v, i) =>
          el(i ? "td" : "th", { text: typeof v === "number" ? format(v, 4) : v, scope: i ? null : "row" }),
        ),
      ),
    );
    this.tableBox.replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...body)));
  }

  save(kind) {
    const wasHidden = this.body.hidden;
    this.body.hidden = false; // a picture behind its table has no size
    if (wasHidden) this.redraw();
    const { width, height, paint, scale, scaleTitle = "" } = this.widget.picture();
    const { label } = this.header;
    const { theme } = this;
    const top = label ? 30 : 6;
    const foot = scale ? 30 : 6;
    const name = (this.header.label || this.header.widget || "picture")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60);
    download(
      kind,
      name || "picture",
      Math.ceil(Math.max(width, 300)),
      Math.ceil(height + top + foot),
      theme.page,
      (p) => {
        if (label) p.text(label, 8, 17, { fill: theme.text, size: 14, font: theme.font, weight: 600 });
        p.shifted(0, top, () => paint(p));
        if (scale) paintScale(p, scale, scaleTitle, 8, height + top + 14, theme);
      },
    );
    this.body.hidden = wasHidden;
  }

  redraw() {
    if (!this.body.hidden && this.ready) this.widget.draw();
  }

  fail(error) {
    console.error(error);
    this.body.replaceChildren(
      el("div", { class: "gf-error", role: "alert", text: `This picture could not be drawn: ${error.message}` }),
    );
  }
}

const instances = new WeakMap();
const shells = new Set();

/** Presenter mode came or went: letters and colors are others now. */
globalThis.document?.addEventListener("gf-look", () => {
  for (const shell of shells) {
    shell.applyTheme();
    shell.lastWidth = shell.width;
    shell.redraw();
  }
});

/** Another view of this page: every picture begins anew, as the address says. */
globalThis.document?.addEventListener("gf-view", () => {
  for (const shell of [...shells]) {
    end(shell);
    shell.component.parentElement.replaceChildren();
    shell.mount(shell.component);
  }
});

/**
 * The default export of a widget file.
 * @param build (shell) => {update(isNew), draw(), table(), picture()}: update takes in shell.header and shell.arrays,
 *   draw paints at the present width and theme, table gives {columns, rows}, picture gives {width, height,
 *   paint(painter)}.
 * @param style css of this widget alone; what several share stands in style.js.
 */
export function define(build, style = "") {
  const mount = (component) => {
    const { parentElement, data } = component;
    let shell = instances.get(parentElement);
    if (!shell) {
      for (const old of parentElement.querySelectorAll(".gf-wait")) old.remove();
      shell = new Shell(parentElement, style);
      instances.set(parentElement, shell);
      shell.applyTheme();
      shell.widget = build(shell);
      // What the picture shows is known when it is drawn; until then it has a name at least.
      for (const picture of shell.body.querySelectorAll('[role="img"]:not([aria-label])')) {
        picture.setAttribute("aria-label", "A picture that is being drawn");
      }
      shell.observer = new ResizeObserver(() => {
        if (shell.width !== shell.lastWidth) {
          shell.lastWidth = shell.width;
          shell.redraw();
        }
      });
      shell.observer.observe(shell.root);
      shells.add(shell);
      shell.mount = mount;
    }
    shell.component = component;
    receive(shell, data);
    // Streamlit also cleans up after a call that newer data overtook; then the picture still stands and must stay.
    return () =>
      setTimeout(() => {
        if (!shell.root.isConnected) end(shell);
      }, 500);
  };
  return mount;
}

/** Let go of a picture; another may stand in its place already. */
function end(shell) {
  shell.observer.disconnect();
  shell.widget.destroy?.();
  if (instances.get(shell.component.parentElement) === shell) instances.delete(shell.component.parentElement);
  shells.delete(shell);
}

async function receive(shell, data) {
  const turn = (shell.turn = (shell.turn ?? 0) + 1);
  try {
    shell.applyTheme();
    const started = performance.now();
    const isNew = readHeader(data)[0].id !== shell.header.id;
    if (isNew) {
      const { header, arrays } = await readFrame(data);
      if (turn !== shell.turn) return; // a newer message overtook this one while it was being inflated
      shell.applyTheme();
      shell.previous = shell.header;
      Object.assign(shell, { header, arrays });
      shell.title.textContent = header.label ?? "";
      shell.widget.update();
      shell.ready = true;
    }
    shell.lastWidth = shell.width;
    shell.redraw();
    if (!shell.follows) {
      shell.follows = true;
      follow(shell);
    } else if (isNew) renew(shell);
    if (!shell.tableBox.hidden) shell.fillTable();
    // Read by tests and by anyone who wonders: what a message cost to decode and draw.
    if (isNew) {
      Object.assign(shell.root.dataset, {
        drawn: shell.header.id,
        ms: (performance.now() - started).toFixed(1),
        bytes: data.length,
      });
    }
  } catch (error) {
    shell.fail(error);
  }
}

/**
 * A legend with its fixed range: a gradient with numbers, and swatches for the signs used; `truth` says what rings
 * mark.
 */
export function legend(scale, title, { masked = false, truth = false, digits = 2 } = {}) {
  const bar = el("span", { class: "gf-bar" });
  bar.style.background = `linear-gradient(90deg, ${scale.stops.join(", ")})`;
  const number = (v) =>
    el("span", {
      class: "gf-mono",
      text: Number.isInteger(v) ? format(v, 0).replace(/\B(?=(\d{3})+$)/g, ",") : format(v, digits),
    });
  return [
    el("span", {}, title ? el("span", { text: title }) : null, number(scale.low), bar, number(scale.high)),
    masked ? el("span", {}, el("span", { class: "gf-swatch gf-hatch" }), masked) : null,
    truth ? el("span", {}, el("span", { class: "gf-swatch gf-truth" }), truth) : null,
  ].filter(Boolean);
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Arrow keys move a cursor [row, column] on `node`, Enter or Space chooses, Escape resets (false: nothing was set). */
export function cursorKeys(node, { size, get, move, choose, reset }) {
  node.addEventListener("keydown", (event) => {
    if (event.target !== node || event.ctrlKey || event.metaKey || event.altKey) return;
    const [rows, columns] = size();
    const at = get();
    if (ARROWS[event.key]) {
      const [dr, dc] = ARROWS[event.key];
      move(at ? [clamp(at[0] + dr, 0, rows - 1), clamp(at[1] + dc, 0, columns - 1)] : [0, 0]);
    } else if (event.key === "Home") move([at ? at[0] : 0, 0]);
    else if (event.key === "End") move([at ? at[0] : 0, columns - 1]);
    else if ((event.key === "Enter" || event.key === " ") && at) choose(at);
    else if (event.key === "Escape") {
      if (reset() === false) return; // there was nothing to forget: the key may mean something to the page
    } else return;
    event.preventDefault();
  });
}

const rulers = new Map();
/** The width of a text in css pixels. */
export function measure(text, size, font) {
  const key = `${size}px ${font}`;
  if (!rulers.has(key)) {
    const ctx = document.createElement("canvas").getContext("2d");
    ctx.font = key;
    rulers.set(key, ctx);
  }
  return rulers.get(key).measureText(text).width;
}
