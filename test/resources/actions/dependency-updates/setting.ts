import { rm } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import {
  advisoryFolder,
  advisoryOf,
  loadFolder,
  lockOf,
  writeAdvisory,
} from '#test/resources/security/dependency-alerts/setting.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { startRunner, type TestRunner } from '#test/support/runner-client.ts';
import { fresh, type World, world } from '#test/support/world.ts';

export const lockPath = 'web/package-lock.json';

/** A world whose advisories say that `left` is vulnerable before 1.2.0, and `right` before 2.0.0. */
export async function botWorld(): Promise<World & { advisories: string }> {
  const folder = await advisoryFolder();
  atEndOfFile(() => rm(folder, { recursive: true }));
  const here = await world({ vocabulary: 'github', advisories: folder });
  await writeAdvisory(folder, advisoryOf('GHSA-2345-6789-cfgh', 'left', '1.2.0'));
  await writeAdvisory(
    folder,
    advisoryOf('GHSA-3456-789c-fghj', 'right', '2.0.0', { summary: 'right leaks @everyone [x](http://x)' }),
  );
  await loadFolder(here);
  return { ...here, advisories: folder };
}

type Dependency = { name: string; from: string; to: string; type: 'production' | 'development' | 'indirect' };
export type TestResult = { group?: string; dependencies: Dependency[]; patch: string };

/** The patch of a file of one line. */
export const patchOf = (path: string, before: string, after: string): string =>
  [
    `diff --git a/${path} b/${path}`,
    `--- a/${path}`,
    `+++ b/${path}`,
    '@@ -1 +1 @@',
    `-${before}`,
    '\\ No newline at end of file',
    `+${after}`,
    '\\ No newline at end of file',
    '',
  ].join('\n');

/** The output of a job. */
export const encoded = (results: readonly TestResult[], skipped: readonly { name?: string; reason: string }[] = []): string =>
  gzipSync(JSON.stringify({ results, skipped })).toString('base64');

/** The update of `left` in a lock file. */
export const updateOfLeft = (before: Record<string, string>, to = '1.2.0'): TestResult => ({
  dependencies: [{ name: 'left', from: before.left ?? '', to, type: 'production' }],
  patch: patchOf(lockPath, lockOf(before), lockOf({ ...before, left: to })),
});

/** The request that a job was given. */
export function requestOf(task: Awaited<ReturnType<TestRunner['fetch']>>) {
  const file = JSON.parse(Buffer.from(task?.workflowPayload ?? []).toString());
  const env = file.jobs.update.steps[1].env as Record<string, string>;
  const text = Object.keys(env)
    .filter((name) => name.startsWith('DEPENDENCY_BOT_REQUEST_'))
    .sort((one, other) => Number(one.split('_').at(-1)) - Number(other.split('_').at(-1)))
    .map((name) => env[name])
    .join('');
  return JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString());
}

/** A repository with alerts and security updates, and a runner for its jobs. */
export async function botSetting(here: World, { isOn = true } = {}) {
  const owner = await here.user(fresh('owner'));
  const org = await here.org(owner);
  const client = await here.as(owner);
  const repo = await here.repo(org, { name: fresh('engine'), by: owner });
  const base = `/repos/${org.login}/${repo.name}`;
  await client.put(`${base}/vulnerability-alerts`);
  if (isOn) expect((await client.put(`${base}/automated-security-fixes`)).status).toBe(204);
  const runner = await startRunner(here, repo);
  const shas = new Map<string, string>();
  const put = async (file: string, text: string, branch?: string) => {
    const { body, status } = await client.put(`${base}/contents/${file}`, {
      message: `Change ${file}`,
      content: Buffer.from(text).toString('base64'),
      sha: shas.get(file),
      branch,
    });
    expect(status).toBeLessThan(300);
    shas.set(file, body.content.sha);
    await here.settle();
  };
  const pulls = async (state = 'open') => (await client.get(`${base}/pulls?state=${state}&direction=asc`)).body;
  /** Runs the next job of the bot. */
  const answer = async (results: readonly TestResult[], skipped: { name?: string; reason: string }[] = []) => {
    const task = await runner.fetch();
    if (!task) throw new Error('No job waits');
    await runner.end(task, 'success', { outputs: { result: encoded(results, skipped) } });
    await here.settle();
    return task;
  };
  const comments = async (number: number): Promise<string[]> =>
    (await client.get(`${base}/issues/${number}/comments`)).body.map(({ body }: { body: string }) => body);
  const comment = async (number: number, body: string, by = client) => {
    expect((await by.post(`${base}/issues/${number}/comments`, { body })).status).toBe(201);
    await here.settle();
  };
  /** What the last search couldn't do. */
  const problem = async () =>
    here.db
      .selectFrom('dependency_updates')
      .select(['state', 'problem'])
      .where('repository_id', '=', repo.id)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
  return { owner, org, client, repo, base, runner, put, pulls, answer, comments, comment, problem };
}
