import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gitLimits } from '#git/limits.ts';
import { rateWatch } from '#git/process/rate-watch.ts';
import { initialValues } from '#lib/limits.ts';

const limits = { ...initialValues(gitLimits), transferRate: 1_000, transferRateTime: 10_000, transferContendedTime: 2_000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setup() {
  const slow: string[] = [];
  const watch = rateWatch(limits, ({ message, limit }) => slow.push(`${message} ${limit}`));
  /** The other side takes so long to move these bytes; then git works for so long. */
  const move = (bytes: number, waiting: number, working = 0) => {
    watch.waiting();
    vi.advanceTimersByTime(waiting);
    watch.moved(bytes);
    vi.advanceTimersByTime(working);
  };
  return { watch, move, slow };
}

test('who moves too few bytes in the time is too slow, and the message names the limit', () => {
  const { move, slow } = setup();
  for (let second = 0; second < 9; second++) move(999, 1_000);
  expect(slow).toEqual([]);
  move(999, 1_000);
  expect(slow).toEqual(['The transfer is too slow (git.transferRate: 1000 bytes a second) git.transferRate']);
});

test('who moves nothing is found out without moving', () => {
  const { watch, slow } = setup();
  watch.waiting();
  vi.advanceTimersByTime(9_999);
  expect(slow).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(slow).toHaveLength(1);
});

test('who keeps to the rate may take as long as it likes, evenly or by bursts', () => {
  const { move, slow } = setup();
  for (let second = 0; second < 100; second++) move(1_200, 1_000);
  for (let burst = 0; burst < 20; burst++) move(20_000, 9_000);
  expect(slow).toEqual([]);
});

test('the time in which git works does not count', () => {
  const { move, slow } = setup();
  for (let step = 0; step < 100; step++) move(10, 10, 60_000);
  expect(slow).toEqual([]);
});

test('a closed watch tells nothing any more', () => {
  const { watch, slow } = setup();
  watch.waiting();
  watch.close();
  vi.advanceTimersByTime(60_000);
  expect(slow).toEqual([]);
});

test('the recent rate is that of the last two to four seconds of waiting, whatever was moved before', () => {
  const { watch, move } = setup();
  move(1_000_000, 1_000, 60_000);
  expect(watch.rate()).toBeUndefined();
  watch.waiting();
  vi.advanceTimersByTime(999);
  expect(watch.rate()).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect(watch.rate()).toBe(500_000);
  vi.advanceTimersByTime(2_000);
  expect(watch.rate()).toBe(0);
  move(3_000, 2_000);
  watch.waiting();
  expect(watch.rate()).toBeGreaterThan(0);
  expect(watch.rate()).toBeLessThanOrEqual(1_500);
});
