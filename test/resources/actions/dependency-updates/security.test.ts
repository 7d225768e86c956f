import { expect, test } from 'vitest';
import { explainUpdates } from '#resources/actions/dependency-updates/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { advisoryOf, loadFolder, lockOf, writeAdvisory } from '#test/resources/security/dependency-alerts/setting.ts';
import { installApp } from '#test/support/apps.ts';
import { fresh } from '#test/support/world.ts';
import { botSetting, botWorld, encoded, lockPath, patchOf, requestOf, updateOfLeft } from './setting.ts';

const w = await botWorld();

test('an alert becomes a pull request that mends it, and the merge closes the alert', async () => {
  const { put, answer, pulls, client, base, runner } = await botSetting(w);
  const before = { left: '1.1.0' };
  await put(lockPath, lockOf(before));
  const { body } = await client.get(`${base}/actions/runs`);
  expect(body.workflow_runs).toMatchObject([
    {
      event: 'dynamic',
      path: 'dynamic/dependency-bot/updates',
      display_title: 'Security updates of npm in /web',
      actor: { login: 'hearth-dependency-bot[bot]', type: 'Bot' },
    },
  ]);
  const task = await answer([updateOfLeft(before)]);
  expect(requestOf(task)).toEqual({
    ecosystem: 'npm',
    directory: '/web',
    kind: 'security',
    security: [{ name: 'left', patched: '1.2.0', vulnerable: ['< 1.2.0'] }],
    open: [],
  });
  expect(Object.keys(task.secrets)).toEqual(['GITHUB_TOKEN']);
  const [pull] = await pulls();
  expect(pull).toMatchObject({
    title: 'Bump left from 1.1.0 to 1.2.0 in /web',
    user: { login: 'hearth-dependency-bot[bot]', type: 'Bot' },
    head: { ref: 'dependency-bot/npm_and_yarn/web/left-1.2.0' },
    base: { ref: 'main' },
    labels: [{ name: 'dependencies' }, { name: 'javascript' }],
  });
  expect(pull.body).toContain('left breaks (GHSA-2345-6789-cfgh, CVE-2026-1234, critical; affects &#60; 1.2.0)');
  const { body: files } = await client.get(`${base}/pulls/${pull.number}/files`);
  expect(files.map(({ filename }: { filename: string }) => filename)).toEqual([lockPath]);
  expect(await runner.fetch()).toBeUndefined();
  expect((await client.put(`${base}/pulls/${pull.number}/merge`)).status).toBe(200);
  await w.settle();
  expect((await client.get(`${base}/dependabot/alerts`)).body).toMatchObject([{ state: 'fixed' }]);
  const { body: branches } = await client.get(`${base}/branches`);
  expect(branches.map(({ name }: { name: string }) => name)).toEqual(['main']);
  expect(await runner.fetch()).toBeUndefined();
});

test('nothing is proposed where security updates are off, until they are turned on', async () => {
  const { put, runner, client, base } = await botSetting(w, { isOn: false });
  await put(lockPath, lockOf({ left: '1.1.0' }));
  expect(await runner.fetch()).toBeUndefined();
  await client.put(`${base}/automated-security-fixes`);
  await w.settle();
  expect(await runner.fetch()).toBeDefined();
});

test('alerts for which nothing is proposed are named, with the reason', async () => {
  const { put, repo } = await botSetting(w);
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const steps = async () => {
    const repository = (await loadNamedRepositories(w.db, [repo.id])).get(repo.id);
    return repository && (await explainUpdates(w.db, repository, w.hearth.services)).steps;
  };
  const check = expect.stringMatching(/^1 open alert of/);
  expect(await steps()).not.toContainEqual(expect.objectContaining({ check }));
  const alerts = w.db.updateTable('dependency_alerts').where('repository_id', '=', repo.id);
  await alerts.set({ first_patched_version: null }).execute();
  expect(await steps()).toContainEqual({ check, passed: false, because: 'no version mends them yet' });
  await alerts.set({ ecosystem: 'maven' }).execute();
  expect(await steps()).toContainEqual({ check, passed: false, because: 'the bot updates npm, pip, gomod, and not maven' });
});

