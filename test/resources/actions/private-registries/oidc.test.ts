// Registries to which jobs sign in by OIDC: the exchange of the identity token, and what the runner gets.
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { changeWithoutRequest, scopeWithoutRequest } from '#endpoint/change-in.ts';
import { asId } from '#lib/id.ts';
import { issueToken } from '#resources/actions/identity-tokens/index.ts';
import { explainJob, makeTask, takeJobs } from '#resources/actions/workflow-runs/index.ts';
import { FetchTaskRequestSchema, type Task } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { identityExchanges } from '#test/support/identity-exchanges.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { pushWorkflow } from '../workflow-runs/setting.ts';
import { setting } from './setting.ts';

const fakes = await identityExchanges();
const w = await world({
  vocabulary: 'github',
  registryAddresses: fakes.addresses,
  resourceLimits: { registries: { exchangeTime: 3_000 }, workflows: { poll: 100 } },
});
const issuer = `${w.url}/_services/token`;
fakes.trust = { issuer, now: () => w.clock.now };

const workflow = (names: string) => `on: push
env: {PRIVATE_REGISTRIES: '${names}'}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: npm ci
`;

type Fields = { readonly registry_type: string; readonly auth_type: string } & Readonly<Record<string, string>>;

/** An organization with registries, and a pushed workflow that names them. */
async function oidcSetting(registries: readonly Fields[], names?: string) {
  fakes.calls.length = 0;
  fakes.before = () => undefined;
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  const made: string[] = [];
  for (const fields of registries) {
    const { status, body } = await client.post(path, { url: `${fakes.url}/repository/`, visibility: 'all', ...fields });
    expect(status).toBe(201);
    made.push(body.name);
  }
  await client.put(`${path}/workflow-access`, { enabled: true });
  const repo = await w.repo(org, { by: owner });
  const base = `/repos/${org.login}/${repo.name}`;
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': workflow(names ?? made.join(' ')) });
  const job = async () => {
    const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
    return (await client.get(`${base}/actions/runs/${run.id}/jobs`)).body.jobs[0];
  };
  const annotations = async () => JSON.stringify((await client.get(`${base}/check-runs/${(await job()).id}/annotations`)).body);
  const explain = async () =>
    explainJob(
      w.db,
      { owner: org.login, name: repo.name, job: (await job()).id },
      { now: w.clock.now, runsHosted: false, secrets: w.hearth.services.secrets },
    );
  return {
    owner,
    org,
    client,
    repo,
    base,
    job,
    annotations,
    explain,
    fullName: `${org.login}/${repo.name}`,
    runner: await startRunner(w, repo),
  };
}

