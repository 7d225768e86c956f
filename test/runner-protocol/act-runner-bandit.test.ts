// A real analyser on a real runner: the example of the documentation, with Bandit from PyPI.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRunnerToken } from '#resources/actions/runners/index.ts';
import { analysersFile, makeAnalysers, setupSetting } from '#test/resources/actions/default-setups/setting.ts';
import { hasActRunner, startActRunner, withoutActRunner } from '#test/support/act-runner.ts';
import { world } from '#test/support/world.ts';

const path = '.github/workflows/bandit.yml';
const w = await world({ analysers: await analysersFile({ code_scanning: { python: `scans/analysers/${path}@main` } }) });

const page = readFileSync(new URL('../../docs/code-scanning.md', import.meta.url), 'utf8');
const example = /```yaml\n(name: Bandit\n.+?)```/s.exec(page)?.[1] ?? '';

/** Why Bandit can't be installed here; undefined if it can. */
async function missingBandit(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-bandit-'));
  try {
    execFileSync('python3', ['-m', 'venv', join(folder, 'venv')], { stdio: 'pipe' });
    const wanted = ['download', '--quiet', '--no-deps', '--retries', '0', '--timeout', '30', '--dest', folder, 'bandit'];
    execFileSync(join(folder, 'venv/bin/pip'), wanted, { stdio: 'pipe', timeout: 120_000 });
    return undefined;
  } catch (error) {
    return `Bandit can't be installed from PyPI: ${String(error).split('\n', 1)[0]}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const vulnerable = 'import subprocess\n\nsubprocess.call(input(), shell=True)\n';

test('Bandit analyses a repository by its default setup: what it finds becomes alerts, and a check of a pull request', async (context) => {
  if (!hasActRunner) return context.skip(withoutActRunner);
  const missing = await missingBandit();
  if (missing !== undefined) return context.skip(missing);
  await makeAnalysers(w, { [path]: example });
  const { client, base, repo, configure } = await setupSetting(w, { files: { 'app.py': vulnerable } });
  const { token } = await w.change((scope) =>
    createRunnerToken(scope, { repository: repo.id }, { purpose: 'registration', now: w.clock.now }),
  );
  const runner = await startActRunner(w.url, { token });
  const { status, body } = await configure();
  expect(status).toBe(202);
  const ended = async (id: number) => {
    await w.settle();
    return (await client.get(`${base}/actions/runs/${id}`)).body.conclusion;
  };
  await expect.poll(() => ended(body.run_id), { timeout: 120_000, interval: 500 }).toBe('success');
  await w.settle();
  const { body: alerts } = await client.get(`${base}/code-scanning/alerts`);
  expect(alerts).toContainEqual(
    expect.objectContaining({
      state: 'open',
      tool: expect.objectContaining({ name: 'Bandit' }),
      rule: expect.objectContaining({ id: 'B602', severity: 'error' }),
      most_recent_instance: expect.objectContaining({
        ref: 'refs/heads/main',
        category: '/language:python',
        location: expect.objectContaining({ path: 'app.py', start_line: 3 }),
      }),
    }),
  );
  expect((await client.get(`${base}/code-scanning/analyses`)).body).toHaveLength(1);

  // A pull request that adds the like is told so.
  const { object } = (await client.get(`${base}/git/ref/heads/main`)).body;
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: object.sha });
  const content = Buffer.from(vulnerable).toString('base64');
  await client.put(`${base}/contents/more.py`, { message: 'More', content, branch: 'topic' });
  await client.post(`${base}/pulls`, { title: 'More', head: 'topic', base: 'main' });
  const checked = async () => {
    await w.settle();
    const { check_runs } = (await client.get(`${base}/commits/topic/check-runs`)).body;
    return check_runs.find(({ name }: { name: string }) => name === 'Bandit')?.output.title;
  };
  await expect.poll(checked, { timeout: 120_000, interval: 500 }).toBe('2 new alerts including 1 of high severity');
  await runner.stop();
}, 300_000);
