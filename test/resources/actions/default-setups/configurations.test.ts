import { expect, test } from 'vitest';
import { fresh, world } from '#test/support/world.ts';
import { analysersFile, makeAnalysers, setupSetting } from './setting.ts';

const w = await world({ analysers: await analysersFile() });
await makeAnalysers(w);

async function setting() {
  const one = await setupSetting(w);
  const other = await setupSetting(w, { org: one.org, owner: one.owner });
  const at = `/orgs/${one.org.login}/code-security/configurations`;
  const configure = async (wanted: object) => {
    const { status, body } = await one.client.post(at, { name: fresh('rules'), description: 'x', ...wanted });
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  };
  const attach = async ({ id }: { id: number }, repositories = [one.repo.id]) => {
    const wanted = { scope: 'selected', selected_repository_ids: repositories };
    expect((await one.client.post(`${at}/${id}/attach`, wanted)).status).toBe(202);
    await w.settle();
  };
  const setupOf = async ({ at }: { at: string }) => (await one.client.get(at)).body;
  const statusOf = async ({ base }: { base: string }) =>
    (await one.client.get(`${base}/code-security-configuration`)).body?.status;
  return { ...one, one, other, configurations: at, make: configure, attach, setupOf, statusOf };
}

const enabled = { code_scanning_default_setup: 'enabled' };

test('a configuration turns the default setup of its repositories on, with its runner, and enforces it', async () => {
  const { client, one, other, make, attach, setupOf, statusOf } = await setting();
  const options = { runner_type: 'labeled', runner_label: 'scans' };
  const made = await make({ ...enabled, code_scanning_default_setup_options: options });
  expect(made).toMatchObject({ ...enabled, code_scanning_default_setup_options: options });
  await attach(made);
  expect(await setupOf(one)).toMatchObject({ state: 'configured', ...options, languages: ['python'] });
  expect(await setupOf(other)).toMatchObject({ state: 'not-configured' });
  expect(await one.runs()).toMatchObject([{ name: 'Code scanning', display_title: 'Code scanning: new setup, main' }]);
  expect(await statusOf(one)).toBe('enforced');
  const enforcedMessage = 'of the default setup is enforced by the code security configuration of the organization.';
  await w.unchanged(['default_setups', 'workflow_runs'], async () => {
    for (const [name, wanted] of [
      ['state', { state: 'not-configured' }],
      ['runner_type', { runner_type: 'standard' }],
      ['runner_label', { runner_label: 'others' }],
    ] as const)
      expect(await client.patch(one.at, wanted)).toMatchObject({
        status: 422,
        body: { message: `The ${name} ${enforcedMessage}` },
      });
  });
  expect((await client.patch(one.at, { query_suite: 'extended' })).status).toBe(202);
});

test('an enforced configuration turns the setup off, and one that is not enforced leaves it', async () => {
  const { client, one, other, make, attach, setupOf, statusOf } = await setting();
  for (const { configure } of [one, other]) expect((await configure()).status).toBe(202);
  await attach(await make({ code_scanning_default_setup: 'disabled', enforcement: 'unenforced' }), [other.repo.id]);
  await attach(await make({ code_scanning_default_setup: 'disabled' }));
  expect(await setupOf(other)).toMatchObject({ state: 'configured' });
  expect(await statusOf(other)).toBe('attached');
  expect(await setupOf(one)).toMatchObject({ state: 'not-configured' });
  expect(await client.patch(one.at, { state: 'configured' })).toMatchObject({ status: 422 });
  await attach(await make({ code_scanning_default_setup: 'not_set' }));
  expect((await client.patch(one.at, { state: 'configured' })).status).toBe(202);
});

test('a repository that turns off what a configuration wants leaves it, where that is not enforced', async () => {
  const { client, one, make, attach, statusOf } = await setting();
  await attach(await make({ ...enabled, enforcement: 'unenforced' }));
  expect(await statusOf(one)).toBe('attached');
  expect((await client.patch(one.at, { query_suite: 'extended' })).status).toBe(202);
  await w.settle();
  expect(await statusOf(one)).toBe('attached');
  expect((await client.patch(one.at, { state: 'not-configured' })).status).toBe(200);
  await w.settle();
  expect(await statusOf(one)).toBe('removed');
});

test('a repository without a language that has an analyser is set up all the same, and analysed when it gets one', async () => {
  const { client, org, owner, make, attach } = await setting();
  const empty = await setupSetting(w, { files: {}, org, owner });
  await attach(await make(enabled), [empty.repo.id]);
  expect((await client.get(empty.at)).body).toMatchObject({ state: 'configured', languages: [] });
  expect(await empty.runs()).toEqual([]);
  expect((await client.put(`${empty.base}/contents/a.py`, { message: 'First', content: 'eA==' })).status).toBe(201);
  expect(await empty.runs()).toMatchObject([{ display_title: 'Code scanning: push to main' }]);
  expect((await client.get(empty.at)).body).toMatchObject({ languages: ['python'] });
});

test('what products a new configuration does not name, it disables; labels need labeled runners', async () => {
  const { client, configurations, make } = await setting();
  expect(await make({})).toMatchObject({ code_scanning_default_setup: 'disabled' });
  await w.unchanged(['security_configurations'], async () => {
    const refused = async (options: object) =>
      (await client.post(configurations, { name: 'Bad', ...enabled, code_scanning_default_setup_options: options })).body.errors;
    const field = 'code_scanning_default_setup_options.runner_label';
    expect(await refused({ runner_label: 'scans' })).toMatchObject([{ field, code: 'invalid' }]);
    expect(await refused({ runner_type: 'labeled', runner_label: ' ' })).toMatchObject([{ field, code: 'invalid' }]);
  });
});

test('the default setup is turned on and off in all repositories, but for those whose configuration says otherwise', async () => {
  const { client, org, one, other, make, attach, setupOf } = await setting();
  await attach(await make({ code_scanning_default_setup: 'disabled' }));
  const turn = async (enablement: string, wanted: object = {}) => {
    expect((await client.post(`/orgs/${org.login}/code_scanning_default_setup/${enablement}`, wanted)).status).toBe(204);
    await w.settle();
  };
  await turn('enable_all', { query_suite: 'extended' });
  expect(await setupOf(one)).toMatchObject({ state: 'not-configured' });
  expect(await setupOf(other)).toMatchObject({ state: 'configured', query_suite: 'extended' });
  expect(await other.runs()).toHaveLength(1);
  await turn('disable_all');
  expect(await setupOf(other)).toMatchObject({ state: 'not-configured' });
});
