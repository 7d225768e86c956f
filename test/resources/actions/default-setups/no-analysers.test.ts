import { expect, test } from 'vitest';
import { fresh, world } from '#test/support/world.ts';
import { setupSetting } from './setting.ts';

const w = await world();
const hint = 'The operator of the server names analysers by HEARTH_ANALYSERS.';

test.each([
  ['code-scanning/default-setup', { state: 'configured', query_suite: 'extended' }, { query_suite: 'extended' }],
  ['code-quality/setup', { state: 'configured', languages: ['go'] }, { languages: ['go'] }],
])('without analysers, %s is not configured, and refusals say what to configure', async (path, configured, other) => {
  const { client, base, owner } = await setupSetting(w);
  const at = `${base}/${path}`;
  const shown = { state: 'not-configured', languages: [], runner_type: null, schedule: null, updated_at: null };
  expect(await client.get(at)).toMatchObject({ status: 200, body: shown });
  const message = expect.stringContaining(`this server has no analyser of code for it. ${hint}`);
  for (const wanted of [configured, other])
    expect(await client.patch(at, wanted)).toMatchObject({ status: 422, body: { message } });
  expect((await client.patch(at, { state: 'sometimes' })).status).toBe(422);
  expect(await client.patch(at, { state: 'not-configured' })).toMatchObject({ status: 200, body: {} });
  expect(await client.get(at)).toMatchObject({ body: shown });
  expect(await w.statements(owner, at)).toBe(2);
});

test('without analysers, organizations are told, too', async () => {
  const { client, org } = await setupSetting(w);
  const field = 'code_scanning_default_setup';
  const wanted = { name: fresh('rules'), description: 'x', [field]: 'enabled' };
  const message = `${field} can't be set: this server has no analyser of code. ${hint}`;
  expect(await client.post(`/orgs/${org.login}/code-security/configurations`, wanted)).toMatchObject({
    status: 422,
    body: { errors: [{ field, message }] },
  });
  expect(await client.post(`/orgs/${org.login}/${field}/enable_all`)).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining(hint) },
  });
  expect((await client.post(`/orgs/${org.login}/${field}/disable_all`)).status).toBe(204);
});
