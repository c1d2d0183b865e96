// What one chooses to look at (a layer, a head, a token, a threshold) is known to all pictures of a page: one store in
// the browser, from which each takes what it shows. It stands in the address under its own name, where the server reads
// it when it next has something to do. `core/ui/controls/browser_side_controls.py` is the other half.

import { place } from "./place.js";

const PAUSE = 150; // ms between two writings of the address while a slider is dragged: a browser allows few

const declared = new Map(); // name -> what the server says of it, and the value that is in force
const kept = new Map(); // place -> name -> as the address writes it; null: where it began
const followers = new Set();
const came = new Set(); // what has come along from other pages, by the server's count
let timer = null;
let frame = null;

const here = (at = place(location)) => kept.get(at) ?? kept.set(at, new Map()).get(at);
/** What the address says, several values one below the other; null where it says nothing. */
const said = (url, name) => (url.searchParams.has(name) ? url.searchParams.getAll(name).join("\n") : null);
const addressSays = (name) => said(new URL(location.href), name);

const isText = (one) => one.most !== undefined;
const isSame = (a, b) => a === b || (Array.isArray(a) && Array.isArray(b) && a.join("\n") === b.join("\n"));

const MOST_OF_A_WORD = 60; // characters that are looked at for the beginning of a word

/** The last characters, at most so many, from the beginning of a word on if one is near. */
function endOf(text, most) {
  if (text.length <= most) return text;
  const end = text.slice(-most);
  const space = end.slice(0, MOST_OF_A_WORD).search(/[ \t]/);
  if (space <= 0 || /[ \t]/.test(text.at(-most - 1))) return end;
  return end.slice(space).trimStart() || end;
}

/** One line of a text, of a longer one its end, as the server cuts it; undefined where nothing stands in it. */
export function cleaned(text, most) {
  const line = endOf(text.replace(/\r\n|[\r\n]/g, " ").replace(/[^\P{Cc}\t]/gu, ""), most);
  return line.trim() ? line : undefined;
}

/** The values that a choice may have; of a scale, all of its steps; a text may be anything. */
function valuesOf(one) {
  const { low, high, step, options } = one;
  if (isText(one)) return [];
  if (options) return options.map(([value]) => value);
  return Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => Number((low + i * step).toFixed(6)));
}

function written(one, value) {
  if (one.is_several) return value.join("\n");
  return one.options?.find(([own]) => own === value)?.[2] ?? String(value);
}

/** The option with this key; an address of an earlier release has the label. */
function optionOf(one, text) {
  const named = (i) => one.options.find((option) => option[i] === text);
  return (named(2) ?? named(1))?.[0];
}

/** The value that a text of the address means; undefined where it means none. */
function parsed(one, text) {
  if (isText(one)) return cleaned(text, one.most);
  if (one.is_several) {
    const asked = text
      .split("\n")
      .filter(Boolean)
      .map((word) => optionOf(one, word));
    return asked.every((value) => value !== undefined) ? one.values.filter((v) => asked.includes(v)) : undefined;
  }
  if (one.options) return optionOf(one, text);
  const number = text === "" ? NaN : Number(text);
  if (Number.isNaN(number)) return undefined;
  return one.values.find((value) => Math.abs(value - number) < 1e-6) ?? (number > one.high ? one.high : undefined);
}

/**
 * What the server says of a choice. Where it lets the choice begin anew, after a new text or a chip say, or where its
 * value has come along from another page, that holds; else what was chosen here, as far as it fits.
 */
export function declare(told) {
  const one = { ...told, values: valuesOf(told) };
  const before = declared.get(one.name);
  const all = here();
  const isNew = Boolean(one.came) && !came.has(one.came);
  came.add(one.came);
  const isAnew = isNew || (before?.place === place(location) && before.begins !== one.begins);
  if (isAnew && isText(one)) for (const other of belonging(one.name)) set(other, other.default);
  if (one.fixed || isAnew) {
    all.set(one.name, isSame(one.value, one.default) ? null : written(one, one.value));
  } else if (!all.has(one.name) && addressSays(one.name) !== null) all.set(one.name, addressSays(one.name));
  const text = all.get(one.name);
  const own = text === undefined ? one.value : text === null ? one.default : parsed(one, text);
  declared.set(one.name, { ...one, place: place(location), now: own === undefined ? one.value : own });
  timer ??= setTimeout(write, PAUSE);
  tell();
}

export const isDeclared = (name) => declared.has(name);
/** Whether this page has a choice as the server set it, so many times by now; it may still be on its way. */
export const hasBegun = (name, times) => declared.has(name) && Number.parseInt(declared.get(name).begins, 10) >= times;

