import { expect, test } from 'vitest';
import { concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { resourceLimits } from '#lib/limits.ts';
import { allLimits } from '#resources/all.ts';
import { pollInterval } from '#server/poll-interval.ts';

test('clients poll every minute, every two where most places are taken, and every five where requests wait', async () => {
  const limits = { total: 4, perCaller: 1, anonymous: 4, waiting: 1, waitingTime: 60_000 };
  const requests = concurrencyLimiter('requests.concurrent', limits);
  const interval = () =>
    pollInterval({
      limiters: { requests } as Parameters<typeof pollInterval>[0]['limiters'], // the only one that is asked
      resourceLimits: resourceLimits(allLimits, { requests: { concurrent: 4 } }),
    });
  const callers = ['ada', 'bob', 'eve'].map((key) => ({ key, kind: 'signed_in' }) as const);
  expect(interval()).toBe(60);
  const held = await Promise.all(callers.map((caller) => requests.acquire(caller)));
  expect(interval()).toBe(120);
  const waiting = requests.acquire({ key: 'ada', kind: 'signed_in' });
  expect(interval()).toBe(300);
  for (const release of held) release();
  (await waiting)();
  expect(interval()).toBe(60);
});
