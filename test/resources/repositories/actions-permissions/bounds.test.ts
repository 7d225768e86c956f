import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { makeSetting, settingsTables } from './setting.ts';

const here = await world();

test('the defaults hold in an organization and in repositories, and users may go further in their own', async () => {
  const { client, ofOrg, ofCaches, of, engine, own, policy, put } = await makeSetting(here);
  const forks = {
    run_workflows_from_fork_pull_requests: false,
    send_write_tokens_to_workflows: false,
    send_secrets_and_variables: false,
    require_approval_for_fork_pr_workflows: true,
  };
  for (const [path, caches, maximum_allowed_days] of [
    [ofOrg, ofCaches, 400],
    [of(engine), of(engine, 'cache'), 90],
    [of(own), of(own, 'cache'), 400],
  ] as const) {
    const read = async (name: string) => (await client.get(`${path}/${name}`)).body;
    expect(await read('workflow')).toEqual({ default_workflow_permissions: 'read', can_approve_pull_request_reviews: false });
    expect(await read('artifact-and-log-retention')).toEqual({ days: 90, maximum_allowed_days });
    expect(await read('fork-pr-contributor-approval')).toEqual({ approval_policy: 'first_time_contributors' });
    expect(await read('fork-pr-workflows-private-repos')).toEqual(forks);
    expect((await client.get(`${caches}/retention-limit`)).body).toEqual({ max_cache_retention_days: 7 });
    expect((await client.get(`${caches}/storage-limit`)).body).toEqual({ max_cache_size_gb: 10 });
  }
  expect(await policy(engine)).toMatchObject({
    defaultTokenPermissions: 'read',
    canApprovePullRequests: false,
    retentionDays: 90,
    forkApproval: 'first_time_contributors',
    forkPrivate: { runs: false, writeTokens: false, secrets: false, requiresApproval: true },
    accessLevel: 'none',
    cacheRetentionDays: 7,
    cacheStorageBytes: 10 * 1024 ** 3,
  });
  await put(`${of(own)}/workflow`, { default_workflow_permissions: 'write', can_approve_pull_request_reviews: true });
  await put(`${of(own)}/artifact-and-log-retention`, { days: 400 });
  await put(`${of(own)}/fork-pr-workflows-private-repos`, {
    run_workflows_from_fork_pull_requests: true,
    send_secrets_and_variables: true,
    require_approval_for_fork_pr_workflows: false,
  });
  await put(`${of(own, 'cache')}/retention-limit`, { max_cache_retention_days: 365 });
  await put(`${of(own, 'cache')}/storage-limit`, { max_cache_size_gb: 10_000 });
  expect(await policy(own)).toMatchObject({
    defaultTokenPermissions: 'write',
    canApprovePullRequests: true,
    retentionDays: 400,
    forkPrivate: { runs: true, writeTokens: false, secrets: true, requiresApproval: false },
    cacheRetentionDays: 365,
    cacheStorageBytes: 10_000 * 1024 ** 3,
  });
});

/** A setting that an organization bounds: where it is, a value within a bound, the bound, and a value beyond it. */
const bounds = [
  ['permissions', 'workflow', 'default_workflow_permissions', { narrow: 'read', bound: 'read', wide: 'write', status: 409 }],
  ['permissions', 'workflow', 'can_approve_pull_request_reviews', { narrow: false, bound: false, wide: true, status: 409 }],
  ['permissions', 'artifact-and-log-retention', 'days', { narrow: 10, bound: 30, wide: 31, status: 422 }],
  ['cache', 'retention-limit', 'max_cache_retention_days', { narrow: 3, bound: 5, wide: 6, status: 400 }],
  ['cache', 'storage-limit', 'max_cache_size_gb', { narrow: 1, bound: 2, wide: 3, status: 400 }],
] as const;

