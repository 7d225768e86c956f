import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Caller, system } from '#lib/caller.ts';
import { type ConcurrencyLimits, concurrencyLimiter, type Release } from '#lib/concurrency-limiter.ts';
import { Refusal } from '#lib/refusal.ts';

const limits: ConcurrencyLimits = { total: 4, perCaller: 2, anonymous: 3, waiting: 5, waitingTime: 60_000 };
const user = (name: string): Caller => ({ key: `account:${name}`, kind: 'signed_in' });
const stranger = (address: string): Caller => ({ key: `address:${address}`, kind: 'anonymous' });

/** The kind and the limit of the refusal with which an attempt ends. */
const refusalOf = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Refusal)) throw error ?? new Error('nothing was thrown');
  return { kind: error.kind, limit: error.limit, retryAfter: error.retryAfter };
};

test('those who wait are let in by turns of callers, not in the order in which they came', async () => {
  const limiter = concurrencyLimiter('test', { ...limits, total: 1, waiting: 100 });
  const order: string[] = [];
  const work = async (caller: Caller): Promise<void> => {
    const release = await limiter.acquire(caller);
    order.push(caller.key);
    release();
  };
  const release = await limiter.acquire(user('first'));
  const all = [...Array.from({ length: 50 }, () => user('greedy')), user('modest'), user('other')].map(work);
  release();
  await Promise.all(all);
  expect(order.slice(0, 4).sort()).toEqual(['account:greedy', 'account:greedy', 'account:modest', 'account:other']);
  expect(order).toHaveLength(52);
});

test('one caller holds its share at most, and who is not signed in theirs together', async () => {
  const limiter = concurrencyLimiter('test', limits);
  await Promise.all([1, 2].map(() => limiter.acquire(stranger('a'))));
  void limiter.acquire(stranger('a')).catch(() => undefined);
  await limiter.acquire(stranger('b'));
  void limiter.acquire(stranger('b')).catch(() => undefined);
  expect({ running: limiter.running, waiting: limiter.waiting }).toEqual({ running: 3, waiting: 2 });
  const release = await limiter.acquire(user('ada'));
  expect(limiter.callers()[0]).toEqual({ key: 'address:a', running: 2, waiting: 1 });
  release();
  expect(limiter.running).toBe(3);
});

test('an address that is not signed in holds less than a caller who is', async () => {
  const limiter = concurrencyLimiter('test', { ...limits, perAddress: 1 });
  await Promise.all([limiter.acquire(stranger('a')), limiter.acquire(user('ada')), limiter.acquire(user('ada'))]);
  void limiter.acquire(stranger('a')).catch(() => undefined);
  expect({ running: limiter.running, waiting: limiter.waiting }).toEqual({ running: 3, waiting: 1 });
});

describe('work that waits for slow clients', () => {
  const contended = { ...limits, perCaller: 4, contendedTime: 20, contendedRate: 1_000 };

  /** Fills a limiter with the work of these callers, each at a rate. Returns whose work was ended. */
  async function fill(given: Partial<ConcurrencyLimits>, works: [Caller, number | undefined][]) {
    const limiter = concurrencyLimiter('test', { ...contended, ...given });
    const ended: string[] = [];
    for (const [caller, rate] of works) {
      let release: Release | undefined;
      const work = {
        rate: () => rate,
        end() {
          ended.push(caller.key);
          release?.();
        },
      };
      release = await limiter.acquire(caller, { work });
    }
    return { limiter, ended };
  }

  test('the slowest ends where another caller waits', async () => {
    const { limiter, ended } = await fill({ anonymous: 3 }, [
      [stranger('a'), 500],
      [stranger('b'), 10],
      [stranger('c'), undefined],
    ]);
    await limiter.acquire(stranger('d'));
    expect(ended).toEqual(['address:b']);
  });

  test('none that is fast enough, that is signed in where the other is not, or that is its own', async () => {
    const { limiter, ended } = await fill({ anonymous: 2, perCaller: 3 }, [
      [stranger('a'), 1_000],
      [stranger('d'), 10],
      [user('ada'), 10],
      [user('ada'), 10],
    ]);
    await expect(limiter.acquire(stranger('d'), { waitingTime: 200 })).rejects.toThrow('busy');
    expect(ended).toEqual([]);
    await limiter.acquire(user('bob'));
    expect(ended).toHaveLength(1);
  });

  test('none for a caller who has all that it may', async () => {
    const { limiter, ended } = await fill({ perCaller: 2 }, [
      [user('ada'), 10],
      [user('ada'), 10],
      [user('bob'), 10],
    ]);
    await expect(limiter.acquire(user('ada'), { waitingTime: 200 })).rejects.toThrow('busy');
    expect(ended).toEqual([]);
  });
});

test('a caller with too many in line is refused, the server itself is not', async () => {
  const limiter = concurrencyLimiter('test.places', { ...limits, total: 1, waiting: 2 });
  const release = await limiter.acquire();
  const waiting = [1, 2].map(() => limiter.acquire(user('ada')));
  expect(await refusalOf(limiter.acquire(user('ada')))).toEqual({ kind: 'too_many', limit: 'test.places', retryAfter: 5 });
  const own = [1, 2, 3].map(() => limiter.acquire(system));
  expect(limiter.waiting).toBe(5);
  release();
  for (const entered of [...waiting, ...own]) void entered.then((free) => free());
  await Promise.all([...waiting, ...own]);
  await expect.poll(() => limiter.callers()).toEqual([]);
});

