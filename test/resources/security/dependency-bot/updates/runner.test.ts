// The whole job of the bot, on an existing runner.
import { expect, test } from 'vitest';
import { createRunnerToken } from '#resources/actions/runners/index.ts';
import { decodeResult, type UpdateRequest } from '#resources/security/dependency-bot/updates/contract.ts';
import { updateWorkflow } from '#resources/security/dependency-bot/updates/workflow.ts';
import { hasActRunner, startActRunner, withoutActRunner } from '#test/support/act-runner.ts';
import { commitFiles } from '#test/support/commit.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { world } from '#test/support/world.ts';
import { hasProgram } from './job.ts';
import { npmRegistry } from './npm-registry.ts';
import { packageIndex } from './package-index.ts';

const here = await world({ vocabulary: 'github' });
const { user, org: makeOrg, repo: makeRepo, change, clock, db, settle, as } = here;
const hasTools = (await hasProgram('npm')) && (await hasProgram('python3', ['-I', '-c', 'from pip._vendor import requests']));

test.skipIf(!hasActRunner || !hasTools)(
  'jobs on a runner return their updates, with the registries of the organization',
  async (context) => {
    if (!hasActRunner) context.skip(withoutActRunner);
    await using registry = await npmRegistry([
      { name: 'left', version: '1.0.0' },
      { name: 'left', version: '1.2.0' },
    ]);
    // The result is larger than a line that runners read.
    const hashes = Array.from({ length: 2_500 }, () => crypto.randomUUID().replaceAll('-', '').repeat(2));
    const random = hashes.map((hash, at) => `${hash.slice(0, 32)}${(hashes[hashes.length - 1 - at] ?? '').slice(0, 32)}`);
    await using index = await packageIndex({ left: [{ version: '1.0.0' }, { version: '1.2.0', hashes: random }] });

    const ada = await user();
    const org = await makeOrg(ada);
    const client = await as(ada);
    const path = `/orgs/${org.login}/private-registries`;
    for (const [registry_type, url] of [
      ['npm_registry', `${registry.url}/`],
      ['python_index', index.url],
    ]) {
      const sealed = await sealedFor(client, `${path}/public-key`, `${registry_type}-moonlight`);
      expect((await client.post(path, { registry_type, url, visibility: 'all', replaces_base: true, ...sealed })).status).toBe(
        201,
      );
    }
    await client.put(`${path}/workflow-access`, { enabled: true });
    const repo = await makeRepo(org, { by: ada, visibility: 'private' });
    const { token } = await change((scope) =>
      createRunnerToken(scope, { repository: repo.id }, { purpose: 'registration', now: clock.now }),
    );
    const runner = await startActRunner(here.url, { token });
    const workflow = (ecosystem: UpdateRequest['ecosystem'], name: string): string => {
      const security = [{ name: 'left', patched: '1.2.0', vulnerable: ['< 1.2.0'] }];
      const request: UpdateRequest = { ecosystem, directory: '/', kind: 'security', security, open: [] };
      const file = updateWorkflow(request, { runsOn: ['ubuntu-latest'], timeoutMinutes: 5, registries: [name] });
      return file.replace('"workflow_dispatch"', '"push"');
    };
    await commitFiles(here, repo, {
      '.github/workflows/npm.yml': workflow('npm', 'NPM_REGISTRY_SECRET'),
      '.github/workflows/pip.yml': workflow('pip', 'PYTHON_INDEX_SECRET'),
      'package.json': JSON.stringify({ name: 'app', private: true, dependencies: { left: '1.0.0' } }),
      'requirements.txt': `left==1.0.0 --hash=sha256:${'0'.repeat(64)}\n`,
    });
    await settle();
    const jobs = () =>
      db.selectFrom('workflow_jobs').select(['conclusion', 'outputs']).where('repository_id', '=', repo.id).execute();
    const conclusions = async () => (await jobs()).map(({ conclusion }) => conclusion);
    await expect.poll(conclusions, { timeout: 120_000 }).not.toContain(null);
    expect(await conclusions(), runner.log()).toEqual(['success', 'success']);

    const texts = (await jobs()).map(({ outputs }) => (outputs as { result: string }).result);
    const results = await Promise.all(texts.map((text) => decodeResult(text)));
    expect(results.map((result) => result?.skipped)).toEqual([[], []]);
    const updated = results.flatMap((result) => result?.results ?? []);
    expect(updated).toHaveLength(2);
    for (const one of updated) expect(one).toMatchObject({ dependencies: [{ name: 'left', from: '1.0.0', to: '1.2.0' }] });
    expect(Math.max(...texts.map(({ length }) => length))).toBeGreaterThan(64 * 1024);
    // The registries were asked with their own secrets, which no log shows.
    expect(registry.requests[0]?.authorization).toBe('Bearer npm_registry-moonlight');
    expect(index.requests[0]?.authorization).toBe(`Basic ${Buffer.from('__token__:python_index-moonlight').toString('base64')}`);
  },
);
