import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { rotateIdentityKey } from '#resources/actions/identity-tokens/index.ts';
import { startRunner, type TestRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { pushWorkflow } from '../workflow-runs/setting.ts';

const w = await world();
const issuer = `${w.url}/_services/token`;

const workflow = (permissions: string, more = '') =>
  `name: CI\non: push\npermissions: {${permissions}}\njobs:\n  build:\n    runs-on: ubuntu-latest\n` +
  `${more}    steps:\n      - run: make\n`;

type Task = NonNullable<Awaited<ReturnType<TestRunner['fetch']>>>;

async function setting(permissions: string, more?: string) {
  const ada = await w.user();
  const owner = await w.org(ada);
  const repo = await w.repo(owner, { by: ada });
  const commit = await pushWorkflow(w, repo, { '.github/workflows/ci.yml': workflow(permissions, more) });
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  return { ada, owner, repo, commit, runner, task, fullName: `${owner.login}/${repo.name}` };
}

const requestOf = ({ context }: Task) => ({
  url: context?.actions_id_token_request_url as string,
  token: context?.actions_id_token_request_token as string,
});

/** As the toolkit's `getIDToken` asks. */
async function ask({ url, token }: { url: string; token: string }, audience?: string) {
  const address = audience === undefined ? url : `${url}&audience=${encodeURIComponent(audience)}`;
  const reply = await fetch(address, { headers: { authorization: `Bearer ${token}`, accept: 'application/json' } });
  return { status: reply.status, value: ((await reply.json()) as { value: string }).value };
}

/** Checks a token as a relying party does: by what the issuer publishes of itself. */
async function verified(token: string, audience: string) {
  const { jwks_uri, ...document } = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as {
    issuer: string;
    jwks_uri: string;
    id_token_signing_alg_values_supported: string[];
    claims_supported: string[];
  };
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri)), {
    issuer: document.issuer,
    currentDate: w.clock.now,
    audience,
    algorithms: document.id_token_signing_alg_values_supported,
    requiredClaims: ['jti', 'nbf', 'iat', 'exp', 'sub'],
  });
  expect(document.claims_supported).toEqual(
    expect.arrayContaining(Object.keys(payload).filter((name) => !name.startsWith('repo_property_'))),
  );
  return payload;
}

test('a job proves to others who it is', async () => {
  const { owner, repo, commit, runner, task, fullName, ada } = await setting('id-token: write', '    environment: staging\n');
  const { status, value } = await ask(requestOf(task), 'sts.example');
  expect(status).toBe(200);
  const claims = await verified(value, 'sts.example');
  const context = task.context as { run_id: string };
  expect(claims).toMatchObject({
    iss: issuer,
    aud: 'sts.example',
    sub: `repo:${fullName}:environment:staging`,
    repository: fullName,
    repository_id: String(repo.id),
    repository_owner: owner.login,
    repository_owner_id: String(owner.id),
    repository_visibility: 'public',
    ref: 'refs/heads/main',
    ref_type: 'branch',
    ref_protected: 'false',
    sha: commit,
    head_ref: '',
    base_ref: '',
    run_id: context.run_id,
    run_number: '1',
    run_attempt: '1',
    event_name: 'push',
    environment: 'staging',
    runner_environment: 'self-hosted',
    actor: ada.login,
    actor_id: String(ada.id),
    workflow: 'CI',
    workflow_ref: `${fullName}/.github/workflows/ci.yml@refs/heads/main`,
    workflow_sha: commit,
    job_workflow_ref: `${fullName}/.github/workflows/ci.yml@refs/heads/main`,
    job_workflow_sha: commit,
  });
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
  await expect(verified(value, 'another.example')).rejects.toThrow('aud');

  // Without an audience, a token is for the page of the owner, and no two are the same.
  const other = decodeJwt((await ask(requestOf(task))).value);
  expect(other.aud).toBe(`${w.url}/${owner.login}`);
  expect(other.jti).not.toBe(claims.jti);

  await runner.end(task, 'success');
  expect(await ask(requestOf(task), 'sts.example')).toMatchObject({ status: 401 });
});

test('the subject follows the template of the repository, and tells of custom properties', async () => {
  const { ada, owner, repo, task, fullName } = await setting('id-token: write');
  const client = await w.as(ada);
  const sub = async () => (await verified((await ask(requestOf(task), 'a')).value, 'a')).sub;
  expect(await sub()).toBe(`repo:${fullName}:ref:refs/heads/main`);
  await client.put(`/orgs/${owner.login}/properties/schema/team`, { value_type: 'string' });
  await client.patch(`/repos/${fullName}/properties/values`, { properties: [{ property_name: 'team', value: 'core' }] });
  await client.post(`/orgs/${owner.login}/actions/oidc/customization/properties/repo`, { custom_property_name: 'team' });
  await client.put(`/repos/${fullName}/actions/oidc/customization/sub`, {
    use_default: false,
    include_claim_keys: ['repository_id', 'repo_property_team', 'event_name'],
  });
  expect(await sub()).toBe(`repository_id:${repo.id}:repo_property_team:core:event_name:push`);
  expect(decodeJwt((await ask(requestOf(task))).value)).toMatchObject({ repo_property_team: 'core' });
});

test('only a job that asks for the permission may ask for tokens, and only with its own', async () => {
  const { task, runner } = await setting('contents: read');
  expect(requestOf(task)).toEqual({ url: undefined, token: undefined });
  const { task: mine } = await setting('id-token: write');
  const { url, token } = requestOf(mine);
  const another = url.replace(/job=\d+/, `job=${task.id}`);
  for (const wrong of [
    { url: another, token },
    { url, token: `${token}A` },
    { url, token: '' },
    { url, token: mine.secrets.GITHUB_TOKEN ?? '' },
  ])
    expect(await ask(wrong, 'a')).toMatchObject({ status: 401, value: undefined });
  expect((await ask({ url: `${url}&audience=b`, token }, 'a')).status).toBe(422);
  expect((await ask({ url, token }, 'a'.repeat(1_001))).status).toBe(422);
  expect((await ask({ url, token }, 'a')).status).toBe(200);
  await runner.end(task, 'success');
});

test('a token stays good when its key is replaced, and the next has another one', async () => {
  const { task } = await setting('id-token: write');
  const { value: before } = await ask(requestOf(task), 'a');
  const kid = await w.change((scope) => rotateIdentityKey(scope, { secrets: w.hearth.services.secrets, now: w.clock.now }));
  const { value: after } = await ask(requestOf(task), 'a');
  for (const token of [before, after]) expect(await verified(token, 'a')).toMatchObject({ iss: issuer });
  const keys = async () => ((await (await fetch(`${issuer}/.well-known/jwks`)).json()) as { keys: object[] }).keys;
  expect(await keys()).toEqual([expect.objectContaining({ kid, kty: 'RSA', alg: 'RS256', use: 'sig' }), expect.anything()]);
  for (const key of await keys()) expect(Object.keys(key).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  const rows = await w.db.selectFrom('identity_keys').select(['retired_at', 'private_key']).orderBy('id').execute();
  expect(rows.map(({ private_key }) => private_key === null)).toEqual([true, false]);
});
