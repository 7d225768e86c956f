import { expect, test } from 'vitest';
import { fresh, world } from '#test/support/world.ts';

const w = await world();

test.each([
  'dependency_graph_autosubmit_action',
  'dependency_bot_delegated_alert_dismissal',
  'code_scanning_default_setup',
  'code_scanning_delegated_alert_dismissal',
  'secret_scanning_delegated_bypass',
  'secret_scanning_validity_checks',
  'secret_scanning_generic_secrets',
  'secret_scanning_delegated_alert_dismissal',
  'secret_scanning_extended_metadata',
])('a configuration can not enable %s', async (product) => {
  const owner = await w.user();
  const client = await w.as(owner);
  const { login } = await w.org(owner);
  const path = `/orgs/${login}/code-security/configurations`;
  const refused = { status: 422, body: { errors: [{ field: product, code: 'invalid' }] } };
  await w.unchanged(['security_configurations', 'events'], async () => {
    expect(await client.post(path, { name: fresh('rules'), description: 'x', [product]: 'enabled' })).toMatchObject(refused);
  });
  expect((await client.post(path, { name: fresh('rules'), description: 'x', [product]: 'disabled' })).status).toBe(201);
});

test('a configuration turns private vulnerability reporting on in its repositories', async () => {
  const owner = await w.user();
  const client = await w.as(owner);
  const org = await w.org(owner);
  const repo = await w.repo(org, { by: owner });
  const path = `/orgs/${org.login}/code-security/configurations`;
  const wanted = { name: fresh('rules'), description: 'x', private_vulnerability_reporting: 'enabled' };
  const { body } = await client.post(path, wanted);
  await client.post(`${path}/${body.id}/attach`, { scope: 'all' });
  await w.settle();
  const reporting = await client.get(`/repos/${org.login}/${repo.name}/private-vulnerability-reporting`);
  expect(reporting.body).toEqual({ enabled: true });
});
