// A picture that moves from one step to the next: how far it has come, as a number from 0 to 1.
const LASTS = 240; // ms, the time of every movement in the house
const moves = new WeakMap(); // shell -> where it stands, and since when

/**
 * How far a picture has come to `step` from where it stood before; it is drawn again until it is there. The first time,
 * and where the system asks for less motion, it is there at once.
 * @param {any} shell
 * @param {number | string} step anything that differs from one moment to the next
 */
export function progress(shell, step) {
  const now = performance.now();
  const last = moves.get(shell);
  if (last?.step !== step) {
    const isStill = !last || document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;
    moves.set(shell, { step, since: isStill ? -Infinity : now });
  }
  const t = Math.min(1, (now - moves.get(shell).since) / LASTS);
  if (t < 1) requestAnimationFrame(() => shell.attempt(() => shell.redraw()));
  return t * t * (3 - 2 * t);
}