test('the text of an advisory mentions and links nothing', async () => {
  const { put, answer, pulls } = await botSetting(w);
  const before = { right: '1.0.0' };
  await put(lockPath, lockOf(before));
  const dependencies = [{ name: 'right', from: '1.0.0', to: '2.0.0', type: 'production' as const }];
  await answer([{ dependencies, patch: patchOf(lockPath, lockOf(before), lockOf({ right: '2.0.0' })) }]);
  const [{ body }] = await pulls();
  expect(body).toContain('right leaks &#64;everyone &#91;x&#93;&#40;http://x&#41;');
});

test.each([
  ['another file', { path: '.github/workflows/ci.yml', problem: 'The patch changes .github/workflows/ci.yml' }],
  ['a manifest of another folder', { path: 'package.json', problem: 'The patch changes package.json' }],
  [
    'a file below node_modules',
    { path: 'web/node_modules/a/package.json', problem: 'The patch changes web/node_modules/a/package.json' },
  ],
])('a patch that changes %s is refused', async (_, { path, problem: expected }) => {
  const { put, answer, pulls, problem } = await botSetting(w);
  const before = { left: '1.1.0' };
  await put(path, 'a');
  await put(lockPath, lockOf(before));
  const update = updateOfLeft(before);
  await answer([{ ...update, patch: update.patch + patchOf(path, 'a', 'b') }]);
  expect(await pulls()).toEqual([]);
  expect(await problem()).toEqual({ state: 'done', problem: `left: ${expected}` });
});

test.each([
  ['a result that is no result', 'bm90IGEgcmVzdWx0'],
  ['an empty result', ''],
])('a job that returns %s fails', async (_, result) => {
  const { put, runner, pulls, problem } = await botSetting(w);
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  await runner.end(task, 'success', { outputs: { result } });
  await w.settle();
  expect(await pulls()).toEqual([]);
  expect(await problem()).toEqual({ state: 'failed', problem: 'Its job returned no valid result' });
});

test('a newer version supersedes a pull request', async () => {
  const { put, answer, pulls, client, base, comments } = await botSetting(w);
  const before = { left: '1.1.0' };
  await put(lockPath, lockOf(before));
  await answer([updateOfLeft(before)]);
  const [first] = await pulls();
  const now = { ...before, right: '1.0.0' };
  await put(lockPath, lockOf(now));
  const tasks = [await answer([updateOfLeft(now, '1.3.0')]), await answer([])];
  expect(tasks.map(requestOf)).toMatchObject([
    { security: [{ name: 'left' }], open: [] },
    { security: [{ name: 'left' }, { name: 'right' }], open: [{ dependencies: [{ name: 'left', to: '1.2.0' }] }] },
  ]);
  expect(await pulls()).toMatchObject([{ title: 'Bump left from 1.1.0 to 1.3.0 in /web' }]);
  const [second] = await pulls();
  expect((await client.get(`${base}/pulls/${first.number}`)).body).toMatchObject({ state: 'closed' });
  expect(await comments(first.number)).toEqual([`Superseded by #${second.number}.`]);
});

test('a pull request that people close is not proposed again, until it is reopened', async () => {
  const { put, answer, pulls, client, base, comments, problem, repo } = await botSetting(w);
  const before = { left: '1.1.0' };
  await put(lockPath, lockOf(before));
  await answer([updateOfLeft(before)]);
  const [{ number }] = await pulls();
  await client.patch(`${base}/pulls/${number}`, { state: 'closed' });
  await w.settle();
  expect(await comments(number)).toEqual([expect.stringContaining('won’t be proposed again')]);
  await put(lockPath, lockOf({ ...before, right: '1.0.0' }));
  await answer([updateOfLeft({ ...before, right: '1.0.0' })]);
  expect(await pulls()).toEqual([]);
  expect(await problem()).toMatchObject({ problem: 'left: left 1.2.0 is ignored' });
  expect((await client.patch(`${base}/pulls/${number}`, { state: 'open' })).status).toBe(200);
  await w.settle();
  expect(await w.db.selectFrom('dependency_ignores').select('package').where('repository_id', '=', repo.id).execute()).toEqual(
    [],
  );
});

