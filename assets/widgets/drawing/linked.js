// A message that depends on what is chosen on the page: its arrays run along some choices, or are computed here, and so
// do parts of its header. Pure; `core/browser/choice_indexed_values.py` is the other half.
import { printed } from "./printed.js";

/** A value as it is with the present choices; store: see `looked`. */
export function look(value, store) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((one) => look(one, store));
  if ("along$" in value) {
    return look(
      value.along$.reduce((part, name) => part[Math.min(store.index(name), part.length - 1)], value.values),
      store,
    );
  }
  if ("chosen$" in value) {
    const now = store.chosen(value.chosen$);
    return now === value.unless ? look(value.or, store) : now;
  }
  if ("computed$" in value) {
    const now = store.computed(value.by, value.computed$);
    return now === undefined ? look(value.or, store) : printed(now, value.shown);
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, look(one, store)]));
}

/** The part of an array that is chosen: its leading axes run along choices; or the array as it is computed now. */
function part({ data, shape, along, computed }, store, by) {
  const now = computed && store.computed(by, computed);
  if (now) return now;
  if (!along) return { data, shape };
  const rest = shape.slice(along.length);
  const size = rest.reduce((n, one) => n * one, 1);
  const at = along.reduce((sum, name, axis) => sum * shape[axis] + Math.min(store.index(name), shape[axis] - 1), 0);
  return { data: data.subarray(at * size, (at + 1) * size), shape: rest };
}

/**
 * The message as it is with the present choices.
 * @param {{header: any, arrays: any}} message
 * @param {{index: (name: string) => number, chosen: (name: string) => any,
 *   computed: (by: string, part: string) => any}} store
 */
export function looked({ header, arrays }, store) {
  const { arrays: about, ...told } = header;
  return {
    header: { ...look(told, store), arrays: about },
    arrays: Object.fromEntries(
      Object.entries(arrays).map(([name, array]) => [name, part(array, store, header.computed)]),
    ),
  };
}
