import { expect, test } from 'vitest';
import { enqueue } from '#jobs/job.ts';
import { listDue } from '#resources/actions/dependency-updates/config-store.ts';
import { explainUpdates } from '#resources/actions/dependency-updates/index.ts';
import { runSchedules } from '#resources/actions/dependency-updates/versions.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { lockOf } from '#test/resources/security/dependency-alerts/setting.ts';
import { botSetting, botWorld, lockPath, requestOf, updateOfLeft } from './setting.ts';

const w = await botWorld();

const configPath = '.github/dependabot.yml';
const config = (more = '') => `version: 2
updates:
  - package-ecosystem: npm
    directories: ['/web', '/other/*']
    schedule: {interval: daily, time: '09:00'}
    open-pull-requests-limit: 2
    labels: [updates]
    commit-message: {prefix: build, include: scope}
    ignore:
      - dependency-name: right
        update-types: ['version-update:semver-major']
${more}`;

/** Moves the clock, and looks at schedules. */
async function passTime(hours = 0): Promise<void> {
  w.clock.now = new Date(w.clock.now.getTime() + hours * 3_600_000);
  await w.change(({ tx }) => enqueue(tx, runSchedules, {}));
  await w.settle();
}

/** A repository with a lock file and a configuration. */
async function versionSetting(text = config()) {
  const setting = await botSetting(w, { isOn: false });
  await setting.put('web/package.json', '{}');
  await setting.put(lockPath, lockOf({ left: '2.0.0' }));
  await setting.put(configPath, text);
  await passTime();
  return setting;
}

test('a configuration file begins at once, and its pull requests look as it says', async () => {
  const { answer, pulls, runner } = await versionSetting();
  const task = await answer([updateOfLeft({ left: '2.0.0' }, '2.1.0')]);
  expect(requestOf(task)).toEqual({
    ecosystem: 'npm',
    directory: '/web',
    kind: 'version',
    version: {
      ignore: [{ name: 'right', update_types: ['major'] }],
      groups: [],
      strategy: 'auto',
      limit: 2,
    },
    open: [],
  });
  expect(await pulls()).toMatchObject([
    {
      title: 'build(deps): bump left from 2.0.0 to 2.1.0 in /web',
      labels: [{ name: 'updates' }],
      head: { ref: 'dependency-bot/npm_and_yarn/web/left-2.1.0' },
    },
  ]);
  await passTime();
  expect(await runner.fetch()).toBeUndefined();
});

test('it looks again at its time, for what is not proposed yet, within its limit', async () => {
  const { answer, put, runner, pulls, problem } = await versionSetting();
  await answer([updateOfLeft({ left: '2.0.0' }, '2.1.0')]);
  await passTime(72);
  const update = updateOfLeft({ left: '2.0.0' }, '2.1.0');
  const named = (name: string) => ({
    ...update,
    dependencies: [{ name, from: '1.0.0', to: '1.1.0', type: 'production' as const }],
  });
  const second = await answer([named('up'), named('down')]);
  expect(requestOf(second)).toMatchObject({ open: [{ dependencies: [{ name: 'left', to: '2.1.0' }] }] });
  expect(await pulls()).toHaveLength(2);
  expect(await problem()).toMatchObject({ problem: 'down: too many pull requests are open' });
  await passTime(72);
  await answer([updateOfLeft({ left: '2.0.0' }, '2.2.0')]);
  expect(await pulls()).toMatchObject([
    { title: expect.stringContaining('bump up') },
    { title: expect.stringContaining('2.2.0') },
  ]);
  await put('README.md', 'Nothing of the configuration');
  await passTime();
  expect(await runner.fetch()).toBeUndefined();
});

test('patterns of directories match folders with manifests', async () => {
  const { put, runner } = await versionSetting(config().replace("'/web', ", ''));
  expect(await runner.fetch()).toBeUndefined();
  await put('other/one/package.json', '{}');
  await put('other/README.md', 'x');
  await passTime(72);
  expect(requestOf(await runner.fetch())).toMatchObject({ directory: '/other/one' });
  expect(await runner.fetch()).toBeUndefined();
});

