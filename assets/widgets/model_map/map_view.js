// The map on its canvas: what stands still is drawn once, what moves over it frame by frame, while anything moves.
import { clamp, measure } from "../drawing/elements.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { word } from "../drawing/tokens.js";
import { labels } from "./labels.js";
import { layout } from "./map_layout.js";
import { paintBars, paintBeads, paintFlight } from "./map_moving.js";
import { paintMap, rasters } from "./map_paint.js";

const UNFOLD = 260; // ms in which a layer opens
const MOST_LABEL = 108; // css pixels of a token
const DIM = 0.16; // of what the words have not reached

export class MapView {
  g = null; // layout
  only = null; // the head that is pointed at: its threads alone are drawn
  #images = null;
  #ground = null; // what stands still
  #regions = [];
  #barRegions = [];
  #layer = null; // the one that is open
  #opening = null; // {layer, from, at}, while it opens or closes
  #shares = new Map(); // id -> what its bar shows, on its way to what is true

  constructor(canvas, shell, state, play) {
    this.canvas = canvas;
    this.shell = shell;
    this.state = state;
    this.play = play;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
  }

  /** Something else is to be drawn. */
  forget() {
    this.#ground = null;
    this.#lay();
  }

  /** Open a layer, or close the one that is open. */
  open(layer) {
    if (layer === this.#layer) return;
    const from = layer === null ? 1 : 0;
    this.#opening = this.still.matches ? null : { layer: layer ?? this.#layer, from, at: performance.now() };
    this.#layer = layer;
  }

  #lay() {
    const { shell, state } = this;
    const { nToken, nLayer, nHead } = state.pass;
    const height = clamp(shell.tall - 90, 420, 760);
    const q = this.#opening ? clamp((performance.now() - this.#opening.at) / UNFOLD, 0, 1) : 1;
    const eased = q * q * (3 - 2 * q);
    const openness = this.#opening?.from ? 1 - eased : eased;
    const open = this.#opening ? this.#opening.layer : this.#layer;
    if (q === 1) this.#opening = null;
    const { unit, code } = shell.theme;
    const longest = Math.max(...state.pass.tokens.map((token) => measure(word(token), 13 * unit, code)));
    const label = clamp(longest + 10, 40, MOST_LABEL * unit);
    this.g = layout({ width: shell.width, height, unit, label, nToken, nLayer, nHead, open, openness });
  }

  #look() {
    const { g, only, state } = this;
    const { pass, focus, vocabulary, isOff, differs } = state;
    const { mode } = this.shell.theme;
    if (this.#images?.pass !== pass || this.#images.mode !== mode) this.#images = rasters(pass, mode);
    return { g, only, pass, focus, vocabulary, isOff, differs, images: this.#images, theme: this.shell.theme };
  }

  /** The picture as it is now, by any painter. */
  paintStill(p) {
    paintMap(p, { ...this.#look(), only: null });
    paintBars(p, { ...this.#look(), ...this.#bars() });
  }

  draw = (now = performance.now()) => {
    if (!this.state.pass || this.canvas.hidden) return;
    const isOpening = Boolean(this.#opening);
    if (isOpening) this.forget();
    let isMoving = this.play.advance(now) || isOpening;
    const { g, canvas, state, play, shell } = this;
    const look = this.#look();
    if (!this.#ground) {
      this.#ground = document.createElement("canvas");
      this.#regions = paintMap(new CanvasPainter(fit(this.#ground, g.width, g.height)), look);
    }
    const ctx = fit(canvas, g.width, g.height);
    this.#putGround(ctx);
    const p = new CanvasPainter(ctx);
    paintBeads(p, { ...look, front: play.front });
    const shown = this.#bars();
    isMoving = this.#settle(shown.rows) || isMoving;
    this.#barRegions = paintBars(p, { ...look, ...shown });
    const share = 2 * play.share(now);
    if (state.nJoined && share < 1) {
      const from = [g.bars.x + 40, g.bars.y + 80];
      const text = { at: state.pass.nToken - 1, token: state.pass.tokens.at(-1) };
      paintFlight(p, { g, theme: shell.theme, text, from, share });
    }
    if (isMoving) requestAnimationFrame(this.draw);
  };

  /** What the words have reached, and the rest dimly. */
  #putGround(ctx) {
    const { g } = this;
    const { front } = this.play;
    const put = () => ctx.drawImage(this.#ground, 0, 0, g.width, g.height);
    if (front === Infinity) {
      put();
      return;
    }
    ctx.globalAlpha = DIM;
    put();
    ctx.globalAlpha = 1;
    const box = g.isNarrow ? [0, 0, g.width, front] : [0, 0, front, g.height];
    ctx.save();
    ctx.beginPath();
    ctx.rect(...box);
    ctx.clip();
    ctx.clearRect(0, 0, g.width, g.height);
    put();
    ctx.restore();
  }

  #bars() {
    const { state, play } = this;
    const { now, drawn, sweep } = play;
    const rows = state.bars(now?.early ?? null, drawn?.id ?? null);
    if (!rows.length) return { rows, isShown: false };
    const token = word(state.pass.tokens[state.focus]);
    const isEarly = now?.early && now.early !== "final";
    return {
      rows,
      chosen: drawn && !sweep ? drawn.id : null,
      heading: isEarly ? labels("bars_early", { token }) : labels("bars", { token, all: state.pass.vocabSize }),
      isShown: play.front === Infinity || Boolean(now?.early) || Boolean(now?.isDraw),
    };
  }

  /** While it plays, bars go to what they show in a few frames; whether they are still on their way. */
  #settle(rows) {
    let isMoving = false;
    const shares = new Map();
    for (const one of rows) {
      const from = this.#shares.get(one.id) ?? 0;
      const next = this.still.matches || !this.play.now ? one.p : from + 0.25 * (one.p - from);
      if (Math.abs(next - one.p) > 0.002) {
        isMoving = true;
        one.p = next;
      }
      shares.set(one.id, one.p);
    }
    this.#shares = shares;
    return isMoving;
  }

  /** What lies under a pointer. */
  under({ clientX, clientY }) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const [x, y] = [clientX - left, clientY - top];
    const isIn = (r) => x >= r.x && x <= r.x + r.w && y >= r.y && y <= r.y + r.h;
    return this.#barRegions.find(isIn) ?? this.#regions.findLast(isIn) ?? null;
  }

  /** Draw the threads of one head alone, or of all. */
  point(head) {
    if (JSON.stringify(head) === JSON.stringify(this.only)) return;
    this.only = head;
    this.#ground = null;
    this.draw();
  }
}
