import { expect, test } from 'vitest';
import { enqueue } from '#jobs/job.ts';
import { listDue } from '#resources/actions/dependency-updates/config-store.ts';
import { explainUpdates } from '#resources/actions/dependency-updates/index.ts';
import { runSchedules } from '#resources/actions/dependency-updates/versions.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { sealed } from '#test/resources/actions/private-registries/setting.ts';
import { lockOf } from '#test/resources/security/dependency-alerts/setting.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh } from '#test/support/world.ts';
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
  expect(repository && (await explainUpdates(w.db, repository, { ...w.hearth.services, advisories: undefined }))).toMatchObject({
    steps: [
      { check: 'security updates', passed: false, because: 'automated security fixes are off' },
      { check: 'advisories', passed: false },
      { check: 'configuration file', passed: false, because: expect.stringMatching(/^.github.dependabot.yml, line 12: .*cargo/) },
      { check: 'version updates of npm in /web, /other/*', passed: true },
      { check: 'last search for version updates of npm in /web', passed: undefined },
    ],
  });
});

/** What `hearth explain UPDATES` says. */
async function explain({ id }: { readonly id: Parameters<typeof loadNamedRepositories>[1][number] }) {
  const repository = (await loadNamedRepositories(w.db, [id])).get(id);
  if (!repository) throw new Error('The repository is missing');
  return (await explainUpdates(w.db, repository, w.hearth.services)).steps;
}

test('folders without a manifest, and branches that do not exist, are named', async () => {
  const text = config().replace("'/other/*'", "'/empty', '/other/*'");
  const { repo } = await versionSetting(`${text}  - package-ecosystem: npm
    directory: /web
    schedule: {interval: daily}
    target-branch: gone
`);
  expect(await explain(repo)).toEqual(
    expect.arrayContaining([
      {
        check: 'last search for version updates of npm in /empty',
        passed: false,
        because: expect.stringContaining(': It has no package.json'),
      },
      { check: 'version updates of npm in /web', passed: false, because: 'there is no branch gone' },
    ]),
  );
});

test('directories wait while too many searches of the repository are running', async () => {
  const { repo, runner, put, answer } = await botSetting(w, { isOn: false });
  const running = Array.from({ length: 49 }, (_, at) => ({
    repository_id: repo.id,
    ecosystem: 'pip' as const,
    directory: `/${at}`,
    kind: 'version' as const,
    target_branch: 'main',
    base_sha: 'a'.repeat(40),
    request: '{}',
    options: '{}',
    state: 'running' as const,
    created_at: w.clock.now,
  }));
  await w.db.insertInto('dependency_updates').values(running).execute();
  await put('web/package.json', '{}');
  await put('other/one/package.json', '{}');
  await put(configPath, config());
  await passTime();
  expect((await explain(repo)).find(({ check }) => check.startsWith('version updates'))).toMatchObject({
    because: expect.stringContaining('1 of its directories wait until other searches have ended'),
  });
  expect(requestOf(await answer([]))).toMatchObject({ directory: '/web' });
  expect(requestOf(await answer([]))).toMatchObject({ directory: '/other/one' });
  expect(await runner.fetch()).toBeUndefined();
  await passTime();
  expect(await runner.fetch()).toBeUndefined();
});

test('an entry looks in so many directories, and says which it leaves out', async () => {
  const folders = Array.from({ length: 52 }, (_, at) => `many/${String(at).padStart(2, '0')}`);
  const { repo } = await botSetting(w, { isOn: false });
  const files = Object.fromEntries(folders.map((folder) => [`${folder}/package.json`, '{}']));
  await commitFiles(w, repo, { ...files, [configPath]: config().replace("'/web', '/other/*'", "'/many/*'") });
  await w.settle();
  await passTime();
  const steps = await explain(repo);
  expect(steps.filter(({ because }) => because.endsWith('a job looks for them'))).toHaveLength(50);
  expect(steps.find(({ check }) => check.endsWith('in /many/50'))).toMatchObject({
    passed: false,
    because: expect.stringContaining('An entry looks in 50 directories at most: this one and 1 others are left out'),
  });
});

test('assignees who can not be assigned are left out', async () => {
  const { answer, pulls, owner } = await versionSettingOf((login) => `    assignees: [${fresh('nobody')}, ${login}]\n`);
  await answer([updateOfLeft({ left: '2.0.0' }, '2.1.0')]);
  expect(await pulls()).toMatchObject([{ assignees: [{ login: owner.login }] }]);
});

/** A setting whose configuration names the owner. */
async function versionSettingOf(more: (login: string) => string) {
  const setting = await botSetting(w, { isOn: false });
  await setting.put('web/package.json', '{}');
  await setting.put(lockPath, lockOf({ left: '2.0.0' }));
  await setting.put(configPath, config(more(setting.owner.login)));
  await passTime();
  return setting;
}

test('registries that searches do not get are named', async () => {
  const { answer, client, org, repo, problem } = await versionSetting();
  const fields = { registry_type: 'npm_registry', url: 'https://npm.example/', visibility: 'all' };
  const path = `/orgs/${org.login}/private-registries`;
  expect((await client.post(path, { ...fields, ...(await sealed(client, org, `\${x}`)) })).status).toBe(201);
  const pub = { ...fields, registry_type: 'pub_repository', ...(await sealed(client, org, 'x')) };
  expect((await client.post(path, pub)).status).toBe(201);
  await answer([]);
  expect(await problem()).toEqual({
    state: 'done',
    problem: "the private registry NPM_REGISTRY_SECRET can't be used: its secret contains a variable",
  });
  expect((await explain(repo)).filter(({ check }) => check === 'private registry')).toEqual([
    {
      check: 'private registry',
      passed: undefined,
      because: 'searches get no NPM_REGISTRY_SECRET: its secret contains a variable',
    },
  ]);
});

test('it is said if the organization lets the bot read more repositories than a job can', async () => {
  const { org, repo, client } = await botSetting(w);
  const level = { default_level: 'internal' };
  expect((await client.put(`/orgs/${org.login}/dependabot/repository-access/default-level`, level)).status).toBe(204);
  const { id: _, ...row } = await w.db.selectFrom('repositories').selectAll().where('id', '=', repo.id).executeTakeFirstOrThrow();
  const rows = Array.from({ length: 501 }, (_, at) => ({ ...row, name: `internal-${at}`, visibility: 'internal' as const }));
  await w.db.insertInto('repositories').values(rows).execute();
  expect((await explain(repo)).find(({ check }) => check === 'further repositories')).toEqual({
    check: 'further repositories',
    passed: false,
    because: 'the organization lets the bot read 501; its jobs read the 500 of them that were created first',
  });
});