test.each(bounds)('%s/%s: an organization bounds %s', async (what, name, field, { narrow, bound, wide, status }) => {
  const { client, ofOrg, ofCaches, of, engine, wheel, put } = await makeSetting(here);
  const organization = `${what === 'cache' ? ofCaches : ofOrg}/${name}`;
  const repository = `${of(engine, what)}/${name}`;
  const read = async (path: string) => (await client.get(path)).body[field];
  await put(organization, { [field]: wide });
  await put(repository, { [field]: wide });
  expect([await read(organization), await read(repository)]).toEqual([wide, wide]);
  // A bound that comes later holds, and what the repository said is kept.
  await put(organization, { [field]: bound });
  expect(await read(repository)).toBe(bound);
  await here.unchanged(settingsTables, async () => {
    const message = `The organization allows no such value of ${field}`;
    expect(await client.put(repository, { [field]: wide })).toMatchObject({ status, body: { message } });
  });
  await put(repository, { [field]: narrow });
  expect([await read(repository), await read(`${of(wheel, what)}/${name}`)]).toEqual([narrow, bound]);
});

test('a repository runs workflows of private forks as far as its organization lets it', async () => {
  const { client, ofOrg, of, engine, policy, put } = await makeSetting(here);
  const name = 'fork-pr-workflows-private-repos';
  const path = `${of(engine)}/${name}`;
  const refused = async (body: object, field: string) =>
    here.unchanged(settingsTables, async () => {
      const message = `The organization allows no such value of ${field}`;
      expect(await client.put(path, body)).toMatchObject({ status: 422, body: { message } });
    });
  await refused({ run_workflows_from_fork_pull_requests: true }, 'run_workflows_from_fork_pull_requests');
  await put(`${ofOrg}/${name}`, {
    run_workflows_from_fork_pull_requests: true,
    send_write_tokens_to_workflows: true,
    require_approval_for_fork_pr_workflows: true,
  });
  expect((await policy(engine)).forkPrivate).toEqual({ runs: true, writeTokens: true, secrets: false, requiresApproval: true });
  const runs = { run_workflows_from_fork_pull_requests: true };
  await refused({ ...runs, send_secrets_and_variables: true }, 'send_secrets_and_variables');
  await refused({ ...runs, require_approval_for_fork_pr_workflows: false }, 'require_approval_for_fork_pr_workflows');
  await put(path, { ...runs, send_write_tokens_to_workflows: false });
  expect((await policy(engine)).forkPrivate).toEqual({ runs: true, writeTokens: false, secrets: false, requiresApproval: true });
  await put(path, { run_workflows_from_fork_pull_requests: false, send_write_tokens_to_workflows: true });
  expect((await client.get(path)).body).toMatchObject({ send_write_tokens_to_workflows: true });
  expect((await policy(engine)).forkPrivate).toMatchObject({ runs: false, writeTokens: false });
});

test('a repository chooses whose pull requests wait for an approval; its organization says what holds without that', async () => {
  const { client, ofOrg, of, engine, wheel, policy, put } = await makeSetting(here);
  const name = 'fork-pr-contributor-approval';
  await put(`${ofOrg}/${name}`, { approval_policy: 'all_external_contributors' });
  await put(`${of(engine)}/${name}`, { approval_policy: 'first_time_contributors_new_to_service' });
  expect((await client.get(`${of(engine)}/${name}`)).body).toEqual({
    approval_policy: 'first_time_contributors_new_to_service',
  });
  expect((await policy(engine)).forkApproval).toBe('first_time_contributors_new_to_service');
  expect((await policy(wheel)).forkApproval).toBe('all_external_contributors');
});

