// The film of the steps: a list to jump in, Back, Play, Next, and a clock that lets the cells of a step appear in turn.
import { el } from "../drawing/elements.js";
import { withModifier } from "../drawing/input.js";
import { labels } from "./labels.js";

const SWEEP = 3600;
const HOLD = 1800;
const STILL = 4500; // milliseconds at speed 1

export class Film {
  /** handlers: show(index, byKeyboard), sweep(share of the step's cells shown | null) */
  constructor(handlers) {
    this.handlers = handlers;
    this.at = 0;
    this.steps = [];
    const button = (text, title, onclick, css = "gf-solid") =>
      el("button", { class: css, text, title, "aria-label": title, onclick });
    this.backButton = button(labels("back"), labels("back_key"), () => this.go(this.at - 1));
    this.nextButton = button(labels("next"), labels("next_key"), () => this.go(this.at + 1), "gf-primary");
    this.playButton = button(labels("play"), labels("play_key"), () => this.play(!this.timer));
    this.speed = el(
      "select",
      { "aria-label": labels("speed"), "data-name": "Speed" },
      ...[0.5, 1, 2, 4].map((v) => el("option", { value: v, text: `${v}×`, selected: v === 1 })),
    );
    this.bar = el("div", { class: "st-bar" }, this.backButton, this.playButton, this.nextButton, this.speed);
    this.strip = el("div", { class: "st-strip", role: "group", "aria-label": labels("steps") });
    this.strip.addEventListener("click", (e) => {
      const chip = e.target.closest("button");
      if (chip) this.go(Number(chip.dataset.i));
    });
  }

  set(steps) {
    const id = this.steps[this.at]?.id;
    this.steps = steps;
    const same = steps.findIndex((step) => step.id === id);
    this.at = same >= 0 ? same : Math.min(this.at, steps.length - 1);
    this.strip.replaceChildren(
      ...steps.map((step, i) =>
        el(
          "button",
          { "data-i": i },
          el("span", {}, el("i", { text: String(i + 1) }), step.title),
          el("canvas", { "aria-hidden": "true" }),
        ),
      ),
    );
    this.mark();
  }

  /** Paint each step's small picture: paint(canvas, step) tells whether an edit has changed it. */
  picture(paint) {
    [...this.strip.children].forEach((chip, i) => {
      const isChanged = paint(chip.querySelector("canvas"), this.steps[i]);
      chip.classList.toggle("moved", isChanged);
      chip.title = isChanged ? labels("changed_by_you") : "";
    });
  }

  mark() {
    [...this.strip.children].forEach((chip, i) => {
      const isAt = i === this.at;
      chip.setAttribute("aria-current", isAt ? "step" : "false");
      chip.classList.toggle("done", i < this.at);
      chip.tabIndex = isAt ? 0 : -1;
      if (isAt) this.strip.scrollLeft = chip.offsetLeft - this.strip.clientWidth / 2 + chip.offsetWidth / 2;
    });
    // Disabled in looks only, so that a keyboard's focus stays where it is.
    this.backButton.setAttribute("aria-disabled", String(this.at === 0));
    this.nextButton.setAttribute("aria-disabled", String(this.at === this.steps.length - 1));
  }

  /** By the person's hand: the film stops. */
  go(index) {
    this.play(false);
    if (index < 0 || index >= this.steps.length || index === this.at) return;
    const hadFocus = this.strip.contains(this.strip.getRootNode().activeElement);
    this.show(index);
    if (hadFocus) this.strip.children[index].focus();
  }

  show(index) {
    this.at = index;
    this.mark();
    this.handlers.show(index);
  }

  play(on) {
    if (Boolean(this.timer) === on) return;
    clearInterval(this.timer);
    this.timer = null;
    this.playButton.textContent = on ? labels("pause") : labels("play");
    this.playButton.setAttribute("aria-label", on ? labels("pause_key") : labels("play_key"));
    if (!on) {
      this.handlers.sweep(null);
      return;
    }
    if (this.at === this.steps.length - 1) this.show(0);
    this.began = performance.now();
    this.timer = setInterval(() => this.tick(), 60);
    this.tick();
  }

  tick() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const passed = (performance.now() - this.began) * Number(this.speed.value);
    if (!still) this.handlers.sweep(Math.min(1, passed / SWEEP));
    if (passed < (still ? STILL : SWEEP + HOLD)) return;
    if (this.at === this.steps.length - 1) {
      this.play(false);
      return;
    }
    this.show(this.at + 1);
    this.began = performance.now();
    if (!still) this.handlers.sweep(0);
  }

  /** Space plays, arrows step, wherever the focus is, except where a key has its own meaning. */
  key(event) {
    const { target, key } = event;
    if (withModifier(event) || target.matches("input, select")) return;
    if (key === " " && !target.matches("button")) this.play(!this.timer);
    else if (key === "ArrowRight" || key === "n") this.go(this.at + 1);
    else if (key === "ArrowLeft" || key === "b") this.go(this.at - 1);
    else if (key === "Home" && this.strip.contains(target)) this.go(0);
    else if (key === "End" && this.strip.contains(target)) this.go(this.steps.length - 1);
    else return;
    event.preventDefault();
  }
}