test('who waits too long, or went away, takes no place from those behind', async () => {
  const limiter = concurrencyLimiter('test', { ...limits, total: 1 });
  const release = await limiter.acquire(user('ada'));
  const gone = new AbortController();
  const late = refusalOf(limiter.acquire(user('bob'), { waitingTime: 5 }));
  const left = limiter.acquire(user('bob'), { signal: gone.signal });
  const next = limiter.acquire(user('bob'));
  gone.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect(await late).toEqual({ kind: 'unavailable', limit: 'test', retryAfter: 5 });
  await expect(limiter.acquire(user('bob'), { signal: gone.signal })).rejects.toThrow('gone');
  release();
  (await next)();
  expect(limiter.callers()).toEqual([]);
});

test('a place given back twice is one place', async () => {
  const limiter = concurrencyLimiter('test', { ...limits, total: 1 });
  const release = await limiter.acquire();
  release();
  release();
  await limiter.acquire();
  const second = limiter.acquire().then(() => 'taken');
  expect(await Promise.race([second, sleep(20, 'waiting')])).toBe('waiting');
});

test('whatever is taken and given back, no bound is exceeded and nobody is forgotten', async () => {
  const callers = [user('ada'), user('bob'), stranger('a'), stranger('b'), system];
  const step = fc.oneof(fc.record({ take: fc.nat(callers.length - 1) }), fc.record({ free: fc.nat(20) }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const limiter = concurrencyLimiter('test', { ...limits, waiting: 1_000 });
      const held: { caller: Caller; release: Release }[] = [];
      let expected = 0;
      const work: Promise<void>[] = [];
      for (const one of steps) {
        if ('take' in one) {
          const caller = callers[one.take] ?? system;
          expected++;
          work.push(limiter.acquire(caller).then((release) => void held.push({ caller, release })));
        } else {
          const [freed] = held.splice(one.free % Math.max(1, held.length), 1);
          freed?.release();
          if (freed) expected--;
        }
        await Promise.resolve();
        await Promise.resolve();
        const of = (matches: (caller: Caller) => boolean) => held.filter(({ caller }) => matches(caller)).length;
        expect(held.length).toBeLessThanOrEqual(limits.total);
        expect(of(({ kind }) => kind === 'anonymous')).toBeLessThanOrEqual(limits.anonymous);
        for (const caller of callers) expect(of(({ key }) => key === caller.key)).toBeLessThanOrEqual(limits.perCaller);
        expect(limiter.running + limiter.waiting).toBe(expected);
      }
      while (limiter.running > 0) {
        held.shift()?.release();
        await sleep(0);
      }
      await Promise.all(work);
      expect(limiter.waiting).toBe(0);
    }),
    { numRuns: 100 },
  );
});

test('who takes many places waits until they are free, and those behind it enter when it gives up', async () => {
  const limiter = concurrencyLimiter('test.bytes', { ...limits, total: 100, perCaller: 60, anonymous: 30 });
  const release = await limiter.acquire(user('ada'), { slots: 50 });
  const gone = new AbortController();
  const large = limiter.acquire(user('ada'), { slots: 40, signal: gone.signal });
  const small = limiter.acquire(user('ada'), { slots: 10 });
  expect({ running: limiter.running, waiting: limiter.waiting }).toEqual({ running: 50, waiting: 2 });
  await limiter.acquire(user('bob'), { slots: 40 });
  gone.abort(new Error('gone'));
  await expect(large).rejects.toThrow('gone');
  await small;
  expect(limiter.running).toBe(100);
  release();
  expect(limiter.running).toBe(50);
});

test('who wants more places than its share gets its share', async () => {
  const limiter = concurrencyLimiter('test.bytes', { ...limits, total: 100, perCaller: 60, anonymous: 30 });
  const [one, other] = [
    await limiter.acquire(user('ada'), { slots: 1_000 }),
    await limiter.acquire(stranger('a'), { slots: 1_000 }),
  ];
  expect(limiter.running).toBe(90);
  for (const release of [one, other, one]) release();
  expect(limiter.running).toBe(0);
});

test('one caller may have more than its share while enough places stay free for others', async () => {
  const limiter = concurrencyLimiter('test.spare', { ...limits, total: 10, perCaller: 2, spare: 4, anonymous: 3 });
  const ada: Caller = { kind: 'signed_in', key: 'account:1' };
  const bob: Caller = { kind: 'signed_in', key: 'account:2' };
  const taken = Array.from({ length: 7 }, () => limiter.tryAcquire(ada));
  expect(taken.filter(Boolean)).toHaveLength(6);
  expect([limiter.tryAcquire(bob), limiter.tryAcquire(bob), limiter.tryAcquire(bob)].filter(Boolean)).toHaveLength(2);
  // Who isn't signed in gets no more than its share.
  const strangers = concurrencyLimiter('test.spare', { ...limits, total: 10, perCaller: 2, spare: 4, anonymous: 3 });
  const stranger: Caller = { kind: 'anonymous', key: 'address:::1' };
  expect(Array.from({ length: 7 }, () => strangers.tryAcquire(stranger)).filter(Boolean)).toHaveLength(2);
});

test('callers of one share hold and wait together, as one caller', async () => {
  const limiter = concurrencyLimiter('test', { ...limits, waiting: 1 });
  const owned = (name: string): Caller => ({ ...user(name), share: 'account:ada' });
  await Promise.all([limiter.acquire(owned('runner')), limiter.acquire(user('ada'))]);
  void limiter.acquire(owned('app')).catch(() => undefined);
  expect(limiter.callers()).toEqual([{ key: 'account:ada', running: 2, waiting: 1 }]);
  expect(await refusalOf(limiter.acquire(owned('key')))).toMatchObject({ kind: 'too_many' });
  await limiter.acquire(user('bob'));
  expect(limiter.running).toBe(3);
});
