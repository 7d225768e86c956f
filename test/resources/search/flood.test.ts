import pg from 'pg';
import { expect, test } from 'vitest';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const budget = 500;
const w = await world({ searchBudget: budget, connections: 4 });

test('many slow searches at once end in their time, and hold nobody else up', async () => {
  const ada = await w.user('ada');
  await commitFiles(w, await w.repo(ada, { name: 'engine' }), { 'a.ts': 'const widget = 1;\n' });
  await w.settle();
  const headers = { authorization: `Bearer ${await w.token(ada)}` };
  const ask = async (path: string) => {
    const start = performance.now();
    const { statusCode, body } = await w.hearth.app.inject({ url: `/api/v3${path}`, headers });
    return { status: statusCode, ms: performance.now() - start, body };
  };
  await ask('/search/code?q=widget');
  // Whoever reads the files waits for this.
  const holder = new pg.Client(w.hearth.database.clientConfig);
  await holder.connect();
  await holder.query('begin; lock table code_files in access exclusive mode');
  const searches = Array.from({ length: 40 }, () => ask('/search/code?q=widget'));
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (const { status, ms } of [
    await ask('/user'),
    await ask('/repos/ada/engine'),
    await ask('/search/repositories?q=nothing'),
  ]) {
    expect(status).toBe(200);
    expect(ms).toBeLessThan(budget);
  }
  for (const { status, ms, body } of await Promise.all(searches)) {
    expect([status, JSON.parse(body).incomplete_results]).toEqual([200, true]);
    expect(ms).toBeLessThan(budget + 1_000);
  }
  await holder.query('rollback');
  await holder.end();
  expect(JSON.parse((await ask('/search/code?q=widget')).body)).toMatchObject({ total_count: 1, incomplete_results: false });
});