/** Whether all these choices are known as of these ranges: of a new text the control is drawn before the picture. */
export const areDeclared = (ranges) =>
  Object.entries(ranges).every(([name, range]) => declared.has(name) && [declared.get(name).range, ""].includes(range));
export const valueOf = (name) => declared.get(name).now;
/** All that is chosen, by name. */
export const values = () => Object.fromEntries([...declared].map(([name, one]) => [name, one.now]));
/** Texts of this page that were typed here, and of which the server does not know yet, by name. */
export function untold() {
  const here = [...declared.values()].filter((one) => isText(one) && one.place === place(location));
  return Object.fromEntries(
    here.filter((one) => !one.fixed && one.now !== one.value).map((one) => [one.name, one.now]),
  );
}
export const indexOf = (name) => Math.max(0, declared.get(name).values.indexOf(valueOf(name)));

/** The nearest of its values. */
const fitted = (one, value) =>
  isText(one) || one.options || one.values.includes(value)
    ? value
    : one.values.reduce((best, next) => (Math.abs(next - value) < Math.abs(best - value) ? next : best));

/** Choose: {name: value}. What belongs to a choice that moves, a key to its query, begins anew. */
export function choose(values) {
  const given = Object.entries(values).filter(([name, value]) => declared.has(name) && value !== null);
  for (const [name, wanted] of given) {
    const one = declared.get(name);
    const value = fitted(one, wanted);
    if (one.fixed || isSame(value, one.now)) continue;
    set(one, value);
    for (const other of belonging(name)) if (!(other.name in values)) set(other, other.default);
  }
  timer ??= setTimeout(write, PAUSE);
  frame ??= requestAnimationFrame(() => {
    frame = null;
    tell();
  });
}

/** What belongs to a choice, as a key to its query. */
const belonging = (name) =>
  [...declared.values()].filter((one) => one.of === name && one.place === place(location) && !one.fixed);

function set(one, value) {
  one.now = value;
  here().set(one.name, isSame(value, one.default) ? null : written(one, value));
}

const remarks = new Map(); // name -> what a picture has to say of the text that was chosen

/** What stands below the field of a text: how much of it a picture reads, say; "" for nothing. */
export const remarkOf = (name) => (declared.get(name)?.place === place(location) && remarks.get(name)) || "";

export function remark(name, text) {
  if ((remarks.get(name) ?? "") === text) return;
  remarks.set(name, text);
  tell();
}

/** Let all who follow look again. */
export function tell() {
  for (const follower of [...followers]) follower();
}

/** Call it whenever something was chosen or declared. What comes back ends that. */
export function follow(follower) {
  followers.add(follower);
  return () => followers.delete(follower);
}

/** Put what was chosen into the address now: before the server is told anything. */
export function write() {
  clearTimeout(timer);
  timer = null;
  const address = withChoices(location.href);
  if (address !== location.href) history.replaceState(history.state, "", address);
}

/** An address that is about to be written, with what was chosen there; a link to another page holds as it says. */
export function withChoices(address) {
  const url = new URL(address, location.href);
  const isElsewhere = place(url) !== place(location);
  const all = kept.get(place(url)) ?? new Map();
  for (const [name, text] of all) {
    const there = said(url, name);
    if (isElsewhere && there !== null) all.set(name, there);
    else if (there !== text) {
      url.searchParams.delete(name);
      if (text !== null) for (const line of text.split("\n")) url.searchParams.append(name, line);
    }
  }
  return url.href;
}

/** A link says something new of another page: nothing that was chosen there before holds. */
export const forget = (url) => kept.delete(place(url));

/** Choices that another page is to begin with: name -> as the address writes it. */
export const bring = (url, texts) => kept.set(place(url), new Map(Object.entries(texts)));

/** Another address of this page, by Back say: what it says holds. */
export function adopt() {
  kept.delete(place(location));
  for (const one of declared.values()) {
    const text = addressSays(one.name);
    const value = text === null ? one.default : parsed(one, text);
    if (one.place !== place(location) || one.fixed) continue;
    one.now = value === undefined ? one.default : value;
    here().set(one.name, text); // in its words: where it begins may be another place there, with another text
  }
  tell();
}

for (const what of ["change", "pointerup", "keyup"]) {
  globalThis.addEventListener?.(what, () => timer !== null && write(), true); // before the server hears of a click
}

/** What a click chooses: 3 with "query" is {query: 3}, with ["step", [null, …]] the value there; {row: 3} with {row: …}
 *  the same of its parts. */
export function chosenBy(value, moves) {
  if (typeof moves === "string") return { [moves]: value };
  if (Array.isArray(moves)) return { [moves[0]]: moves[1][value] ?? null };
  return Object.assign({}, ...Object.entries(moves).map(([part, move]) => chosenBy(value?.[part] ?? null, move)));
}
