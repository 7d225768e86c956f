import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

type Description = { operations: Record<string, { body: { properties: Record<string, { type: string }> } }> };
const text = readFileSync(new URL('../../../spec/public-description.json', import.meta.url), 'utf8');
const { operations } = JSON.parse(text) as Description;
const properties = Object.entries(operations['orgs/update']?.body.properties ?? {});
const flags = properties.filter(([, { type }]) => type === 'boolean').map(([name]) => name);

/** This product is no part of the server: its setting stays off. */
const missing = 'advanced_security_enabled_for_new_repositories';

test('every setting of the public description can be changed, is kept and is shown to owners alone', async () => {
  const { as, user, org } = await world({ vocabulary: 'github' });
  const owner = await user();
  const { login } = await org(owner);
  const client = await as(owner);
  expect(flags.length).toBeGreaterThan(15);

  for (const value of [true, false]) {
    const wanted = Object.fromEntries(flags.map((name) => [name, value && name !== missing]));
    expect(await client.patch(`/orgs/${login}`, wanted)).toMatchObject({ status: 200, body: wanted });
    expect((await client.get(`/orgs/${login}`)).body).toMatchObject(wanted);
  }
  const link = { secret_scanning_push_protection_custom_link: 'https://intranet.example/secrets' };
  expect(await client.patch(`/orgs/${login}`, link)).toMatchObject({ status: 200, body: link });
  const { body } = await (await as(await user())).get(`/orgs/${login}`);
  const settings = flags.filter((name) => !name.startsWith('has_'));
  expect(settings.filter((name) => name in body)).toEqual([]);
});

test('an owner changes an organization by the scope admin:org or repo, as in the public API, and by no other', async () => {
  const here = await world({ vocabulary: 'github' });
  const owner = await here.user();
  const { login } = await here.org(owner);
  const change = async (scope: 'admin:org' | 'repo' | 'write:org' | 'admin:org_hook') =>
    (await (await here.as(await here.token(owner, [scope]))).patch(`/orgs/${login}`, { company: scope })).status;

  expect([await change('admin:org'), await change('repo')]).toEqual([200, 200]);
  expect([await change('write:org'), await change('admin:org_hook')]).toEqual([403, 403]);
});
