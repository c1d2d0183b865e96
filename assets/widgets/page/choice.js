// A control that only chooses what to look at: it tells the pictures of the page, and not the server.
import { el, format, grouped } from "../drawing/elements.js";
import { readHeader } from "../drawing/frame.js";
import * as choices from "./choices.js";
import { labels } from "./labels.js";

const built = new WeakMap();

function scale(told) {
  const shown = document.createTextNode(""); // a text that changes costs the page less than a new one
  const range = el("input", {
    type: "range",
    min: told.low,
    max: told.high,
    step: told.step,
    disabled: Boolean(told.fixed),
    "aria-label": told.label,
    oninput: () => choices.choose({ [told.name]: Number(range.value) }),
  });
  const follow = (value) => {
    range.value = value;
    shown.nodeValue = format(value, told.digits);
  };
  return [el("div", { class: "gf-scale" }, range, el("output", {}, shown)), follow];
}

function pills(told) {
  const buttons = told.options.map(([value, label]) =>
    el("button", {
      role: "radio",
      text: label,
      disabled: Boolean(told.fixed),
      onclick: () => choices.choose({ [told.name]: value }),
    }),
  );
  const group = el("div", { class: "gf-pills", role: "radiogroup", "aria-label": told.label }, ...buttons);
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (choices.indexOf(told.name) + step + buttons.length) % buttons.length;
    choices.choose({ [told.name]: told.options[next][0] });
    buttons[next].focus();
  });
  const follow = (value) =>
    told.options.forEach(([own], i) => {
      buttons[i].setAttribute("aria-checked", String(own === value));
      buttons[i].tabIndex = own === value ? 0 : -1;
    });
  return [group, follow];
}

/** Options of which any number may be pressed. */
function several(told) {
  const buttons = told.options.map(([value, label]) =>
    el("button", {
      text: label,
      disabled: Boolean(told.fixed),
      onclick: () => {
        const now = choices.valueOf(told.name);
        const isOn = (own) => now.includes(own) !== (own === value);
        choices.choose({ [told.name]: told.options.map(([own]) => own).filter(isOn) });
      },
    }),
  );
  const group = el("div", { class: "gf-pills", role: "group", "aria-label": told.label }, ...buttons);
  const follow = (value) =>
    told.options.forEach(([own], i) => buttons[i].setAttribute("aria-pressed", String(value.includes(own))));
  return [group, follow];
}

function list(told) {
  const select = el(
    "select",
    {
      disabled: Boolean(told.fixed),
      "aria-label": told.label,
      onchange: () => choices.choose({ [told.name]: told.options[select.selectedIndex][0] }),
    },
    ...told.options.map(([, label]) => el("option", { text: label })),
  );
  const follow = (value) => {
    select.selectedIndex = told.options.findIndex(([own]) => own === value);
  };
  return [select, follow];
}

// Where the browser doesn't make a field as high as its text (WebKit, Firefox), the page does; see choices.css.
const SIZES_ITSELF = globalThis.CSS?.supports?.("field-sizing", "content");

function fitHeight(field) {
  if (SIZES_ITSELF || !field.clientWidth) return;
  field.style.height = "auto";
  const height = field.scrollHeight + field.offsetHeight - field.clientHeight;
  field.style.height = `${height}px`;
}

/** A line of text, which may wrap. Emptied, it stands for what it begins with, which is seen behind it. */
function words(told) {
  const field = el("textarea", {
    rows: 2,
    placeholder: told.default,
    disabled: Boolean(told.fixed),
    "aria-label": told.label,
    spellcheck: "false",
    oninput: () => choices.choose({ [told.name]: meant() }),
    onkeydown: (event) => event.key === "Enter" && event.preventDefault(), // it is one line
  });
  const meant = () => choices.cleaned(field.value, told.most) ?? told.default;
  const follow = (value) => {
    if (meant() !== value || (!field.value && field !== document.activeElement)) field.value = value;
    fitHeight(field);
  };
  if (!SIZES_ITSELF) {
    field.addEventListener("input", () => fitHeight(field));
    let width = 0;
    new ResizeObserver(() => {
      if (field.clientWidth === width) return;
      width = field.clientWidth; // it is put on the page, or that is turned
      requestAnimationFrame(() => fitHeight(field));
    }).observe(field);
  }
  const cut = () => {
    const kept = choices.cleaned(field.value, told.most) ?? "";
    return field.value.length > told.most ? labels("text_cut", { characters: grouped(kept.length) }) : "";
  };
  return [field, follow, cut];
}

function kindOf({ most, is_several, is_list, options }) {
  if (most !== undefined) return words;
  return is_several ? several : is_list ? list : options ? pills : scale;
}

export default ({ data, parentElement }) => {
  const [{ choice: told, id }] = readHeader(data);
  const before = built.get(parentElement);
  if (before?.id === id) return before.end;
  before?.unfollow();
  const [control, show, more = () => ""] = kindOf(told)(told);
  const label = el("label", { text: told.label, title: told.help });
  const box = el("div", { class: "gf-choice" }, label, control);
  box.dataset.name = told.name;
  const remark = el("small", { class: "gf-remark" });
  if (told.most !== undefined) box.append(remark);
  if (told.fixed) box.append(el("small", { text: `🔒 ${told.fixed}` }));
  parentElement.replaceChildren(...(told.hidden ? [] : [box]));
  const unfollow = choices.follow(() => {
    if (!choices.isDeclared(told.name)) return;
    show(choices.valueOf(told.name));
    const said = [more(), choices.remarkOf(told.name)].filter(Boolean).join(" ");
    if (remark.textContent !== said) remark.textContent = said;
  });
  choices.declare(told);
  const end = () =>
    setTimeout(() => {
      if (!parentElement.isConnected) unfollow();
    }, 500);
  built.set(parentElement, { id, unfollow, end });
  return end;
};