/** The files of a task, with its secrets in them. */
function filesOf(task: Task | undefined): string {
  const [added] = JSON.parse(Buffer.from(task?.workflowPayload ?? []).toString()).jobs.a.steps;
  return Object.values(added.env as Record<string, string>)
    .join('\n')
    .replaceAll(/\$\{\{ secrets\.(\w+) \}\}/g, (_, name: string) => task?.secrets[name] ?? '');
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const cloudA = { auth_type: 'oidc_azure', tenant_id: 'our-tenant', client_id: 'our-client' };
const cloudB = { auth_type: 'oidc_aws', aws_region: 'eu-west-1', account_id: '123456789012', role_name: 'ci/packages' };
const packages = { domain: 'our-domain', domain_owner: '210987654321' };
const provider = 'projects/1/locations/global/workloadIdentityPools/pool/providers/hearth';
const cloudC = { auth_type: 'oidc_gcp', workload_identity_provider: provider };
const registryA = { auth_type: 'oidc_jfrog', jfrog_oidc_provider_name: 'hearth' };
const registryB = { auth_type: 'oidc_cloudsmith', namespace: 'acme', service_slug: 'ci-x1', audience: 'https://acme.example' };
const npmAt = `//${new URL(fakes.url).host}/repository/:_authToken=`;

test.each<[string, Fields, { path: string; fields: object; audience?: string }[], string]>([
  [
    'cloud A',
    { registry_type: 'npm_registry', ...cloudA },
    [
      {
        path: '/cloud-a/our-tenant/oauth2/v2.0/token',
        fields: { client_id: 'our-client', scope: '499b84ac-1321-427f-aa17-267ca6975798/.default' },
        audience: 'api://AzureADTokenExchange',
      },
    ],
    `${npmAt}cloud-a-for-499b84ac-1321-427f-aa17-267ca6975798/.default`,
  ],
  [
    'cloud A',
    { registry_type: 'docker_registry', ...cloudA },
    [
      {
        path: '/cloud-a/our-tenant/oauth2/v2.0/token',
        fields: { scope: 'https://containerregistry.azure.net/.default' },
        audience: 'api://AzureADTokenExchange',
      },
      {
        path: '/oauth2/exchange',
        fields: {
          service: new URL(fakes.url).host,
          tenant: 'our-tenant',
          access_token: 'cloud-a-for-https://containerregistry.azure.net/.default',
        },
      },
    ],
    base64('00000000-0000-0000-0000-000000000000:containers-of-cloud-a-for-https://containerregistry.azure.net/.default'),
  ],
  [
    'cloud B',
    { registry_type: 'python_index', ...cloudB, ...packages },
    [
      {
        path: '/cloud-b/roles/eu-west-1/',
        fields: { RoleArn: 'arn:aws:iam::123456789012:role/ci/packages' },
        audience: 'sts.amazonaws.com',
      },
      { path: '/cloud-b/packages/eu-west-1/v1/authorization-token?domain=our-domain&domain-owner=210987654321', fields: {} },
    ],
    '//aws:packages-of-our-domain@',
  ],
  [
    'cloud B',
    { registry_type: 'docker_registry', ...cloudB, aws_region: 'cn-north-1', audience: 'sts.amazonaws.com.cn' },
    [
      {
        path: '/cloud-b/roles/cn-north-1/',
        fields: { RoleArn: 'arn:aws-cn:iam::123456789012:role/ci/packages' },
        audience: 'sts.amazonaws.com.cn',
      },
      { path: '/cloud-b/containers/cn-north-1/', fields: {} },
    ],
    base64('AWS:container:password'),
  ],
  [
    'cloud C',
    { registry_type: 'maven_repository', ...cloudC, service_account: 'ci@acme.iam.gserviceaccount.com' },
    [
      {
        path: '/cloud-c/tokens/v1/token',
        fields: { audience: `//iam.googleapis.com/${provider}`, scope: 'https://www.googleapis.com/auth/cloud-platform' },
        audience: `//iam.googleapis.com/${provider}`,
      },
      {
        path: '/cloud-c/accounts/v1/projects/-/serviceAccounts/ci@acme.iam.gserviceaccount.com:generateAccessToken',
        fields: { scope: ['https://www.googleapis.com/auth/cloud-platform'] },
      },
    ],
    '<username>oauth2accesstoken</username><password>impersonated</password>',
  ],
  [
    'cloud C',
    { registry_type: 'cargo_registry', ...cloudC, audience: 'our-audience' },
    [
      {
        path: '/cloud-c/tokens/v1/token',
        fields: { audience: `//iam.googleapis.com/${provider}` },
        audience: 'our-audience',
      },
    ],
    'token = "Bearer federated"',
  ],
  [
    'registry A',
    { registry_type: 'nuget_feed', ...registryA, audience: 'jfrog', identity_mapping_name: 'ci' },
    [
      {
        path: '/access/api/v1/oidc/token',
        fields: { provider_name: 'hearth', identity_mapping_name: 'ci', audience: 'jfrog' },
        audience: 'jfrog',
      },
    ],
    '<add key="Username" value="deployer"/><add key="ClearTextPassword" value="registry-a-token"/>',
  ],
  [
    'registry B',
    { registry_type: 'rubygems_server', ...registryB },
    [{ path: '/registry-b/openid/acme/', fields: { service_slug: 'ci-x1' }, audience: 'https://acme.example' }],
    'BUNDLE_127__0__0__1: "ci-x1:registry-b-of-ci-x1"',
  ],
])('%s exchanges the identity token of a job: %o', async (_, fields, expected, written) => {
  const { runner, fullName, repo, explain, job, client, base } = await oidcSetting([fields]);
  const { passed, because } = (await explain()).steps.find(({ check }) => check === 'private registry') ?? {};
  expect({ passed, because }).toMatchObject({
    passed: true,
    because: expect.stringContaining(
      `: its subject is repo:${fullName}:ref:refs/heads/main, and its audience ${expected[0]?.audience}`,
    ),
  });
  expect(fakes.calls).toEqual([]);

  const task = await runner.fetch();
  expect(filesOf(task)).toContain(written);
  const called = fakes.calls.map(({ path, body, headers, claims }) => {
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    const sent = isForm ? Object.fromEntries(new URLSearchParams(body)) : body === '' ? {} : JSON.parse(body);
    return { path, fields: sent, audience: claims?.aud };
  });
  expect(called).toMatchObject(expected);
  expect(fakes.calls[0]?.claims).toMatchObject({
    iss: issuer,
    sub: `repo:${fullName}:ref:refs/heads/main`,
    repository_id: String(repo.id),
    event_name: 'push',
    runner_environment: 'self-hosted',
    job_workflow_ref: `${fullName}/.github/workflows/ci.yml@refs/heads/main`,
  });

  // Its log hides the credential, and nothing of it is stored after its end.
  const secret = task?.secrets.GITHUB_PRIVATE_REGISTRY_1 ?? '';
  expect(secret).not.toBe('');
  if (!task) throw new Error('No job waits');
  const stored = () =>
    w.db
      .selectFrom('job_registry_secrets')
      .selectAll()
      .where('job_id', '=', asId<'workflow_jobs'>(Number(task.id)))
      .execute();
  expect(await stored()).toHaveLength(1);
  expect((await stored())[0]?.secrets.toString('latin1')).not.toContain(secret);
  await runner.log(task, ['set up', `signed in with ${secret}`]);
  await runner.end(task, 'success');
  expect(await stored()).toEqual([]);
  await w.settle();
  const log = await (
    await fetch((await client.get(`${base}/actions/jobs/${(await job()).id}/logs`)).headers.location ?? '')
  ).text();
  expect(log).toContain('signed in with ***');
});

test('without an audience, the identity token is for the page of the owner, and a user of the registry is kept', async () => {
  const fields = { registry_type: 'python_index', ...registryA, username: 'somebody' };
  const { runner, org, explain } = await oidcSetting([fields]);
  expect((await explain()).steps.find(({ check }) => check === 'private registry')?.because).toContain(
    "its audience the page of the repository's owner",
  );
  expect(filesOf(await runner.fetch())).toContain('//somebody:registry-a-token@');
  expect(fakes.calls[0]?.claims?.aud).toBe(`${w.url}/${org.login}`);
});

test('the claims are those that the job itself can ask for', async () => {
  const { runner, client, base, repo } = await oidcSetting([{ registry_type: 'npm_registry', ...registryB }], 'x');
  const file = workflow('NPM_REGISTRY_SECRET').replace('jobs:', 'permissions: {id-token: write}\njobs:');
  await runner.fetch();
  await pushWorkflow(w, repo, {
    '.github/workflows/ci.yml': file.replace('    steps:', '    environment: production\n    steps:'),
  });
  expect((await client.get(`${base}/actions/runs`)).body.total_count).toBe(2);
  const task = await runner.fetch();
  const { actions_id_token_request_url: url, actions_id_token_request_token: token } = (task?.context ?? {}) as Record<
    string,
    string
  >;
  const reply = await fetch(`${url}&audience=${encodeURIComponent('https://acme.example')}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { value } = (await reply.json()) as { value: string };
  const own = JSON.parse(Buffer.from(value.split('.')[1] ?? '', 'base64url').toString());
  expect(fakes.calls.at(-1)?.claims).toEqual({ ...own, jti: expect.any(String) });
  expect(own.sub).toMatch(/:environment:production$/);
});

test('registries of one identity and host share an exchange', async () => {
  const { runner } = await oidcSetting([
    { registry_type: 'npm_registry', ...cloudB, ...packages },
    { registry_type: 'python_index', ...cloudB, ...packages },
    { registry_type: 'docker_registry', ...cloudB },
  ]);
  const files = filesOf(await runner.fetch());
  expect(files).toContain(`${npmAt}packages-of-our-domain`);
  expect(files).toContain('//aws:packages-of-our-domain@');
  expect(files).toContain(base64('AWS:container:password'));
  expect(fakes.calls).toHaveLength(4);
});

const refused = (status: number, body: string, headers = {}) => ({ status, body, headers });

test.each<[string, Fields, Parameters<typeof refused> | undefined, RegExp]>([
  [
    'that its cloud refuses',
    { registry_type: 'npm_registry', ...cloudA },
    [401, JSON.stringify({ error: 'invalid_client', error_description: 'AADSTS700213: No matching federated identity record' })],
    /127\.0\.0\.1:\d+ answered 401: AADSTS700213: No matching federated identity record/,
  ],
  [
    'whose role does not trust it',
    { registry_type: 'npm_registry', ...cloudB, ...packages },
    [
      403,
      '<ErrorResponse><Error><Message>Not authorized to perform sts:AssumeRoleWithWebIdentity</Message></Error></ErrorResponse>',
    ],
    /answered 403: Not authorized to perform sts:AssumeRoleWithWebIdentity/,
  ],
  [
    'whose cloud leads elsewhere',
    { registry_type: 'npm_registry', ...cloudC },
    [307, '', { location: `${fakes.url}/elsewhere` }],
    /answered 307/,
  ],
  [
    'whose cloud repeats its token',
    { registry_type: 'npm_registry', ...cloudC },
    [400, JSON.stringify({ error: { message: `bad token ${'x'.repeat(2_000)}` } })],
    /answered 400: bad token \*\*\*"/,
  ],
  [
    'that answers something else',
    { registry_type: 'npm_registry', ...registryA },
    [200, '<html>'],
    /the reply has no access_token/,
  ],
  ['whose token is empty', { registry_type: 'npm_registry', ...registryB }, [200, '{"token":""}'], /the reply has no token/],
  [
    'whose token has two lines',
    { registry_type: 'npm_registry', ...registryB },
    [200, JSON.stringify({ token: 'two\nlines' })],
    /contains a line break/,
  ],
  [
    'that answers too much',
    { registry_type: 'npm_registry', ...registryA },
    [200, JSON.stringify({ access_token: 'a'.repeat(300_000) })],
    /answered more than 262144 bytes/,
  ],
  [
    'at a private address',
    { registry_type: 'npm_registry', ...registryA, url: 'http://10.0.0.1/' },
    undefined,
    /10\.0\.0\.1 is not reachable over the public Internet/,
  ],
])('a job that names a registry %s fails and says why', async (_, fields, answer, reason) => {
  const { runner, job, annotations } = await oidcSetting([fields]);
  if (answer) fakes.before = () => refused(...answer);
  expect(await runner.fetch()).toBeUndefined();
  expect(fakes.calls).toHaveLength(answer ? 1 : 0);
  await w.settle();
  expect((await job()).conclusion).toBe('failure');
  const text = (await annotations()).replaceAll('\\"', "'");
  expect(text).toMatch(/The private registry NPM_REGISTRY_SECRET can't be used/);
  expect(text).toMatch(reason);
});

test.each([
  [{ ...cloudB, ...packages, aws_region: 'evil.example/' }, 'aws_region'],
  [{ ...cloudB, ...packages, account_id: '1' }, 'account_id'],
  [{ ...cloudA, tenant_id: '../x' }, 'tenant_id'],
  [{ ...registryB, api_host: 'a.example/b' }, 'api_host'],
  [{ ...registryB, namespace: '..' }, 'namespace'],
  [{ ...cloudC, service_account: 'a/b@c' }, 'service_account'],
])('an identity that would lead elsewhere is refused: %o', async (fields, field) => {
  const { runner, annotations, explain } = await oidcSetting([{ registry_type: 'npm_registry', ...fields }]);
  const reason = `its ${field} has an unknown format`;
  expect((await explain()).message).toContain(reason);
  expect(await runner.fetch()).toBeUndefined();
  expect(fakes.calls).toEqual([]);
  await w.settle();
  expect(await annotations()).toContain(reason);
});

test('an exchange takes a bounded time, and nothing waits for it', async () => {
  const { runner, client, base, job, annotations } = await oidcSetting([{ registry_type: 'npm_registry', ...registryA }]);
  const asked = Promise.withResolvers<void>();
  fakes.before = async () => {
    asked.resolve();
    await new Promise(() => undefined);
    return undefined;
  };
  const fetching = runner.fetch();
  await asked.promise;
  const { rows } = await w.hearth.database.pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
  );
  expect(rows).toEqual([]);
  // The job's run isn't locked.
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  expect((await client.patch(`${base}`, { description: 'x' })).status).toBe(200);
  expect((await client.get(`${base}/actions/runs/${run.id}/jobs`)).body.jobs[0].status).toBe('in_progress');
  expect(await fetching).toBeUndefined();
  await w.settle();
  expect((await job()).conclusion).toBe('failure');
  expect(await annotations()).toMatch(/can't be reached: timed out/);
});

test('a runner that gave up during a slow exchange gets the job with its result', async () => {
  const { runner } = await oidcSetting([{ registry_type: 'npm_registry', ...registryA }]);
  const release = Promise.withResolvers<void>();
  fakes.before = async () => {
    await release.promise;
    return undefined;
  };
  const request = create(FetchTaskRequestSchema, { tasksVersion: 0n });
  await expect(runner.client.fetchTask(request, { timeoutMs: 700 })).rejects.toThrow();
  release.resolve();
  await expect.poll(() => runner.fetch()).toMatchObject({ secrets: { GITHUB_PRIVATE_REGISTRY_1: 'registry-a-token' } });
  expect(fakes.calls).toHaveLength(1);
});

test('a run that is cancelled during an exchange gets no task', async () => {
  const { runner, client, base, job } = await oidcSetting([{ registry_type: 'npm_registry', ...registryA }]);
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  fakes.before = async () => {
    asked.resolve();
    await release.promise;
    return undefined;
  };
  const fetching = runner.fetch();
  await asked.promise;
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  expect((await client.post(`${base}/actions/runs/${run.id}/cancel`)).status).toBe(202);
  release.resolve();
  const task = await fetching;
  if (task) await runner.end(task, 'success');
  await w.settle();
  expect((await job()).conclusion).toBe('cancelled');
});

test('a job gets no registry whose organization refuses it during the exchange', async () => {
  const { runner, client, org, annotations } = await oidcSetting([{ registry_type: 'npm_registry', ...registryA }]);
  fakes.before = async () => {
    await client.put(`/orgs/${org.login}/private-registries/workflow-access`, { enabled: false });
    return undefined;
  };
  expect(await runner.fetch()).toBeUndefined();
  await w.settle();
  expect(await annotations()).toMatch(/doesn't allow workflows/);
});

test('a job without registries costs no further statements, and more registries cost none', async () => {
  const statementsOf = async (registries: readonly Fields[]) => {
    const { repo, runner } = await oidcSetting(registries);
    const row = await w.db
      .selectFrom('runners')
      .selectAll()
      .where('id', '=', asId<'runners'>(runner.id))
      .executeTakeFirstOrThrow();
    const origin = { db: w.db, services: w.hearth.services, now: w.clock.now };
    const [taken] = (await takeJobs(scopeWithoutRequest(origin), [row]))?.values() ?? [];
    if (!taken) throw new Error(`No job waits in ${repo.name}`);
    const issue: Parameters<typeof makeTask>[2] = (job) =>
      issueToken(w.hearth.database, job, { secrets: w.hearth.services.secrets, now: w.clock.now });
    const make = () =>
      changeWithoutRequest(origin, (scope) => makeTask({ ...scope, links: { ...scope.links, html: w.url } }, taken, issue));
    // The first call exchanges the token.
    if (registries.length > 0) await make();
    return (await countStatements(make)).statements;
  };
  const without = await statementsOf([]);
  expect(without.filter((text) => /registr|identity_keys/i.test(text.replaceAll('has_registries', '')))).toEqual([]);
  const [one, three] = [
    await statementsOf([{ registry_type: 'npm_registry', ...registryB }]),
    await statementsOf([
      { registry_type: 'npm_registry', ...registryB },
      { registry_type: 'python_index', ...registryB },
      { registry_type: 'docker_registry', ...registryA },
    ]),
  ];
  expect(one.length).toBeGreaterThan(without.length);
  expect(three).toHaveLength(one.length);
});

test.each([
  [`\${{ github.ref_name }}`, /without expressions/],
  [Array.from({ length: 51 }, (_, at) => `R${at}`).join(','), /more than 50/],
])('explain says that a list of registries is malformed: %s', async (names, reason) => {
  const { explain } = await oidcSetting([], names);
  expect(await explain()).toMatchObject({ waits: true, message: expect.stringMatching(reason) });
});
