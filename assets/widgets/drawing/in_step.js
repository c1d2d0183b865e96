// Films of one training: where one is scrubbed, the others follow to the step that is nearest.
const films = new Set();

/** @param {number[]} steps */
export const nearestTo = (steps, step) =>
  steps.reduce((best, one, i) => (Math.abs(one - step) < Math.abs(steps[best] - step) ? i : best), 0);

/** Let a player lead and follow; `header()` is its picture's: `together` names the training. Returns how to leave. */
export function inStep(player, header) {
  const film = { player, header };
  films.add(film);
  player.moved = (at) => {
    const { together, steps } = header();
    for (const other of together && steps.length > 1 ? films : []) {
      // one frame alone leads nowhere
      if (other === film || other.header().together !== together) continue;
      other.player.play(false);
      other.player.go(nearestTo(other.header().steps, steps[at]));
    }
  };
  return () => films.delete(film);
}