test('a pull request is made again when it conflicts', async () => {
  const { put, answer, pulls, client, base, runner } = await botSetting(w);
  const before = { left: '1.1.0' };
  await put(lockPath, lockOf(before));
  await answer([updateOfLeft(before)]);
  const [{ number, head }] = await pulls();
  await put('README.md', 'Nothing of dependencies');
  expect(await runner.fetch()).toBeUndefined();
  const now = { ...before, other: '3.0.0' };
  await put(lockPath, lockOf(now));
  const task = await answer([updateOfLeft(now)]);
  expect(requestOf(task)).toMatchObject({ security: [{ name: 'left' }], open: [] });
  const { body: pull } = await client.get(`${base}/pulls/${number}`);
  expect(pull).toMatchObject({ state: 'open', head: { ref: head.ref } });
  expect(pull.head.sha).not.toBe(head.sha);
  expect((await client.get(`${base}/pulls/${number}`)).body.mergeable).toBe(true);
  expect(await pulls()).toHaveLength(1);
});

test('a branch to which somebody else has pushed is left alone, unless it is to be made again', async () => {
  const { put, answer, pulls, client, base, runner, comment, problem } = await botSetting(w);
  const before = { left: '1.1.0' };
  await put(lockPath, lockOf(before));
  await answer([updateOfLeft(before)]);
  const [{ number, head }] = await pulls();
  const { body } = await client.put(`${base}/contents/note.txt`, { message: 'Note', content: '', branch: head.ref });
  await w.settle();
  const now = { ...before, other: '3.0.0' };
  await put(lockPath, lockOf(now));
  expect(await runner.fetch()).toBeUndefined();
  await comment(number, '@dependabot rebase');
  await answer([updateOfLeft(now)]);
  expect(await problem()).toMatchObject({ problem: `left: Somebody else has pushed to ${head.ref}` });
  expect((await client.get(`${base}/pulls/${number}`)).body.head.sha).toBe(body.commit.sha);
  await comment(number, 'Please:\n@dependabot recreate');
  await answer([updateOfLeft(now)]);
  expect(await problem()).toMatchObject({ state: 'done', problem: null });
  expect((await client.get(`${base}/pulls/${number}`)).body.head.sha).not.toBe(body.commit.sha);
});

test('commands are for people who may write, and ignoring closes the pull request', async () => {
  const { put, answer, pulls, client, base, comment, comments, problem, org } = await botSetting(w);
  const before = { left: '1.1.0' };
  await put(lockPath, lockOf(before));
  await answer([updateOfLeft(before)]);
  const [{ number }] = await pulls();
  const stranger = await w.as(await w.user(fresh('stranger')));
  await comment(number, '@dependabot ignore this dependency', stranger);
  expect((await comments(number)).at(-1)).toBe('Only people who may write to this repository can give commands.');
  const app = await installApp(w, { on: org, permissions: { issues: 'write', pull_requests: 'write' } });
  await comment(number, '@dependabot ignore this dependency', await w.as(app.token));
  expect(await pulls()).toHaveLength(1);
  await comment(number, '@dependabot dance');
  expect((await comments(number)).at(-1)).toContain('The commands are');
  expect(await pulls()).toHaveLength(1);
  await comment(number, '@dependabot ignore this minor version');
  expect((await client.get(`${base}/pulls/${number}`)).body.state).toBe('closed');
  const now = { ...before, right: '1.0.0' };
  await put(lockPath, lockOf(now));
  await answer([updateOfLeft(now, '1.2.5')]);
  expect(await problem()).toMatchObject({ problem: 'left: left 1.2.5 is ignored' });
});

test('an alert that is dismissed needs no pull request any more', async () => {
  const { put, answer, pulls, client, base, comments } = await botSetting(w);
  const before = { left: '1.1.0' };
  await put(lockPath, lockOf(before));
  await answer([updateOfLeft(before)]);
  const [{ number }] = await pulls();
  await client.patch(`${base}/dependabot/alerts/1`, { state: 'dismissed', dismissed_reason: 'not_used' });
  await w.settle();
  expect(await pulls()).toEqual([]);
  expect(await comments(number)).toEqual(['These dependencies need no update any more.']);
});

test('packages whose branches would have one name get two, and one package has one pull request', async () => {
  const { put, answer, pulls, problem } = await botSetting(w);
  const before = { left: '1.1.0' };
  await put(lockPath, lockOf(before));
  const scoped = {
    ...updateOfLeft(before),
    dependencies: [{ name: '@left', from: '1.1.0', to: '1.2.0', type: 'production' as const }],
  };
  await answer([updateOfLeft(before), scoped, updateOfLeft(before, '1.4.0')]);
  const heads = (await pulls('all')).map(({ head }: { head: { ref: string } }) => head.ref);
  expect(heads).toEqual([
    'dependency-bot/npm_and_yarn/web/left-1.2.0',
    expect.stringMatching(/^dependency-bot.npm_and_yarn.web.left-1.2.0-[0-9a-f]{10}$/),
  ]);
  expect(await problem()).toMatchObject({ problem: 'left: another update of it is proposed' });
});

