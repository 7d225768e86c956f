// What package managers of a job on an existing runner send to a private registry.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createRunnerToken } from '#resources/actions/runners/index.ts';
import { hasActRunner, startActRunner, withoutActRunner } from '#test/support/act-runner.ts';
import { commitFiles } from '#test/support/commit.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });
const { user, org: makeOrg, repo: makeRepo, change, clock, db, settle, as } = here;

/** A registry that knows nothing, and the credentials with which it was asked, by path. */
async function startRegistry() {
  const seen = new Map<string, string | undefined>();
  const server = createServer((request, response) => {
    seen.set(request.url ?? '', request.headers.authorization);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEndOfFile(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const workflow = `on: push
jobs:
  a:
    runs-on: ubuntu-latest
    env: {PRIVATE_REGISTRIES: 'NPM_REGISTRY_SECRET PYTHON_INDEX_SECRET CARGO_REGISTRY_SECRET'}
    steps:
      - run: npm view thing || true
      - run: "! command -v pip3 || pip3 download --no-deps --disable-pip-version-check thing || true"
      - run: ls "$RUNNER_TEMP/private-registries"; test -f ../.cargo/config.toml; cat "$NPM_CONFIG_USERCONFIG"
`;

test.skipIf(!hasActRunner)('package managers sign in, and what they print of it is hidden', async (context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
  const registry = await startRegistry();
  const ada = await user();
  const org = await makeOrg(ada);
  const client = await as(ada);
  const path = `/orgs/${org.login}/private-registries`;
  for (const registry_type of ['npm_registry', 'python_index', 'cargo_registry']) {
    const sealed = await sealedFor(client, `${path}/public-key`, `${registry_type}-moonlight`);
    const made = { registry_type, url: `${registry.url}/${registry_type}/`, visibility: 'all', replaces_base: true, ...sealed };
    expect((await client.post(path, made)).status).toBe(201);
  }
  await client.put(`${path}/workflow-access`, { enabled: true });
  const repo = await makeRepo(org, { by: ada });
  const { token } = await change((scope) =>
    createRunnerToken(scope, { repository: repo.id }, { purpose: 'registration', now: clock.now }),
  );
  const runner = await startActRunner(here.url, { token });
  await commitFiles(here, repo, { '.github/workflows/ci.yml': workflow });
  await settle();
  const ended = async () =>
    (await db.selectFrom('workflow_jobs').select(['id', 'conclusion']).where('repository_id', '=', repo.id).execute()).map(
      ({ conclusion }) => conclusion,
    );
  await expect.poll(ended, { timeout: 120_000 }).not.toContain(null);
  expect(await ended(), runner.log()).toEqual(['success']);
  await settle();

  expect(registry.seen.get('/npm_registry/thing')).toBe('Bearer npm_registry-moonlight');
  const asked = registry.seen.get('/python_index/thing/');
  if (asked !== undefined) expect(asked).toBe(`Basic ${Buffer.from('__token__:python_index-moonlight').toString('base64')}`);
  const [job] = (await client.get(`/repos/${org.login}/${repo.name}/actions/runs`)).body.workflow_runs;
  const { jobs } = (await client.get(`/repos/${org.login}/${repo.name}/actions/runs/${job.id}/jobs`)).body;
  expect(jobs[0].steps).toHaveLength(5);
  const log = (await client.get(`/repos/${org.login}/${repo.name}/actions/jobs/${jobs[0].id}/logs`)) as {
    text?: string;
    body: unknown;
  };
  expect(JSON.stringify(log)).not.toContain('moonlight');
});
