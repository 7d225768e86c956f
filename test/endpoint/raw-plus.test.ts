import { expect, test } from 'vitest';
import { parseQuery } from '#endpoint/validate.ts';
import { allEndpoints } from '#resources/all.ts';
import { world } from '#test/support/world.ts';

const { as, user, repo } = await world();

type Properties = { properties?: Record<string, { enum?: readonly string[] }> };

/** Every value of a closed set that holds a plus, with the query that takes it. */
const values = allEndpoints.flatMap(({ id, query }) =>
  Object.entries((query as Properties | undefined)?.properties ?? {}).flatMap(([name, schema]) =>
    (schema.enum ?? []).flatMap((value) => (query && value.includes('+') ? [[id, name, value, query] as const] : [])),
  ),
);

test.each(values)('%s understands %s=%s though its plus is a blank after decoding', (_id, name, value, query) => {
  const parse = (text: string) => parseQuery(query, Object.fromEntries(new URLSearchParams(`${name}=${text}`)), 'Thing');
  expect(parse(value)).toMatchObject({ [name]: value });
  expect(parse(value)).toEqual(parse(encodeURIComponent(value)));
});

test('a search and a list of reactions take a raw plus', async () => {
  const owner = await user();
  const { name } = await repo(owner);
  const client = await as(owner);
  const issues = `/repos/${owner.login}/${name}/issues`;
  const issue = `${issues}/${(await client.post(issues, { title: 'It leaks' })).body.number}`;
  await client.post(`${issue}/reactions`, { content: '+1' });
  expect((await client.get(`${issue}/reactions?content=+1`)).body).toHaveLength(1);
  expect((await client.get(`${issue}/reactions?content=-1`)).body).toEqual([]);
  expect((await client.get(`${issue}/reactions?content=+2`)).status).toBe(422);
  expect((await client.get(`/search/issues?q=leaks+repo:${owner.login}/${name}&sort=reactions-+1`)).status).toBe(200);
});
