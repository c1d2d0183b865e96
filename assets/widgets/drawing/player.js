// Numbered moments, one after the other: play, step and scrub. What every film has; nothing asks the server.
import { clamp, el } from "./elements.js";
import { labels } from "./labels.js";

export class Player {
  at = 0;
  last = 0;
  timer = null;
  moved; // told where it went: see `in_step.js`

  /**
   * what: of the slider, for screen readers. name: of the slider in the address, the same in every language. back, on:
   * said of the buttons for one step. perSecond: at speed 1; or a function that gives it for a moment.
   * show(at) draws a moment, and tells it with `tell`; say() tells a screen reader after a step by hand.
   */
  constructor({ what, name, back = labels("one_back"), on = labels("one_on"), perSecond, speeds = false, show, say }) {
    this.perSecond = perSecond;
    this.show = show;
    this.say = say;
    const button = (text, title, onclick) =>
      el("button", { class: "gf-solid", text, title, "aria-label": title, onclick });
    this.button = button("▶", labels("play"), () => this.play(!this.timer));
    this.slider = el("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": what,
      "data-name": name,
      oninput: () => {
        this.play(false);
        this.move(Number(this.slider.value));
      },
    });
    this.slider.style.flex = "1 1 140px";
    this.now = el("output", { class: "gf-mono" });
    this.speed = speeds
      ? el(
          "select",
          {
            "aria-label": labels("speed"),
            "data-name": "Speed",
            onchange: () => {
              if (this.timer) {
                this.play(false);
                this.play(true);
              }
            },
          },
          ...[0.5, 1, 2, 4].map((v) => el("option", { value: v, text: `${v}×`, selected: v === 1 })),
        )
      : null;
    this.node = el(
      "div",
      { class: "gf-controls" },
      this.button,
      button("‹", back, () => this.stepBy(-1)),
      button("›", on, () => this.stepBy(1)),
      this.slider,
      this.now,
      this.speed,
    );
  }

  /** How many moments there are, and which is shown next; `go` shows it. */
  set(last, at) {
    this.last = this.slider.max = last;
    this.at = clamp(at, 0, last);
  }

  go(at) {
    this.at = clamp(at, 0, this.last);
    this.slider.value = this.at;
    this.show(this.at);
  }

  /** A person, or the player itself, goes there: what is in step with it follows. */
  move(at) {
    this.go(at);
    this.moved?.(this.at);
  }

  /** What is shown now: beside the slider, and (maybe longer) for screen readers. */
  tell(text, spoken = text) {
    this.now.textContent = text;
    this.slider.setAttribute("aria-valuetext", spoken);
  }

  play(on) {
    clearTimeout(this.timer);
    this.timer = null;
    this.button.textContent = on ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", on ? labels("pause") : labels("play"));
    if (!on) return;
    if (this.at === this.last) this.move(0);
    const next = () => {
      const { perSecond, at, speed } = this;
      const rate = typeof perSecond === "number" ? perSecond : perSecond(at);
      this.timer = setTimeout(
        () => {
          if (this.at === this.last) return this.play(false);
          this.move(this.at + 1);
          if (this.timer) next();
        },
        1000 / rate / Number(speed?.value ?? 1),
      );
    };
    next();
  }

  stepBy(n) {
    this.play(false);
    this.move(this.at + n);
    this.say();
  }

  /** Space plays, arrows step, Home and End jump; true if the key was one of these. Controls keep their own keys. */
  key({ key, target, ctrlKey, metaKey, altKey }) {
    if (ctrlKey || metaKey || altKey) return false;
    if (key === " " && !target.matches("button, select")) this.play(!this.timer);
    else if (key in MOVES && !target.matches("input, select")) this.stepBy(MOVES[key]);
    else return false;
    return true;
  }
}

const MOVES = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
