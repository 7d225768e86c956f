import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextTime, type Schedule } from '#resources/security/dependency-bot/config/schedule.ts';

const base: Schedule = { interval: 'daily', day: 'monday', time: '09:30', timezone: 'UTC', cron: undefined };
const after = new Date('2026-03-06T12:00:00Z'); // a Friday
const next = (more: Partial<Schedule>, from = after): string | undefined =>
  nextTime({ ...base, ...more }, from, '1')?.toISOString();

test.each<[Partial<Schedule>, string]>([
  [{}, '2026-03-09T09:30:00.000Z'],
  [{ interval: 'weekly' }, '2026-03-09T09:30:00.000Z'],
  [{ interval: 'weekly', day: 'sunday' }, '2026-03-08T09:30:00.000Z'],
  [{ interval: 'weekly', day: 'friday' }, '2026-03-13T09:30:00.000Z'],
  [{ interval: 'monthly' }, '2026-04-01T09:30:00.000Z'],
  [{ interval: 'quarterly' }, '2026-04-01T09:30:00.000Z'],
  [{ interval: 'semiannually' }, '2026-07-01T09:30:00.000Z'],
  [{ interval: 'yearly' }, '2027-01-01T09:30:00.000Z'],
  [{ interval: 'cron', cron: '0 6 * * 6' }, '2026-03-07T06:00:00.000Z'],
  [{ interval: 'daily', timezone: 'Asia/Tokyo' }, '2026-03-09T00:30:00.000Z'],
  [{ interval: 'daily', time: '9:05' }, '2026-03-09T09:05:00.000Z'],
  // The clocks of Zurich go forward on 29 March.
  [{ interval: 'monthly', timezone: 'Europe/Zurich' }, '2026-04-01T07:30:00.000Z'],
])('the next time of %j is %s', (more, time) => {
  expect(next(more)).toBe(time);
});

test('a line of cron runs once an hour at most', () => {
  const times: (string | undefined)[] = [next({ interval: 'cron', cron: '*/5 * * * *' })];
  times.push(next({ interval: 'cron', cron: '*/5 * * * *' }, new Date(times[0] ?? '')));
  expect(times).toEqual(['2026-03-06T13:00:00.000Z', '2026-03-06T14:00:00.000Z']);
});

test('a schedule that can’t be read has no time', () => {
  expect(next({ interval: 'cron', cron: 'x' })).toBeUndefined();
  expect(next({ timezone: 'Mars/Olympus' })).toBeUndefined();
});

test('without a time, repositories have times of their own, which stay', () => {
  const minutes = Array.from({ length: 2_000 }, (_, seed) => {
    const at = nextTime({ ...base, time: undefined }, after, String(seed));
    expect(nextTime({ ...base, time: undefined }, after, String(seed))).toEqual(at);
    return at ? at.getUTCHours() * 60 + at.getUTCMinutes() : -1;
  });
  const hours = Map.groupBy(minutes, (minute) => Math.floor(minute / 60));
  expect(hours.size).toBe(24);
  // 83 are expected in each hour.
  for (const [, some] of hours) expect(some.length).toBeLessThan(140);
});

test('the next time is always later, and the one after it is not the same', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('daily', 'weekly', 'monthly', 'quarterly', 'semiannually', 'yearly', 'cron'),
      fc.constantFrom('monday', 'saturday', 'sunday'),
      fc.option(fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 })), { nil: undefined }),
      fc.constantFrom('UTC', 'Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
      fc.constantFrom('* * * * *', '0 0 29 2 *', '15 3 * * *', '59 23 31 12 *'),
      fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
      fc.string(),
      (interval, day, clock, timezone, cron, from, seed) => {
        const time = clock?.map((part) => String(part).padStart(2, '0')).join(':');
        const schedule: Schedule = { interval, day, time, timezone, cron };
        const first = nextTime(schedule, from, seed);
        const second = first && nextTime(schedule, first, seed);
        expect(first?.getTime()).toBeGreaterThan(from.getTime());
        expect(second?.getTime()).toBeGreaterThan(first?.getTime() ?? 0);
      },
    ),
    { numRuns: 500 },
  );
});
