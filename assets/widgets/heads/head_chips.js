// A chip for each head, to switch it on and off: one row for each layer, whose name switches the whole layer.
import { clamp, el } from "../drawing/elements.js";
import { readableOn } from "../drawing/color.js";
import { labels } from "./labels.js";
import { sameHead } from "./line_set.js";

const CSS = `
.gf-heads { display: grid; gap: 3px; margin-bottom: 0.5rem; }
.gf-heads > div { display: flex; flex-wrap: wrap; gap: 3px; align-items: center; }
.gf .gf-heads button { min-width: 34px; padding: 1px 7px 5px; border: 1px solid var(--gf-line); font-family: var(--st-code-font); font-size: 0.75rem; }
.gf .gf-heads button.layer { font-family: var(--st-font); border-color: transparent; min-width: 4.6em; text-align: left; color: var(--gf-soft); }
.gf .gf-heads button.open { border-color: var(--st-text-color); }
`;

/** A sample of a dashed line as a background, along the lower edge. */
function stripe(dash, ink) {
  const parts = dash.length ? dash : [1];
  const ends = parts.map((_, i) => parts.slice(0, i + 1).reduce((sum, part) => sum + part, 0));
  const stops = parts.map((part, i) => `${i % 2 ? "transparent" : ink} ${ends[i] - part}px ${ends[i]}px`);
  return `repeating-linear-gradient(90deg, ${stops.join(", ")}) 5px calc(100% - 2px) / calc(100% - 10px) 2px no-repeat`;
}

export class HeadChips {
  nLayer;
  nHead;

  /** What is told of the heads now on, [[layer, head], …], in order. */
  change = (_heads) => {};

  constructor() {
    this.box = el("div", {
      class: "gf-heads",
      role: "group",
      "aria-label": labels("chips"),
    });
    this.node = el("div", {}, el("style", { text: CSS }), this.box);
    this.box.dataset.held = ""; // the address has them as a whole
    this.on = [];
    this.chips = [];
    this.at = [0, 0];
    // One stop of the Tab key for all chips; the arrow keys go on from there.
    this.box.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      this.stand([
        clamp(this.at[0] + step[0], 0, this.rows.length - 1),
        clamp(this.at[1] + step[1], 0, this.rows[0].length - 1),
      ]);
      this.rows[this.at[0]][this.at[1]].focus();
    });
  }

  build(nLayer, nHead, open) {
    if (this.nLayer !== nLayer || this.nHead !== nHead) {
      Object.assign(this, { nLayer, nHead });
      this.chips = Array.from({ length: nLayer }, (_, l) =>
        Array.from({ length: nHead }, (_, h) =>
          el("button", {
            text: `${l}.${h}`,
            title: labels("head_of_layer", { layer: l, head: h }),
            onclick: () => this.toggle(l, h),
          }),
        ),
      );
      this.rows = this.chips.map((row, l) => [
        el("button", {
          class: "layer",
          text: labels("layer", { layer: l }),
          title: labels("all_heads", { layer: l }),
          onclick: () => this.toggleLayer(l),
        }),
        ...row,
      ]);
      this.box.replaceChildren(...this.rows.map((row) => el("div", {}, ...row)));
      this.stand([0, 1]);
    }
    this.chips.forEach((row, l) => row.forEach((chip, h) => chip.classList.toggle("open", sameHead([l, h], open))));
  }

  stand(at) {
    this.at = at;
    this.rows.forEach((row, r) =>
      row.forEach((button, c) => {
        button.tabIndex = r === at[0] && c === at[1] ? 0 : -1;
      }),
    );
  }

  isOn(l, h) {
    return this.on.some((one) => sameHead(one, [l, h]));
  }

  set(test) {
    const heads = [];
    for (let l = 0; l < this.nLayer; l++) for (let h = 0; h < this.nHead; h++) if (test(l, h)) heads.push([l, h]);
    this.on = heads;
    this.change(heads);
  }

  toggle(l, h) {
    this.stand([l, h + 1]);
    this.set((a, b) => this.isOn(a, b) !== (a === l && b === h));
  }

  toggleLayer(l) {
    this.stand([l, 0]);
    const all = this.chips[l].every((_, h) => this.isOn(l, h));
    this.set((a, b) => (a === l ? !all : this.isOn(a, b)));
  }

  /** Show what is on, each in its own color, with the dash of its lines below the name. */
  draw(on, color, dash, theme) {
    this.on = on;
    this.chips.forEach((row, l) =>
      row.forEach((chip, h) => {
        const lit = this.isOn(l, h);
        const fill = lit ? color([l, h]) : "";
        chip.setAttribute("aria-pressed", String(lit));
        chip.style.background = lit ? `${stripe(dash([l, h]), readableOn(fill))}, ${fill}` : "";
        chip.style.color = lit ? readableOn(fill) : theme.text;
      }),
    );
  }
}
