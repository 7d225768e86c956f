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

test.each([
  ['advanced_security', { advanced_security: 'enabled' }, { advanced_security: 'disabled' }],
  ['advanced_security', { advanced_security: 'secret_protection' }, { advanced_security: 'disabled' }],
  ['code_security', { code_security: 'enabled' }, { code_security: 'not_set' }],
  ['secret_protection', { secret_protection: 'enabled' }, { secret_protection: 'disabled' }],
  [
    'dependency_graph_autosubmit_action_options.labeled_runners',
    { dependency_graph_autosubmit_action_options: { labeled_runners: true } },
    { dependency_graph_autosubmit_action_options: { labeled_runners: false } },
  ],
  [
    'code_scanning_default_setup_options.runner_type',
    { code_scanning_default_setup_options: { runner_type: 'labeled' } },
    { code_scanning_default_setup_options: { runner_type: 'not_set' } },
  ],
  [
    'code_scanning_default_setup_options.runner_label',
    { code_scanning_default_setup_options: { runner_label: 'big' } },
    { code_scanning_default_setup_options: { runner_label: null } },
  ],
])('a configuration can not set %s as in %o, and may say that it is not', async (field, refused, taken) => {
  const owner = await w.user();
  const client = await w.as(owner);
  const { login } = await w.org(owner);
  const path = `/orgs/${login}/code-security/configurations`;
  const made = await client.post(path, { name: fresh('rules'), description: 'x', ...taken });
  expect(made).toMatchObject({ status: 201, body: { advanced_security: 'disabled' } });
  await w.unchanged(['security_configurations', 'events'], async () => {
    const errors = [{ field, code: 'invalid' }];
    const wanted = { name: fresh('rules'), description: 'x', ...refused };
    expect(await client.post(path, wanted)).toMatchObject({ status: 422, body: { errors } });
    expect(await client.patch(`${path}/${made.body.id}`, refused)).toMatchObject({ status: 422, body: { errors } });
  });
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

test('a configuration can not name who reviews bypasses', async () => {
  const owner = await w.user();
  const client = await w.as(owner);
  const path = `/orgs/${(await w.org(owner)).login}/code-security/configurations`;
  const configure = (reviewers: object[]) =>
    client.post(path, { name: fresh('rules'), description: 'x', secret_scanning_delegated_bypass_options: { reviewers } });
  const field = 'secret_scanning_delegated_bypass_options.reviewers';
  await w.unchanged(['security_configurations', 'events'], async () => {
    const wanted = [{ reviewer_id: 1, reviewer_type: 'TEAM', mode: 'ALWAYS' }];
    expect(await configure(wanted)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });
  expect((await configure([])).status).toBe(201);
});
