import { expect, test } from 'vitest';
import { parseBody } from '#endpoint/validate.ts';
import { allEndpoints } from '#resources/all.ts';
import { install, ownAppOf } from '#test/resources/repositories/apps/client.ts';
import { world } from '#test/support/world.ts';

/** Clients of typed languages write an absent body as `null`, as ghinstallation does when it asks for an installation's token. */

const opened = await world();
const { user, repo, as } = opened;
const owner = await user();

const withBody = allEndpoints.flatMap(({ id, body }) => (body ? [[id, body] as const] : []));
const parse = async (schema: (typeof withBody)[number][1], json?: null): Promise<unknown> =>
  parseBody(schema, json === null ? { value: null, size: 1, hasNul: false } : undefined, 'Thing').catch((error) => error.kind);

test.each(withBody)('%s reads null as it reads no body, or refuses both', async (_id, schema) => {
  const none = await parse(schema);
  expect(await parse(schema, null)).toEqual(none === 'invalid' ? 'bad_request' : none);
});

test('an app gets the token of an installation by the body null', async () => {
  const { client } = await ownAppOf(opened, owner);
  const path = `/app/installations/${await install(opened, owner)}/access_tokens`;
  expect((await client.post(path, 'null')).status).toBe(201);
});

test('an issue is locked, a collaborator is invited and a fork is made by the body null', async () => {
  const client = await as(owner);
  const { name } = await repo(owner);
  const base = `/repos/${owner.login}/${name}`;
  expect((await client.post(`${base}/issues`, { title: 'It leaks' })).status).toBe(201);
  expect((await client.put(`${base}/issues/1/lock`, 'null')).status).toBe(204);
  expect((await client.put(`${base}/collaborators/${(await user()).login}`, 'null')).status).toBe(201);
  const forker = await as(await user());
  expect((await forker.post(`${base}/forks`, 'null')).status).toBe(202);
});
