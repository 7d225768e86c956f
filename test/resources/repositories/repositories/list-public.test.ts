import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { everyPage } from '#test/support/pages.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const ada = await w.user('ada');
const org = await w.org(ada, 'acme');
const shown = [await w.repo(ada, { name: 'one' })];
await w.repo(ada, { name: 'secret', visibility: 'private' });
await w.repo(org, { name: 'ours', visibility: 'internal', by: ada });
shown.push(await w.repo(org, { name: 'two', by: ada }), await w.repo(ada, { name: 'three' }));

test.each([['nobody', undefined] as const, ['their owner', ada] as const])(
  'public repositories in the order in which they came, and no others, to %s',
  async (_, who) => {
    const client = await w.as(who);
    const { status, body } = await client.get('/repositories');
    expect(status).toBe(200);
    expect(body.map(({ full_name }: { full_name: string }) => full_name)).toEqual(['ada/one', 'acme/two', 'ada/three']);
    expect(await everyPage(client, '/repositories?per_page=1')).toEqual(body);
  },
);

test('a page leads to the next by the id of its last repository', async () => {
  const { headers } = await (await w.as(undefined)).get('/repositories?per_page=2');
  expect(headers.link).toBe(`<${w.url}/api/v3/repositories?per_page=2&since=${shown[1]?.id}>; rel="next"`);
});

test('it takes as many statements for one repository as for many', async () => {
  expect(await w.statements(ada, '/repositories?per_page=1')).toBe(await w.statements(ada, '/repositories'));
});

test('private repositories between the public ones are passed over without being read', async () => {
  const plan = await w.change(async (scope) => {
    await sql`set local enable_seqscan = off`.execute(scope.tx);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain select * from repositories where visibility = 'public' and id > 0 order by id limit 31`.execute(scope.tx);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('using repositories_public');
});