test('two versions of a package have a pull request each', async () => {
  const { put, answer, pulls, problem } = await botSetting(w);
  const before = { left: '1.1.0' };
  await put(lockPath, lockOf(before));
  const update = (from: string, to: string) => ({
    ...updateOfLeft(before, to),
    dependencies: [{ name: 'left', from, to, type: 'production' as const }],
  });
  await answer([update('0.9.0', '0.9.5'), update('1.1.0', '1.2.0')]);
  expect(await problem()).toEqual({ state: 'done', problem: null });
  const titles = async () => (await pulls()).map(({ title }: { title: string }) => title);
  expect(await titles()).toEqual(['Bump left from 0.9.0 to 0.9.5 in /web', 'Bump left from 1.1.0 to 1.2.0 in /web']);
});

test('an update that replaces two versions by one says both', async () => {
  const { put, answer, pulls } = await botSetting(w);
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const dependencies = ['0.9.0', '1.1.0'].map((from) => ({ name: 'left', from, to: '1.2.0', type: 'production' as const }));
  await answer([{ ...updateOfLeft({ left: '1.1.0' }), dependencies }]);
  expect(await pulls()).toMatchObject([{ title: 'Bump left from 0.9.0, 1.1.0 to 1.2.0 in /web' }]);
});

test('a pull request lists the advisories of its own ecosystem alone', async () => {
  const { put, answer, pulls } = await botSetting(w);
  await writeAdvisory(
    w.advisories,
    advisoryOf('GHSA-4567-89cf-ghjm', 'left', '9.0', {
      affected: [
        {
          package: { ecosystem: 'PyPI', name: 'left' },
          ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '9.0' }] }],
        },
      ],
    }),
  );
  await loadFolder(w);
  const before = { left: '1.1.0' };
  await put('requirements.txt', 'left==1.0\n');
  await answer([]);
  await put(lockPath, lockOf(before));
  // The first search looks in the new commit again.
  await answer([]);
  await answer([updateOfLeft(before)]);
  const [{ body }] = await pulls();
  expect(body).toContain('GHSA-2345-6789-cfgh');
  expect(body).not.toContain('GHSA-4567-89cf-ghjm');
});

test('an archived repository stays as it is', async () => {
  const { put, runner, client, base, problem } = await botSetting(w);
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const task = await runner.fetch();
  await client.patch(base, { archived: true });
  if (task) await runner.end(task, 'success', { outputs: { result: encoded([updateOfLeft({ left: '1.1.0' })]) } });
  await w.settle();
  expect((await client.get(`${base}/branches`)).body).toHaveLength(1);
  expect(await problem()).not.toMatchObject({ state: 'running' });
});

test('rules of the repository hold for the bot', async () => {
  const { put, answer, pulls, client, base, problem } = await botSetting(w);
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const ruleset = {
    name: 'Named',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['refs/heads/dependency-bot/**/*'], exclude: [] } },
    rules: [{ type: 'creation' }],
  };
  expect((await client.post(`${base}/rulesets`, ruleset)).status).toBe(201);
  await answer([updateOfLeft({ left: '1.1.0' })]);
  expect(await pulls()).toEqual([]);
  expect((await problem())?.problem).toMatch(/^left: .*creation/s);
});

test('a failed job is not tried again for the same commit, until people run it again', async () => {
  const { put, runner, problem, client, base, answer, pulls } = await botSetting(w);
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  await runner.end(task, 'failure');
  await w.settle();
  expect(await problem()).toEqual({ state: 'failed', problem: 'Its run ended with failure' });
  expect(await runner.fetch()).toBeUndefined();
  const [{ id }] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  expect((await client.post(`${base}/actions/runs/${id}/rerun`)).status).toBe(201);
  await answer([updateOfLeft({ left: '1.1.0' })]);
  expect(await pulls()).toHaveLength(1);
  expect(await problem()).toEqual({ state: 'done', problem: null });
});