test('a schedule is found without the rest of its file, which may be long', async () => {
  const { repo } = await versionSetting(`${config()}      - {dependency-name: x, versions: ['${'1'.repeat(900)}']}\n`);
  await passTime(72);
  const due = await listDue(w.db, { until: new Date(w.clock.now.getTime() + 72 * 3_600_000), limit: 100 });
  const [own] = due.filter(({ repository_id }) => repository_id === repo.id);
  expect(own).toMatchObject({ entry: 0, times: { interval: 'daily', time: '09:00' } });
  expect(JSON.stringify(own).length).toBeLessThan(500);
});

test('an update with too many dependencies is left out', async () => {
  const { answer, pulls, problem } = await versionSetting();
  const update = updateOfLeft({ left: '2.0.0' }, '2.1.0');
  const dependencies = Array.from({ length: 1_000 }, (_, at) => ({
    name: `${'n'.repeat(100)}${at}`,
    from: '1.0.0',
    to: '1.1.0',
    type: 'production' as const,
  }));
  await answer([{ ...update, group: 'all', dependencies }]);
  expect(await pulls()).toEqual([]);
  expect(await problem()).toMatchObject({ problem: 'all: it has too many dependencies for one pull request' });
});

test('a limit of zero, and a file that is removed, turn version updates off', async () => {
  const { runner, client, base } = await versionSetting(config().replace('limit: 2', 'limit: 0'));
  expect(await runner.fetch()).toBeUndefined();
  const { body } = await client.get(`${base}/contents/${configPath}`);
  await client.delete(`${base}/contents/${configPath}`, { message: 'Remove it', sha: body.sha });
  await w.settle();
  await passTime(72);
  expect(await runner.fetch()).toBeUndefined();
});

test('what people close is not proposed again by version updates', async () => {
  const { answer, pulls, client, base } = await versionSetting();
  await answer([updateOfLeft({ left: '2.0.0' }, '2.1.0')]);
  const [{ number }] = await pulls();
  await client.patch(`${base}/pulls/${number}`, { state: 'closed' });
  await w.settle();
  await passTime(72);
  expect(requestOf(await answer([]))).toMatchObject({
    version: { ignore: [{ name: 'right' }, { name: 'left', versions: ['= 2.1.0'] }], limit: 2 },
  });
});

test('version updates go to the branch that the file names', async () => {
  const { put, client, base, runner } = await botSetting(w, { isOn: false });
  await put('web/package.json', '{}');
  const { body } = await client.get(`${base}/git/ref/heads/main`);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/next', sha: body.object.sha });
  await put(configPath, config('    target-branch: next\n'));
  await passTime();
  const task = await runner.fetch();
  expect(task?.context).toMatchObject({ sha: body.object.sha, ref: '' });
});

test('problems of a configuration file are a check of its commit, and the rest of it has its effect', async () => {
  const { client, base, runner, repo } = await versionSetting(
    `${config()}  - {package-ecosystem: cargo, directory: /, schedule: {interval: daily}}\n`,
  );
  const { body } = await client.get(`${base}/commits/main/check-runs?check_name=${encodeURIComponent(configPath)}`);
  expect(body.check_runs).toMatchObject([
    { name: configPath, conclusion: 'failure', output: { title: 'The configuration has 1 problem', annotations_count: 1 } },
  ]);
  const { body: annotations } = await client.get(`${base}/check-runs/${body.check_runs[0].id}/annotations`);
  expect(annotations).toMatchObject([{ path: configPath, start_line: 12, message: expect.stringContaining('cargo') }]);
  expect(await runner.fetch()).toBeDefined();
  const repository = (await loadNamedRepositories(w.db, [repo.id])).get(repo.id);
  expect(repository && (await explainUpdates(w.db, repository, { advisories: undefined }))).toMatchObject({
    steps: [
      { check: 'security updates', passed: false, because: 'automated security fixes are off' },
      { check: 'advisories', passed: false },
      { check: 'configuration file', passed: false, because: expect.stringMatching(/^.github.dependabot.yml, line 12: .*cargo/) },
      { check: 'version updates of npm in /web, /other/*', passed: true },
      { check: 'last search for version updates of npm in /web', passed: undefined },
    ],
  });
});
