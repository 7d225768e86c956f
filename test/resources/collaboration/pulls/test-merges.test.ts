import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { pullSetting } from './setting.ts';

const w = await world({ resourceLimits: { mergeTests: { perPush: 2 } } });

test('a push to the base of many pull requests tests those that changed last, and the others once some seconds later', async () => {
  const { client, base, commit, open } = await pullSetting(w);
  // Jobs are due by the clock of the database.
  w.clock.now = new Date(Date.now() + 3_600_000);
  for (const name of ['one', 'two', 'three', 'four']) {
    await commit(name, { [`${name}.txt`]: name });
    await open(name);
    w.clock.now = new Date(w.clock.now.getTime() + 1_000);
  }
  await w.settle();
  const mergeable = async () => {
    const pulls = await Promise.all([1, 2, 3, 4].map((number) => client.get(`${base}/pulls/${number}`)));
    return pulls.map(({ body }) => body.mergeable);
  };
  expect(await mergeable()).toEqual([true, true, true, true]);
  await client.patch(`${base}/pulls/1`, { title: 'Changed last' });
  await commit('main', { 'm.txt': '1' });
  await w.settle();
  expect(await mergeable()).toEqual([true, null, null, true]);
  await commit('main', { 'm.txt': '2', 'two.txt': 'other' });
  await w.settle();
  expect(await mergeable()).toEqual([true, null, null, true]);
  const { numAffectedRows } = await sql`update jobs._private_jobs set run_at = now()
    where task_id = (select id from jobs._private_tasks where identifier = 'pulls.test-others')`.execute(w.db);
  expect(numAffectedRows).toBe(1n);
  await w.settle();
  expect(await mergeable()).toEqual([true, false, true, true]);
});
