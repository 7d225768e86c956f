import { expect, test } from 'vitest';
import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import { explainQueue } from '#resources/collaboration/merge-queues/index.ts';
import { explainPush } from '#server/explain-push.ts';
import { world } from '#test/support/world.ts';
import { queueSetting } from './setting.ts';

const w = await world();
const scope = () => scopeWithoutRequest({ db: w.db, services: w.hearth.services, now: w.clock.now });

test('what each entry of a queue waits for is explained, and nothing is stored', async () => {
  const parameters = { max_entries_to_build: 3 };
  const { client, base, repo, ruleset, ready, enqueue, entry, report, check } = await queueSetting(w, {
    rules: [{ parameters }],
  });
  const explained = () => explainQueue(scope(), repo, 'main');
  expect(await explained()).toEqual({ isDemanded: true, steps: [], waits: false, message: 'the queue has no entries' });
  const numbers: number[] = [];
  for (const name of ['one', 'two', 'three', 'four', 'five']) numbers.push((await ready(name)).number);
  const [one = 0, two = 0, three = 0, four = 0, five = 0] = numbers;
  for (const number of numbers) await enqueue(number);
  expect((await explained()).message).toBe(`next, the group of #${one} is made`);
  await w.settle();
  await check(two, 'success');
  await check(three, 'failure');
  const { merge_group: group } = await entry(one);
  const expected = 'Required status check "test" is expected.';
  expect(await explained()).toEqual({
    isDemanded: true,
    waits: true,
    message: 'the queue waits',
    steps: [
      {
        check: `#${one}`,
        passed: false,
        because: `waits for checks of ${group.head_sha} until 2026-01-01T00:10:00Z: ${expected}`,
      },
      { check: `#${two}`, passed: true, because: `its checks have passed; it waits for #${one}, which comes before it` },
      {
        check: `#${three}`,
        passed: false,
        because:
          'its checks failed, and it leaves the queue once all before it have passed: Required status check "test" is failing.',
      },
      // It got its group when the second one had passed.
      { check: `#${four}`, passed: false, because: expect.stringContaining('waits for checks of') },
      { check: `#${five}`, passed: false, because: `waits until #${three}, whose checks failed, has left the queue` },
    ],
  });
  await report(group.head_sha, 'success');
  await w.unchanged(['merge_queue_entries'], async () => {
    expect((await explained()).message).toBe('next, 2 entries are merged');
  });
  await client.patch(`${base}/pulls/${one}`, { state: 'closed' });
  expect((await explained()).steps[0]?.because).toBe('leaves the queue: The pull request was closed.');
  await client.put(`${base}/rulesets/${ruleset.id}`, { enforcement: 'disabled' });
  expect(await explained()).toMatchObject({ isDemanded: false, message: `next, #${one} leaves the queue` });
});

test('who waits for others to be merged with, or for a smaller queue, reads that', async () => {
  const parameters = { max_entries_to_build: 1, min_entries_to_merge: 2, min_entries_to_merge_wait_minutes: 5 };
  const { repo, ready, enqueue, check } = await queueSetting(w, { rules: [{ parameters }] });
  const { number: one } = await ready('one');
  await enqueue(one);
  await w.settle();
  await check(one, 'success');
  const { number: two } = await ready('two');
  const { number: three } = await ready('three');
  for (const number of [two, three]) await enqueue(number);
  await w.settle();
  expect((await explainQueue(scope(), repo, 'main')).steps.map(({ because }) => because)).toEqual([
    'its checks have passed; it waits until 2026-01-01T00:05:00Z for 2 entries to be merged together',
    expect.stringContaining('waits for checks of'),
    'waits until fewer groups wait for checks: there are 1, and the rule allows 1',
  ]);
});

test('a push past the queue is explained by the rule that demands it', async () => {
  const { ada, owner, repo } = await queueSetting(w);
  const authorization = `Bearer ${await w.token(ada)}`;
  const given = { db: w.db, services: w.hearth.services, authorization, owner: owner.login, name: repo.name };
  expect(await explainPush({ ...given, ref: 'main', to: undefined, now: w.clock.now })).toMatchObject({
    allowed: false,
    steps: [
      { check: 'access', passed: true },
      { check: 'merge_queue, ruleset "Queue"', passed: false, because: 'Changes must be made through the merge queue.' },
      { check: 'required_status_checks, ruleset "Queue"', passed: false },
    ],
  });
});
