// One attention layer as a film of small matrices: step, point at a cell, set a cell by hand. Nothing asks the server;
// a cell that was set is told to Python, which computes the same with the real layer.
import { define } from "../drawing/base.js";
import { el, format } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { formula } from "../drawing/formula.js";
import { sized } from "../drawing/ngram_words.js";
import { both, explain, nameOf, short, target } from "./stepper_explain.js";
import { Film } from "./stepper_film.js";
import { largestDifference, valueOf } from "./stepper_math.js";
import { photograph } from "../scene/photograph.js";
import { keyOf, Sheet, symbol } from "./stepper_sheet.js";
import { flipPanel, steps } from "./stepper_steps.js";
import { STYLE } from "./stepper_style.js";
import { hasChanged, paintThumb } from "./stepper_thumbs.js";
import { openField } from "./stepper_field.js";
import { labels } from "./labels.js";

const LIMIT = 3; // colors run from -3 to 3 in every matrix, so that they can be compared

export default define((shell) => {
  let given = null;
  let about = null;
  let edits = [];
  let history = [];
  let now = null;
  let changed = (_ref) => null;
  let columns = false;
  let pinned = null;
  let hovered = null;
  let base = null;
  const film = new Film({
    show: () => {
      pinned = null;
      draw();
      shell.say(
        labels("step_of_all", { step: film.at + 1, all: film.steps.length, title: step().title, story: told(step()) }),
      );
    },
    sweep,
  });
  const sheet = new Sheet({ point, press, type: (ref, td, letter) => openEditor(ref, td, letter) });
  const choice = (text, name, value) =>
    el("button", {
      text,
      "data-name": name,
      onclick: () => {
        columns = value;
        draw();
      },
    });
  const rowsButton = choice(labels("rows"), "Rows", false);
  const columnsButton = choice(labels("columns"), "Columns", true);
  const math = el("div", { class: "math gf-deep" });
  const story = el("p");
  const convention = el("p", { class: "gf-soft gf-deep" });
  const name = el("span");
  const hint = el("span");
  const parts = el("div", { class: "gf-formula" });
  const note = el("p", { class: "note" });
  const problem = el("span", { class: "st-problem", role: "status" });
  const badge = el("span", { class: "st-badge" });
  const code = el("pre", { class: "st-code gf-deep", tabindex: 0 });
  const key = el("div", { class: "gf-legend" });
  const button = (text, onclick) => el("button", { class: "gf-solid", text, onclick });
  const undoButton = button(labels("undo"), () => change(history.pop() ?? edits.slice(0, -1), true));
  const resetButton = button(labels("reset_cells"), () => change([]));
  shell.body.append(
    el(
      "div",
      { class: "st-top" },
      film.bar,
      el("div", { class: "st-choice", role: "group", "aria-label": labels("convention") }, rowsButton, columnsButton),
    ),
    film.strip,
    el("div", { class: "st-story" }, math, story, convention),
    el("div", { class: "st-why" }, el("div", { class: "name" }, name, hint), parts, note),
    sheet.node,
    key,
    el("div", { class: "st-foot" }, undoButton, resetButton, problem, badge),
    code,
  );
  shell.body.addEventListener("keydown", (event) => film.key(event));

  const step = () => film.steps[film.at];
  const told = ({ story }) => story[Number(columns)];
  const inConvention = (one) => (columns ? { ...one, panels: one.panels.map(flipPanel) } : one);
  const isSet = (ref) => edits.some((one) => keyOf(one.slice(0, 4)) === keyOf(ref));
  const isEdited = (ref) => isSet(target(now, ref) ?? ref);

  /** The cell whose arithmetic stands there before anyone points: a masked one, else the last word's first. */
  function first() {
    const v = step().panels[0].result;
    const last = v.rows.length - 1;
    return step().id === "masked" ? v.ref(0, last) : v.ref(last, 0);
  }

  function draw() {
    const shown = inConvention(step());
    about.columns = columns;
    const { theme } = shell;
    const scales = {
      signed: scale("signed", -LIMIT, LIMIT, theme.mode),
      probability: scale("probability", 0, 1, theme.mode),
    };
    math.replaceChildren(...symbol(shown.formula[columns ? 1 : 0]));
    story.replaceChildren(...symbol(told(shown)));
    convention.textContent = columns ? labels("columns_told") : labels("rows_told");
    rowsButton.setAttribute("aria-pressed", String(!columns));
    columnsButton.setAttribute("aria-pressed", String(columns));
    sheet.draw({ step: shown, t: now, about, scales, theme, width: shell.width - 8, isEdited, changed });
    film.picture((canvas, one) => {
      paintThumb(canvas, inConvention(one).panels, { t: now, scales, theme });
      return hasChanged(one.panels, changed);
    });
    const line = shell.header.code[step().id];
    code.hidden = !line;
    if (line) code.replaceChildren(el("small", { text: `${line[0]}\n` }), line[1]);
    const kinds = new Set(shown.panels.flatMap((p) => (p.views ?? [p.left, p.top, p.result]).map((v) => v.kind)));
    key.replaceChildren(
      ...["signed", "probability"]
        .filter((kind) => kinds.has(kind))
        .flatMap((kind) => legend(scales[kind], labels(kind === "signed" ? "any_number" : "weight"))),
      ...(edits.length ? [el("span", { text: labels("signs_of_edits") })] : []),
    );
    undoButton.hidden = resetButton.hidden = !edits.length;
    tellTruth();
    describe(pinned && sheet.cells.has(keyOf(pinned)) ? pinned : (pinned = first()));
  }

  function describe(ref, aloud = false) {
    const why = explain(now, about, ref, isSet(ref));
    const was = changed(ref);
    sheet.light(ref, why.sources);
    name.replaceChildren(...symbol(nameOf(about, ref)));
    hint.textContent = isEdited(ref)
      ? labels("set_hint")
      : was !== null
        ? labels("was_before", { before: short(was, 3) })
        : target(now, ref)
          ? labels("click_to_set")
          : labels("computed");
    parts.replaceChildren(...formula(why.parts));
    note.textContent = why.note;
    if (aloud) {
      shell.say(labels("told_cell", { name: nameOf(about, ref), value: short(valueOf(now, ref), 3), note: why.note }));
    }
  }

  function point(ref, byKeyboard) {
    if (sheet.node.querySelector("input")) return;
    if (byKeyboard) pinned = ref;
    hovered = byKeyboard ? null : ref;
    describe(ref ?? pinned);
  }

  /** Show a share of the step's cells, the newest one with its arithmetic; null: all of them. */
  function sweep(share) {
    const heads = sheet.results;
    const n = share === null ? Infinity : Math.max(1, Math.ceil(share * heads[0].length));
    for (const cells of heads) cells.forEach((td, i) => td.classList.toggle("later", i >= n)); // all heads at once, as they work
    if (share !== null && !hovered) {
      pinned = heads[0][n - 1].ref;
      describe(pinned);
    }
  }

  function press(ref, td, pointer) {
    film.play(false);
    const again = pinned && keyOf(pinned) === keyOf(ref) && td.classList.contains("touched");
    pinned = ref;
    describe(ref, true);
    problem.textContent = "";
    if (!target(now, ref)) return;
    td.classList.add("touched");
    if (pointer !== "touch" || again) openEditor(ref, td); // a finger chooses first: it cannot hover
  }

  function openEditor(ref, td, letter = null) {
    if (!target(now, ref) || td.querySelector("input")) return;
    film.play(false);
    const old = valueOf(now, ref);
    const { largest } = shell.header;
    openField(td, {
      label: labels("field", { name: nameOf(about, ref), largest }),
      value: String(Math.round(old * 1e4) / 1e4),
      letter,
      done(text, isKey) {
        if (text !== null) take(target(now, ref), text, old);
        if (isKey) sheet.cells.get(keyOf(ref))?.at(-1).focus({ preventScroll: true });
      },
    });
  }

  /** A number that was typed; an empty cell takes its own number back. */
  function take(ref, text, old) {
    const { largest, most } = shell.header;
    const others = edits.filter((one) => keyOf(one.slice(0, 4)) !== keyOf(ref));
    if (text === "") {
      if (others.length < edits.length) change(others);
      return;
    }
    const value = Number(text.replace("−", "-").replace(",", "."));
    if (!Number.isFinite(value) || Math.abs(value) > largest) {
      problem.textContent = labels("bad_number", { text: text.slice(0, 20), largest });
    } else if (others.length >= most) {
      problem.textContent = labels("too_many_cells", { most });
    } else if (Math.abs(value - old) >= 5e-5) change([...others, [...ref, Math.round(value * 1e4) / 1e4]]);
  }

  function change(next, isUndo = false) {
    if (!isUndo) history.push(edits);
    edits = next;
    problem.textContent = "";
    recompute();
    draw();
    shell.commit("edits", { base, edits });
  }

  function recompute() {
    ({ now, changed } = both(given, edits));
  }

  /** Python's numbers of the same edits beside those of this page. */
  function tellTruth() {
    const { arrays, header } = shell;
    if (JSON.stringify(header.edits) !== JSON.stringify(edits)) {
      badge.textContent = labels("computing");
      return;
    }
    const theirs = Object.fromEntries(Object.entries(arrays).map(([of, array]) => [of, array.data]));
    const { largest, count } = largestDifference(now, theirs);
    const isSame = largest < 1e-4;
    badge.replaceChildren(
      el("b", { text: isSame ? "✓ " : "✗ " }),
      labels(isSame ? "computed_same" : "computed_other", { largest: sized(largest), count }),
    );
    badge.title = labels("precision_hint");
  }

  return {
    update() {
      const h = shell.header;
      given = {
        nHead: h.n_head,
        mask: h.mask,
        embedding: h.embedding,
        position: h.position,
        x: h.x,
        w_q: h.w_q,
        w_k: h.w_k,
        w_v: h.w_v,
        w_o: h.w_o,
      };
      about = {
        ...given,
        words: h.words,
        dHead: h.d_head,
        dModel: h.d_model,
        positions: h.positions,
        causal: h.causal,
        plain: h.plain,
      };
      if (h.base !== base) {
        base = h.base;
        edits = h.edits;
        history = [];
        pinned = null;
      }
      const isFirst = !film.steps.length;
      film.set(steps(about));
      if (isFirst) {
        film.at = Math.max(
          0,
          film.steps.findIndex((one) => one.id === h.start),
        );
      }
      film.mark();
      recompute();
    },
    draw,
    table() {
      const views = step().panels.flatMap((p) => p.views ?? [p.left, p.top, p.result]);
      const rows = [];
      for (const v of views) {
        v.rows.forEach((_, r) =>
          v.columns.forEach((_, c) =>
            rows.push([
              v.head && about.nHead > 1 ? labels("matrix_of_head", { matrix: v.label[0], head: v.head }) : v.label[0],
              v.rows[r],
              v.columns[c],
              format(valueOf(now, v.ref(r, c)), 4),
            ]),
          ),
        );
      }
      return { columns: ["matrix", "row", "column", "number"].map((one) => labels(`column.${one}`)), rows };
    },
    picture() {
      film.play(false);
      return photograph(sheet.node);
    },
    destroy: () => film.play(false),
  };
}, STYLE);
