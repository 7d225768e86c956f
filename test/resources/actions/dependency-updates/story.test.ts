// From an alert to a pull request, with an existing runner, npm and Git.
import { expect, test } from 'vitest';
import { createRunnerToken } from '#resources/actions/runners/index.ts';
import { sealed } from '#test/resources/actions/private-registries/setting.ts';
import { hasProgram } from '#test/resources/security/dependency-bot/updates/job.ts';
import { npmRegistry } from '#test/resources/security/dependency-bot/updates/npm-registry.ts';
import { hasActRunner, startActRunner, withoutActRunner } from '#test/support/act-runner.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh } from '#test/support/world.ts';
import { botWorld } from './setting.ts';

const w = await botWorld();
const hasTools = await hasProgram('npm');

const manifest = (version: string) => ({ name: 'app', version: '1.0.0', dependencies: { left: version } });

test.skipIf(!hasActRunner || !hasTools)('a vulnerable repository gets a pull request within a minute', async (context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
  await using registry = await npmRegistry([
    { name: 'left', version: '1.1.0' },
    { name: 'left', version: '1.2.0' },
    { name: 'left', version: '2.0.0' },
  ]);
  const owner = await w.user(fresh('owner'));
  const org = await w.org(owner);
  const client = await w.as(owner);
  const path = `/orgs/${org.login}/private-registries`;
  const fields = { registry_type: 'npm_registry', url: `${registry.url}/`, visibility: 'all', replaces_base: true };
  expect((await client.post(path, { ...fields, ...(await sealed(client, org, 'moonlight')) })).status).toBe(201);
  const repo = await w.repo(org, { by: owner, visibility: 'private' });
  const base = `/repos/${org.login}/${repo.name}`;
  await client.put(`${base}/vulnerability-alerts`);
  await client.put(`${base}/automated-security-fixes`);
  const { token } = await w.change((scope) =>
    createRunnerToken(scope, { repository: repo.id }, { purpose: 'registration', now: w.clock.now }),
  );
  const runner = await startActRunner(w.url, { token });
  const lock = {
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': manifest('1.1.0'),
      'node_modules/left': { version: '1.1.0', resolved: `${registry.url}/left/-/left-1.1.0.tgz` },
    },
  };
  await commitFiles(w, repo, {
    'package.json': JSON.stringify(manifest('1.1.0'), null, 2),
    'package-lock.json': JSON.stringify(lock, null, 2),
  });
  const start = performance.now();
  const pulls = async () => {
    await w.settle();
    return (await client.get(`${base}/pulls`)).body;
  };
  await expect.poll(pulls, { timeout: 110_000 }).toHaveLength(1);
  const seconds = (performance.now() - start) / 1_000;
  const [pull] = await pulls();
  expect(pull, runner.log()).toMatchObject({
    title: 'Bump left from 1.1.0 to 1.2.0',
    head: { ref: 'dependency-bot/npm_and_yarn/left-1.2.0' },
  });
  const { body: files } = await client.get(`${base}/pulls/${pull.number}/files`);
  expect(files.map(({ filename }: { filename: string }) => filename)).toEqual(['package-lock.json', 'package.json']);
  expect(registry.requests.some(({ authorization }) => authorization === 'Bearer moonlight')).toBe(true);
  expect(seconds).toBeLessThan(60);
});
