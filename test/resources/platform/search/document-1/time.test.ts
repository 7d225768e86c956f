import { beforeAll, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { inGoodTime } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';

const budget = 1;
const w = await world({ searchBudget: budget, embeddings: { provider: 'builtin' } });
let ada: Account;

beforeAll(async () => {
  ada = await w.user('ada');
  const engine = await w.repo(ada, { name: 'engine-widget' });
  await commitFiles(w, engine, { 'a.ts': 'const widget = 1;\n' }, 'Add a widget');
  await (await w.as(ada)).post('/repos/ada/engine-widget/issues', { title: 'The widget', body: 'It squeaks' });
  await w.settle();
});

test.each([
  'code?q=widget',
  'code?q="const+widget"',
  'commits?q=widget',
  'commits?q="a+widget"',
  'issues?q=widget',
  'issues?q="the+widget"',
  'issues?q=(widget+OR+label:x)&advanced_search=true',
  'issues?q=widget&search_type=semantic',
  'issues?q=widget&search_type=hybrid',
  'repositories?q=widget',
  'repositories?q="engine+widget"',
])('rule 7: %s, which exceeds the time limit, returns what was found before it, and says so', async (target) => {
  const client = await w.as(ada);
  const headers = { accept: 'application/vnd.service.text-match+json' };
  const { status, body } = await inGoodTime(1_000, () => client.get(`/search/${target}`, { headers }));
  expect([status, body.incomplete_results]).toEqual([200, true]);
  expect(body.items.length).toBeLessThanOrEqual(1);
  expect(body.total_count).toBeGreaterThanOrEqual(body.items.length);
});
