// Round numbers along an axis. Pure; tested with node.

/**
 * About so many round numbers within a range, at least `least` apart, and how many digits tell them apart.
 * @param {number[]} range
 * @returns {[number[], number]}
 */
export function ticks([low, high], about = 5, least = 0) {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(
    least,
    [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw * 0.999),
  );
  const first = Math.ceil(low / step - 1e-9);
  const values = Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
  return [values, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))];
}
