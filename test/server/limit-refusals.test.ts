import { expect, test } from 'vitest';
import { defaultLimits } from '#access/rate-limits.ts';
import { refusals } from '#cli/doctor/limits.ts';
import { addMinutes } from '#lib/time.ts';
import { openLimitRefusals } from '#server/limit-refusals.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world({ limits: { ...defaultLimits, core: 3, coreAnonymous: 2 } });
const { db, url, clock } = here;

const rows = () => db.selectFrom('limit_refusals').selectAll().orderBy('limit_name').orderBy('caller').execute();
const metric = async (name: string): Promise<string[]> =>
  (await (await fetch(`${url}/metrics`)).text()).split('\n').filter((line) => line.startsWith(name));

test('who is refused by a limit is counted, shown in metrics, stored by the hour, and named by doctor', async () => {
  expect(await refusals(here, clock.now)).toEqual({ check: 'limits', ok: true, detail: 'nobody exceeded them in the last day' });
  const ada = await here.user('ada');
  const client = await here.as(ada);
  for (let time = 0; time < 5; time++) await client.get('/user');
  for (let time = 0; time < 3; time++) await (await here.as(undefined)).get('/meta');
  expect(await metric('hearth_limit_refusals_total')).toEqual(['hearth_limit_refusals_total{limit="rateLimits.core"} 3']);
  await expect.poll(rows, { timeout: 20_000 }).toEqual([
    { hour: clock.now, limit_name: 'rateLimits.core', caller: `account:${ada.id}`, count: 2 },
    { hour: clock.now, limit_name: 'rateLimits.core', caller: 'address:127.0.0.1', count: 1 },
  ]);
  expect((await refusals(here, addMinutes(clock.now, 23 * 60))).detail).toBe(
    'ada: 2 by rateLimits.core; 127.0.0.1: 1 by rateLimits.core',
  );
  expect((await refusals(here, addMinutes(clock.now, 25 * 60))).detail).toBe('nobody exceeded them in the last day');
});

test('however many callers there are, few rows are stored, and none of the refusals is lost', async () => {
  await db.deleteFrom('limit_refusals').execute();
  const kept = openLimitRefusals({ db, log: here.hearth.worker.log, clock: () => clock.now }, () => undefined);
  const note = (key: string) => kept.note({ caller: { key, kind: 'anonymous' } } as never, 'git.commands');
  for (let batch = 0; batch < 6; batch++) {
    for (let caller = 0; caller < 1_000; caller++) note(fresh('address'));
    await kept.flush();
  }
  const stored = await rows();
  expect(stored.length).toBeLessThanOrEqual(1_210);
  expect(stored.reduce((sum, { count }) => sum + count, 0)).toBe(6_000);
  expect(stored.find(({ caller }) => caller === 'others')?.count).toBeGreaterThan(4_000);
});

test('refusals that could not be stored are stored later', async () => {
  await db.deleteFrom('limit_refusals').execute();
  const closed = new Error('no connection');
  let broken = true;
  const flaky = new Proxy(db, {
    get: (target, key) => {
      if (broken && key === 'transact') throw closed;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const kept = openLimitRefusals({ db: flaky, log: here.hearth.worker.log, clock: () => clock.now }, () => undefined);
  kept.note({ caller: { key: 'account:1', kind: 'signed_in' } } as never, 'git.commands');
  await kept.flush();
  expect(await rows()).toEqual([]);
  broken = false;
  await kept.flush();
  expect(await rows()).toMatchObject([{ caller: 'account:1', count: 1 }]);
});

test('apps and installations are named, and what is gone keeps its key', async () => {
  await db.deleteFrom('limit_refusals').execute();
  const names = ['account:999999', 'app:abc', 'address:2001:db8::/64', 'installation:1', 'account:99999999999999999999'];
  for (const caller of names)
    await db.insertInto('limit_refusals').values({ hour: clock.now, limit_name: 'git.push', caller, count: 1 }).execute();
  expect((await refusals(here, clock.now)).detail.split('; ').sort()).toEqual(
    ['2001:db8::/64', 'account:99999999999999999999', 'account:999999', 'app:abc', 'installation:1'].map(
      (name) => `${name}: 1 by git.push`,
    ),
  );
});

test('the event loop and every limiter are watched', async () => {
  const end = performance.now() + 300;
  while (performance.now() < end);
  const slowest = async () => Number((await metric('hearth_event_loop_delay_seconds{quantile="1"}'))[0]?.split(' ')[1]);
  await expect.poll(slowest).toBeGreaterThan(0.2);
  expect(await metric('hearth_event_loop_delay_seconds{')).toEqual(
    ['0.5', '0.99', '1'].map((quantile) =>
      expect.stringMatching(`^hearth_event_loop_delay_seconds\\{quantile="${quantile}"\\} [\\d.e-]+$`),
    ),
  );
  const places = await metric('hearth_limiter_places{');
  for (const limit of [
    'requests.concurrent',
    'git.commands',
    'git.transfers',
    'oauth.passwords',
    'oauth.keys',
    'search.concurrent',
  ])
    for (const state of ['running', 'waiting', 'callers'])
      expect(places).toContain(`hearth_limiter_places{limit="${limit}",state="${state}"} 0`);
});
