// A block of 2017, the same with one part of today, and the loss of both; beside them the list of what has changed.
import { el, format } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { blockColumn } from "./block_column.js";
import { labels } from "./labels.js";
import { STYLE } from "./two_blocks_style.js";

const TODAY = "today"; // the row of all switches together

export default picture(
  (h, _, { shell, width, state, set }) => {
    const isNarrow = width <= 560;
    const { switches, on } = h;
    const all = switches.flatMap((owner) => owner.states.map((one) => ({ ...one, owner: owner.name })));
    const byName = new Map(all.map((one) => [one.name, one]));
    const title = (name) => byName.get(name).title;
    const then = Object.fromEntries(switches.map(({ name, states }) => [name, states[0].name]));
    const today = switches.map((one) => one.today);
    const changes = all.filter(({ name, owner }) => then[owner] !== name);
    // The states that differ from 2017, as the page has them. Today's nine are too many to begin with.
    const isAll = on.length === today.length && today.every((name) => on.includes(name));
    const flipped = isAll && !state.all ? [h.first] : on;
    const setting = { ...then, ...Object.fromEntries(flipped.map((name) => [byName.get(name).owner, name])) };
    const isToday = isAll && state.all;
    const isMore = state.more || (!isToday && flipped.some((name) => !h.visible.includes(name)));
    const rows = [...(isMore ? changes : h.visible.map((name) => byName.get(name))), { ...h.today, name: TODAY }];
    const isPressed = ({ name }) => (name === TODAY ? isToday : !isToday && flipped.includes(name));
    const one = isToday ? h.today : flipped.length === 1 ? byName.get(flipped[0]) : null;
    const named = isToday ? [] : flipped.map((name) => byName.get(name).owner);

    /** Commit the states that differ from 2017, in the order of the page. */
    function flip(names) {
      shell.commit(
        "on",
        changes.filter(({ name }) => names.includes(name)).map(({ name }) => name),
      );
    }

    function choose({ name, owner }) {
      if (name === TODAY) {
        set({ ...state, all: true });
        return flip(today);
      }
      const others = state.several ? flipped.filter((old) => byName.get(old).owner !== owner) : [];
      const isOff = state.several && flipped.includes(name);
      set({ ...state, all: false });
      flip(isOff ? others : [...others, name]);
    }

    function panel(name, loss, note, block) {
      const number = loss === null ? el("b", { class: "gf-key-number gf-hatch", text: "?" }) : null;
      return el(
        "section",
        {},
        el("h4", { text: name }),
        el(
          "div",
          { class: "loss" },
          number ?? el("b", { class: "gf-key-number", text: format(loss, 2) }),
          el("span", { text: note }),
        ),
        block,
      );
    }

    const between = (loss) => labels(isNarrow ? "loss" : "between", { n: format(Math.exp(loss), 1) });
    const name = isToday
      ? labels("today")
      : one
        ? labels("with", { part: one.alone })
        : flipped.length
          ? labels("with_some", { n: flipped.length })
          : labels("then");
    const loss = one ? one.loss : flipped.length ? null : h.loss;
    const note = loss !== null ? between(loss) : labels(isNarrow ? "loss" : one ? "hidden" : "untrained");
    const button = (text, isOn, act) =>
      el("button", { class: "gf-solid", text, "aria-pressed": isOn === null ? null : String(isOn), onclick: act });

    function sentence() {
      if (!one) return labels(flipped.length ? "lit" : "none", { n: flipped.length, all: switches.length });
      if (one.loss === null) return h.is_asked ? labels("guess_first", { part: one.alone }) : one.does;
      const values = { part: one.alone, before: format(h.loss, 2), after: format(one.loss, 2) };
      return labels(`says.${one.effect}`, values);
    }

    return {
      things: rows,
      layout: "gf-then",
      draw(row) {
        const { name: key, owner = "all", alone: text, plain, change, effect } = row;
        const long = Math.min(1, Math.max(0, -(change ?? 0)) / h.most);
        const bar = el("i", {});
        bar.style.width = `${100 * long}%`;
        return el(
          "button",
          { class: `row ${effect}`, "data-name": `${owner} ${key}`, "aria-pressed": String(isPressed(row)) },
          el("b", { text }),
          el("span", { text: plain }),
          el("em", { class: change === null ? "gf-hatch" : "", text: row.loss === null ? "?" : format(row.loss, 2) }),
          el("span", { class: change === null ? "bar gf-hatch" : "bar" }, bar),
        );
      },
      arrange: (buttons) => [
        panel(labels("then"), h.loss, between(h.loss), blockColumn(then, then, named, title, h.n_layer)),
        panel(name, loss, note, blockColumn(setting, then, named, title, h.n_layer)),
        el(
          "div",
          { class: isMore ? "list many" : "list" },
          el("p", { text: labels("gains") }),
          ...buttons,
          ...(isMore
            ? [
                el(
                  "div",
                  { class: "several" },
                  button(labels("one"), !state.several, () => set({ ...state, several: false })),
                  button(labels("several"), Boolean(state.several), () => set({ ...state, several: true })),
                ),
              ]
            : [
                button(labels("more", { n: changes.length - h.visible.length }), null, () =>
                  set({ ...state, more: true }),
                ),
              ]),
        ),
      ],
      said: ({ alone: text, paper, does, found }) => [
        el("b", { text }),
        paper ? ` (${paper}) ` : " ",
        el("span", { class: "gf-hint", text: [does, found].filter(Boolean).join(" ") }),
      ],
      hint: h.hint,
      label: h.takeaway,
      sentence: [sentence()],
      choose,
      columns: [labels("switch"), "2017", labels("second")],
      rows: switches.map((owner) => [owner.title, owner.states[0].title, title(setting[owner.name])]),
    };
  },
  { style: STYLE, state: (_, old) => old ?? {} },
);
