// What every widget shares: mounting, the shell around the picture, theme, toolbar, table, errors.
import { el, format } from "./elements.js";
import { fault } from "./fault.js";
import { readFrame, readHeader } from "./frame.js";
import { asSvg, download, paintScale } from "./painter.js";
import * as choices from "../page/choices.js";
import { isKnown, stateOf, store } from "../page/computations.js";
import { looked } from "./linked.js";
import { readTheme } from "../page/read_theme.js";
import { STYLE } from "./style.js";
import { follow, renew } from "../page/view.js";
import "./history.js";
import { row, table } from "./table.js";
import { labels } from "./labels.js";

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
  // What the widget is told, and what it is.
  component;
  widget;
  ready;
  bringing;
  raw; // the message; header and arrays are it as it is with what is chosen
  chosen;
  isSeen;
  later;
  instead; // what stood in the picture's place before it could not be drawn

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
      "aria-label": labels("numbers"),
    });
    this.live = el("div", { class: "gf-live", "aria-live": "polite" });
    this.root = el("figure", { class: "gf" }, this.head, this.body, this.tableBox, this.live);
    this.root.save = (kind) => this.save(kind); // for the Download panel of the exhibit
    this.root.svg = () => this.whole((_, ...picture) => asSvg(...picture)); // for paper
    parent.append(el("style", { text: STYLE + style }), this.root);
    this.tableButton = el("button", {
      text: labels("table"),
      title: labels("show_numbers"),
      "aria-pressed": "false",
      onclick: () => this.showTable(this.tableBox.hidden),
    });
    this.tools.append(
      this.tableButton,
      ...["png", "svg"].map((kind) =>
        el("button", {
          text: kind.toUpperCase(),
          title: labels("download_as", { kind: kind.toUpperCase() }),
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

  /** How high a picture may stand so that one sees it whole, in css pixels: on a slide, or below the page's frame. */
  get tall() {
    if (!this.theme.presenting) return Math.max(320, innerHeight - 270);
    return (0.72 * innerHeight) / Math.max(1, this.root.currentCSSZoom || 1);
  }

  /**
   * Tell Python. Only for clicks, Enter and released controls: each call is a rerun of the script. What moves a choice
   * of the page, `header.chooses` says so, is told to all pictures here and to nobody else.
   */
  commit(name, value) {
    if (this.bringing) return;
    const moves = this.header.chooses?.[name];
    if (moves) {
      choices.choose(choices.chosenBy(value, moves));
      return;
    }
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
    this.tableButton.textContent = labels(on ? "picture" : "table");
    if (on) this.fillTable();
    else this.redraw();
  }

  fillTable() {
    const { columns, rows } = this.widget.table();
    const printed = (v) => (typeof v === "number" ? format(v, 4) : v);
    this.tableBox.replaceChildren(
      table(
        columns,
        rows.map((one) => row(one.map(printed))),
      ),
    );
  }

  save(kind) {
    this.whole((...picture) => download(kind, ...picture));
  }

  /** The picture with its title and its scale: use(file's name, width, height, color of the page, paint). */
  whole(use) {
    if (this.chosen !== chosenNow(this)) take(this); // it was out of sight
    const wasHidden = this.body.hidden;
    this.body.hidden = false; // a picture behind its table has no size
    if (wasHidden) this.redraw();
    const { width, height, paint, scale, scaleTitle = "" } = this.widget.picture();
    const [{ label }, theme] = [this.header, this.theme];
    const top = label ? 30 : 6;
    const foot = scale ? 30 : 6;
    const name = (this.header.label || this.header.widget || "picture")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60);
    const used = use(
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
    return used;
  }

  redraw() {
    if (!this.body.hidden && this.ready) this.widget.draw();
  }

  /** Show something new, in the picture or in its table. A picture behind its table has no size. */
  renew() {
    const isTable = !this.tableBox.hidden;
    this.body.hidden = false;
    this.redraw();
    this.body.hidden = isTable;
    if (isTable) this.fillTable();
  }

  /** Plain words in the picture's place; the next message may bring it back. */
  fail(error) {
    this.instead ??= [...this.body.childNodes];
    this.body.hidden = false;
    this.body.replaceChildren(fault("threw", this.root, this.raw?.header.widget ?? "", error));
  }

  /** Do what may throw. */
  attempt(act) {
    try {
      act();
    } catch (error) {
      this.fail(error);
    }
  }
}

const instances = new WeakMap();
const shells = new Set();

/** Presenter mode came or went: letters and colors are others now. */
globalThis.document?.addEventListener("gf-look", () => {
  for (const shell of shells) {
    shell.attempt(() => {
      shell.applyTheme();
      shell.lastWidth = shell.width;
      shell.redraw();
    });
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
      try {
        shell.widget = build(shell);
      } catch (error) {
        instances.delete(parentElement);
        shell.fail(error);
        return undefined;
      }
      // What the picture shows is known when it is drawn; until then it has a name at least.
      for (const picture of shell.body.querySelectorAll('[role="img"]:not([aria-label])')) {
        picture.setAttribute("aria-label", labels("waiting_picture"));
      }
      shell.observer = new ResizeObserver(() => {
        if (shell.width !== shell.lastWidth) {
          shell.lastWidth = shell.width;
          shell.attempt(() => shell.redraw());
        }
      });
      shell.observer.observe(shell.root);
      byRoot.set(shell.root, shell);
      inSight?.observe(shell.root);
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
  inSight?.unobserve(shell.root);
  shell.unfollow?.();
  shell.widget.destroy?.();
  if (instances.get(shell.component.parentElement) === shell) instances.delete(shell.component.parentElement);
  shells.delete(shell);
}

/** Whether all that a picture depends on is known: its choices may be told a little later than itself. */
const canLook = (shell) => isKnown(shell.raw.header);

/** Something was chosen on the page, or is known now. What is out of sight follows a little later. */
function lookAgain(shell, isNow = shell.isSeen) {
  if (!shell.raw.header.linked || !canLook(shell) || shell.chosen === chosenNow(shell)) return;
  clearTimeout(shell.later);
  if (!shell.ready) {
    take(shell);
    settled(shell, true);
  } else if (isNow) {
    take(shell);
    shell.renew();
  } else shell.later = setTimeout(() => shell.attempt(() => lookAgain(shell, true)), REST);
}

const REST = 80; // ms without another move

const chosenNow = (shell) => stateOf(shell.raw.header);

const inSight = globalThis.IntersectionObserver
  ? new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const shell = byRoot.get(target);
          if (!shell) continue;
          shell.isSeen = isIntersecting;
          if (isIntersecting && shell.raw) shell.attempt(() => lookAgain(shell));
        }
      },
      { rootMargin: "50px" },
    )
  : null;
const byRoot = new WeakMap();

/** The picture takes in what it was sent, as it is with what is chosen now. */
function take(shell) {
  if (shell.instead) shell.body.replaceChildren(...shell.instead);
  shell.instead = undefined;
  shell.chosen = chosenNow(shell);
  shell.previous = shell.header;
  Object.assign(shell, looked(shell.raw, store));
  shell.title.textContent = shell.header.label ?? "";
  shell.widget.update();
  shell.ready = true;
}

/** Drawn, and set as the address says. */
function settled(shell, isNew) {
  shell.lastWidth = shell.width;
  if (isNew) shell.renew();
  else shell.redraw();
  shell.root.dataset.drawn = shell.raw.header.id;
  if (!shell.follows) {
    shell.follows = true;
    follow(shell);
  } else if (isNew) renew(shell);
}

async function receive(shell, data) {
  const turn = (shell.turn = (shell.turn ?? 0) + 1);
  try {
    shell.applyTheme();
    const started = performance.now();
    const isNew = readHeader(data)[0].id !== shell.raw?.header.id;
    if (isNew) {
      const raw = await readFrame(data);
      if (turn !== shell.turn) return; // a newer message overtook this one while it was being inflated
      shell.applyTheme();
      shell.raw = raw;
      shell.unfollow ??= choices.follow(() => shell.attempt(() => lookAgain(shell)));
      if (!canLook(shell)) return;
      take(shell);
    }
    settled(shell, isNew);
    // Read by tests and by anyone who wonders: what a message cost to decode and draw.
    if (isNew) Object.assign(shell.root.dataset, { ms: (performance.now() - started).toFixed(1), bytes: data.length });
  } catch (error) {
    shell.fail(error);
  }
}
