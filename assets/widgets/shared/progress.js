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
    moves.set(shell, { step, since: isStill ? -Infinity : now, from: last?.at ?? last?.step ?? step });
  }
  const t = Math.min(1, (now - moves.get(shell).since) / LASTS);
  if (t < 1) requestAnimationFrame(() => shell.attempt(() => shell.redraw()));
  return t * t * (3 - 2 * t);
}

/**
 * Where a picture is on its way from the step where it stood to this one, a number between the two.
 * @param {any} shell
 * @param {number} step
 */
export function onTheWay(shell, step) {
  const t = progress(shell, step);
  const move = moves.get(shell);
  move.at = t < 1 ? move.from + (step - move.from) * t : step;
  return move.at;
}
