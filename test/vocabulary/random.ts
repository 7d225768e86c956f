/** Whole numbers from 0 up to a bound that they don't reach: small, fast, and the same in each run. */
export function random(seed: number): (bound: number) => number {
  let state = seed + 1;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
