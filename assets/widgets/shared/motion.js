// Elements that were drawn anew change from how they were to how they are, in 240 ms. Where less motion is wanted, they
// switch.
const DURATION = 240; // ms

/** A property of the style of some elements changes from that of the same places in the drawing before. */
export function animateFromBefore(node, query, property) {
  const parts = [...node.querySelectorAll(query)];
  const values = parts.map((one) => one.style[property]);
  const before = node[`before ${property}`];
  node[`before ${property}`] = values;
  if (before?.length !== values.length || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  parts.forEach((one, i) => {
    if (before[i] === values[i]) return;
    one.animate([{ [property]: before[i] }, { [property]: values[i] }], { duration: DURATION, easing: "ease-out" });
  });
}
