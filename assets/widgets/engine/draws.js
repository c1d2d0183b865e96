// Drawing a token, as core/generate/decode.py does: from the numbers that torch draws from the same seed.

const N = 624;
const M = 397;

/**
 * The token on which a number between 0 and 1 falls when the tokens lie side by side, each as wide as it is likely.
 *
 * @returns {{token: number, low: number, high: number}} and where it lies
 */
export function inverseCdf(p, draw) {
  const high = new Float64Array(p.length);
  let total = 0;
  for (let i = 0; i < p.length; i++) high[i] = total += p[i];
  let token = high.findIndex((v) => v > draw * total);
  if (token < 0) token = p.findLastIndex((v) => v > 0);
  return { token, low: (high[token] - p[token]) / total, high: high[token] / total };
}

/**
 * Uniform numbers between 0 and 1, one at each call: torch.rand(..., dtype=torch.float64) after manual_seed(seed).
 *
 * Source: Matsumoto and Nishimura 1998, the Mersenne Twister MT19937, as in torch's CPUGeneratorImpl.
 *
 * @param {number | string | bigint} seed
 */
export function uniform(seed) {
  const word = twister(seed);
  return () => {
    const high = word() & 0x1fffff; // 53 bits: 21 of one word and 32 of the next
    return (high * 2 ** 32 + word()) * 2 ** -53;
  };
}

function twister(seed) {
  const state = new Uint32Array(N);
  state[0] = Number(BigInt(seed) & 0xffffffffn);
  for (let i = 1; i < N; i++) state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;
  let at = N;
  return () => {
    if (at === N) at = renew(state);
    let y = state[at++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  };
}

/** The next 624 words; the first of them is at 0. */
function renew(state) {
  for (let i = 0; i < N; i++) {
    const both = (state[i] & 0x80000000) | (state[(i + 1) % N] & 0x7fffffff);
    state[i] = state[(i + M) % N] ^ (both >>> 1) ^ (both & 1 ? 0x9908b0df : 0);
  }
  return 0;
}
