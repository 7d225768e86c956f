import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { advance } from '#resources/collaboration/merge-queues/advance.ts';
import { world } from '#test/support/world.ts';
import { queueSetting } from './setting.ts';

const w = await world({ resourceLimits: { mergeQueues: { evaluatedGroups: 2 } } });

/** The statements of each operation on a queue that has so many entries already. */
async function statementsWith(length: number, parameters: object) {
  const { ada, repo, base, ready, enqueue, entry, report } = await queueSetting(w, { rules: [{ parameters }] });
  const headers = { authorization: `Bearer ${await w.token(ada)}` };
  const count = async (method: 'GET' | 'PUT' | 'DELETE', path: string, status: number) => {
    const ask = () => w.hearth.app.inject({ method, url: `/api/v3${base}${path}`, headers });
    const { result, statements } = await countStatements(ask);
    expect(result.statusCode, result.payload).toBe(status);
    return statements.length;
  };
  const numbers: number[] = [];
  for (let at = 0; at < length; at++) {
    const { number } = await ready(`topic-${at}`);
    numbers.push(number);
    await enqueue(number);
  }
  const [first = 0] = numbers;
  const last = (await ready('last')).number;
  await w.settle();
  // What is remembered between requests is not counted.
  await count('GET', `/pulls/${first}/queue-entry`, 200);
  const requests = {
    enqueue: await count('PUT', `/pulls/${last}/queue-entry`, 201),
    view: await count('GET', `/pulls/${first}/queue-entry`, 200),
    list: await count('GET', '/merge-queues/main', 200),
    dequeue: await count('DELETE', `/pulls/${last}/queue-entry`, 204),
  };
  await w.settle();
  await report((await entry(first)).merge_group.head_sha, 'success');
  const key = { repository: repo.id, branch: 'main' };
  const { statements } = await countStatements(() => advance(w.jobContext(), key));
  expect(await entry(first)).toMatchObject({ state: 'merged' });
  const { statements: idle } = await countStatements(() => advance(w.jobContext(), key));
  return { ...requests, advance: statements.length, idle: idle.length };
}

test('a long queue takes no more statements than a short one', { timeout: 120_000 }, async () => {
  const parameters = { max_entries_to_build: 2, max_entries_to_merge: 1 };
  const short = await statementsWith(3, parameters);
  expect(await statementsWith(9, parameters)).toEqual(short);
  expect(short).toEqual({ enqueue: 20, view: 2, list: 4, dequeue: 3, advance: 63, idle: 13 });
});

test('of many groups that have not passed, those in front are evaluated, and the others once these have passed', async () => {
  const { ready, enqueue, entry, report } = await queueSetting(w, { rules: [{ parameters: { max_entries_to_build: 0 } }] });
  const numbers: number[] = [];
  for (const name of ['one', 'two', 'three', 'four']) numbers.push((await ready(name)).number);
  for (const number of numbers) await enqueue(number);
  await w.settle();
  const states = async () => (await Promise.all(numbers.map(entry))).map(({ state }) => state);
  expect(await states()).toEqual(Array(4).fill('awaiting_checks'));
  const [, second, third, last] = await Promise.all(numbers.map(entry));
  await report(last.merge_group.head_sha, 'success');
  await report(second.merge_group.head_sha, 'success');
  await w.settle();
  expect(await states()).toEqual(['awaiting_checks', 'mergeable', 'awaiting_checks', 'awaiting_checks']);
  await report(third.merge_group.head_sha, 'success');
  await w.settle();
  expect(await states()).toEqual(['awaiting_checks', 'mergeable', 'mergeable', 'mergeable']);
});
