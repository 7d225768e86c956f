import pg from 'pg';
import { expect, test } from 'vitest';
import { commitFiles } from '#test/support/commit.ts';
import { waitsForLock } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';

const budget = 3_000;
// All of them are let in, so that they meet at the database.
const resourceLimits = { requests: { concurrent: 60, concurrentPerCaller: 50 } };
const w = await world({ searchBudget: budget, connections: 4, resourceLimits });

test('many slow searches at once end in their time, and hold nobody else up', async () => {
  const ada = await w.user('ada');
  await commitFiles(w, await w.repo(ada, { name: 'engine' }), { 'a.ts': 'const widget = 1;\n' });
  await w.settle();
  const headers = { authorization: `Bearer ${await w.token(ada)}` };
  const others = { authorization: `Bearer ${await w.token(await w.user('bob'))}` };
  const answered: string[] = [];
  const ask = async (path: string, as = headers) => {
    const { statusCode, body } = await w.hearth.app.inject({ url: `/api/v3${path}`, headers: as });
    answered.push(path);
    return { status: statusCode, body: JSON.parse(body) };
  };
  await ask('/search/code?q=widget');
  // Whoever reads the files waits for this.
  const holder = new pg.Client(w.hearth.database.clientConfig);
  await holder.connect();
  await holder.query('begin; lock table code_files in access exclusive mode');
  const start = performance.now();
  answered.length = 0;
  const searches = Array.from({ length: 40 }, () => ask('/search/code?q=widget'));
  await waitsForLock(w.hearth.worker.database.db, 'code_files');
  for (const path of ['/user', '/repos/ada/engine']) expect((await ask(path, others)).status).toBe(200);
  expect(answered).toEqual(['/user', '/repos/ada/engine']);
  for (const { status, body } of await Promise.all(searches)) expect([status, body.incomplete_results]).toEqual([200, true]);
  // Two at a time, each with the whole of it, would have taken a minute.
  expect(performance.now() - start).toBeLessThan(5 * budget);
  expect(await ask('/search/repositories?q=nothing')).toMatchObject({ status: 200, body: { incomplete_results: false } });
  await holder.query('rollback');
  await holder.end();
  expect((await ask('/search/code?q=widget')).body).toMatchObject({ total_count: 1, incomplete_results: false });
});