test('the access to workflows of a private repository is for those of the same owner', async () => {
  const { client, owner, org, of, engine, wheel, own, policy, put } = await makeSetting(here);
  const path = `${of(engine)}/access`;
  expect((await client.get(path)).body).toEqual({ access_level: 'none' });
  await put(path, { access_level: 'organization' });
  expect((await client.get(path)).body).toEqual({ access_level: 'organization' });
  expect((await policy(engine)).accessLevel).toBe('organization');
  await put(`${of(own)}/access`, { access_level: 'user' });
  expect((await policy(own)).accessLevel).toBe('user');
  await here.unchanged(settingsTables, async () => {
    const errors = [{ resource: 'WorkflowAccess', field: 'access_level', code: 'invalid' }];
    expect(await client.put(path, { access_level: 'user' })).toMatchObject({ status: 422, body: { errors } });
    expect(await client.put(`${of(own)}/access`, { access_level: 'organization' })).toMatchObject({ status: 422 });
    expect((await client.put(`${of(wheel)}/access`, { access_level: 'none' })).status).toBe(422);
    expect((await client.get(`${of(wheel)}/access`)).status).toBe(422);
  });
  // A level for the repositories of a user means nothing in an organization.
  expect((await client.post(`/repos/${owner.login}/${own.name}/transfer`, { new_owner: org.login })).status).toBe(202);
  expect((await policy({ ...own, owner_id: org.id })).accessLevel).toBe('none');
});

test.each([
  ['artifact-and-log-retention', { days: 0 }],
  ['artifact-and-log-retention', { days: 401 }],
  ['artifact-and-log-retention', {}],
  ['workflow', { default_workflow_permissions: 'admin' }],
  ['fork-pr-contributor-approval', { approval_policy: 'nobody' }],
  ['fork-pr-workflows-private-repos', { send_secrets_and_variables: true }],
  ['self-hosted-runners', { enabled_repositories: 'private' }],
  ['../cache/retention-limit', { max_cache_retention_days: 366 }],
  ['../cache/storage-limit', { max_cache_size_gb: 0 }],
] as const)('%s refuses %o', async (name, body) => {
  const { client, ofOrg, ofCaches } = await makeSetting(here);
  await here.unchanged(settingsTables, async () => {
    const path = name.startsWith('..') ? name.replace('../cache', ofCaches) : `${ofOrg}/${name}`;
    expect((await client.put(path, body)).status).toBe(422);
  });
});

test('a body that says nothing changes nothing', async () => {
  const { ofOrg, ofCaches, of, engine, put } = await makeSetting(here);
  await put(ofOrg, { enabled_repositories: 'all', allowed_actions: 'selected' });
  await here.unchanged(settingsTables, async () => {
    for (const path of [`${ofOrg}/workflow`, `${ofCaches}/storage-limit`, `${of(engine)}/selected-actions`]) await put(path, {});
  });
});

test('who reads a repository sees how much its caches may take, and no more of these settings', async () => {
  const { org, engine, of } = await makeSetting(here);
  const reader = await here.user();
  await here.collaborator(engine, reader, 'read');
  const client = await here.as(reader);
  expect((await client.get(`${of(engine, 'cache')}/storage-limit`)).body).toEqual({ max_cache_size_gb: 10 });
  expect((await client.get(`${of(engine, 'cache')}/retention-limit`)).status).toBe(404);
  expect((await client.put(`${of(engine, 'cache')}/storage-limit`, { max_cache_size_gb: 1 })).status).toBe(403);
  expect((await client.get(`/organizations/${org.login}/actions/cache/storage-limit`)).status).toBe(404);
});

test.each([
  ['action', 'v4', false],
  ['action', 'a'.repeat(39), false],
  ['action', 'a'.repeat(40), true],
  ['action', '0F'.repeat(32), true],
  ['workflow', 'main', true],
] as const)('where SHAs are required, an %s at %s: %s', async (kind, ref, expected) => {
  const { org, of, engine, policy, put } = await makeSetting(here);
  await put(of(engine), { enabled: true, sha_pinning_required: true });
  const { allowsAction } = await policy(engine);
  expect(allowsAction({ kind, owner: org.login, repo: 'tool', path: '', ref }) === true).toBe(expected);
  expect(allowsAction({ kind: 'local' })).toBe(true);
});
