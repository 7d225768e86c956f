import { expect, test } from 'vitest';
import { commandOf } from '#resources/actions/dependency-updates/command-text.ts';
import { lockOf } from '#test/resources/security/dependency-alerts/setting.ts';
import { computing } from '#test/support/time.ts';
import { botSetting, botWorld, lockPath, patchOf, requestOf, updateOfLeft } from './setting.ts';

const w = await botWorld();

test.each([
  ['@dependabot rebase', { name: 'rebase' }],
  ['Please:\r\n  @Hearth-Dependency-Bot   recreate  ', { name: 'recreate' }],
  ['@dependabot reopen', { name: 'reopen' }],
  ['@dependabot ignore this major version', { name: 'ignore', part: 'major', dependency: undefined }],
  ['@dependabot ignore Left patch version', { name: 'ignore', part: 'patch', dependency: 'Left' }],
  ['@dependabot ignore left', { name: 'ignore', part: 'dependency', dependency: 'left' }],
  ['@dependabot unignore *', { name: 'unignore', dependency: '*', condition: undefined }],
  ['@dependabot unignore left >= 1.2.0, < 2.0.0', { name: 'unignore', dependency: 'left', condition: '>= 1.2.0, < 2.0.0' }],
  ['@dependabot show left ignore conditions', { name: 'show', dependency: 'left' }],
  ['@dependabot ignore', 'unknown'],
  ['@dependabot ignore this constructor', 'unknown'],
  ['@dependabot rebase now', 'unknown'],
  ['@dependabot unignore', 'unknown'],
  ['thanks @dependabot rebase', undefined],
  ['@dependabot', undefined],
  ['@dependabots rebase', undefined],
])('%j has the command %o', (text, command) => {
  expect(commandOf(text)).toEqual(command);
});

test('a crafted comment takes no time', () => {
  const lines = [
    '@dependabot',
    '@dependabot x '.padEnd(10_000),
    `@dependabot ${' \t'.repeat(5_000)}`,
    `@dependabot\v${'\v'.repeat(10_000)}`,
  ];
  for (const line of lines) expect(computing(() => commandOf(`${line}\n${line}`))).toBeLessThan(20);
});

/** A pull request of the bot that updates two packages together. */
async function groupSetting() {
  const setting = await botSetting(w);
  const before = { left: '1.1.0', right: '1.0.0' };
  await setting.put(lockPath, lockOf(before));
  await setting.answer([
    {
      group: 'both',
      dependencies: [
        { name: 'left', from: '1.1.0', to: '1.2.0', type: 'production' },
        { name: 'right', from: '1.0.0', to: '2.0.0', type: 'production' },
      ],
      patch: patchOf(lockPath, lockOf(before), lockOf({ left: '1.2.0', right: '2.0.0' })),
    },
  ]);
  const [{ number }] = await setting.pulls();
  return { ...setting, before, number };
}

test('what is ignored is shown, and is proposed again after unignore', async () => {
  const { comment, comments, number, pulls, runner, answer, before, problem } = await groupSetting();
  await comment(number, '@dependabot ignore other');
  expect((await comments(number)).at(-1)).toBe('This pull request updates no `other`.');
  await comment(number, '@dependabot ignore LEFT minor version');
  expect(await pulls()).toEqual([]);
  await comment(number, '@dependabot rebase');
  expect((await comments(number)).at(-1)).toBe('This pull request is closed. `reopen` opens it again.');
  await comment(number, '@dependabot show right ignore conditions');
  expect((await comments(number)).at(-1)).toBe('Nothing of `right` is ignored.');
  await comment(number, '@dependabot show left ignore conditions');
  expect((await comments(number)).at(-1)).toBe('Of `left`, these versions are ignored:\n\n- `>= 1.2.0, < 1.3.0`');
  await comment(number, '@dependabot unignore left = 1.0.0');
  expect((await comments(number)).at(-1)).toContain('Nothing of that is ignored.');
  expect(await runner.fetch()).toBeUndefined();
  await comment(number, '@dependabot unignore left >= 1.2.0, < 1.3.0');
  expect((await comments(number)).at(-1)).toBe('`left`: these versions are proposed again by the next search.');
  await answer([updateOfLeft(before)]);
  expect(await problem()).toEqual({ state: 'done', problem: null });
  expect(await pulls()).toMatchObject([{ title: 'Bump left from 1.1.0 to 1.2.0 in /web' }]);
});

test('unignore takes all of a pull request, and not more', async () => {
  const { comment, comments, number, repo } = await groupSetting();
  await comment(number, '@dependabot close');
  const rows = () =>
    w.db.selectFrom('dependency_ignores').select('package').where('repository_id', '=', repo.id).orderBy('package').execute();
  const other = { ecosystem: 'npm' as const, package: 'other', created_at: w.clock.now };
  await w.db
    .insertInto('dependency_ignores')
    .values({ repository_id: repo.id, ...other })
    .execute();
  expect(await rows()).toEqual([{ package: 'left' }, { package: 'other' }, { package: 'right' }]);
  await comment(number, '@dependabot unignore *');
  expect((await comments(number)).at(-1)).toBe('`left`, `right`: these versions are proposed again by the next search.');
  expect(await rows()).toEqual([{ package: 'other' }]);
});

test('a closed pull request is reopened, and its versions are proposed again', async () => {
  const { comment, comments, number, pulls, repo, client, base } = await groupSetting();
  await client.patch(`${base}/pulls/${number}`, { state: 'closed' });
  await w.settle();
  await comment(number, '@dependabot reopen');
  expect(await pulls()).toMatchObject([{ number, state: 'open' }]);
  const ignores = await w.db.selectFrom('dependency_ignores').select('id').where('repository_id', '=', repo.id).execute();
  expect(ignores).toEqual([]);
  await client.patch(`${base}/pulls/${number}`, { state: 'closed' });
  await w.settle();
  const { head } = (await client.get(`${base}/pulls/${number}`)).body;
  await client.delete(`${base}/git/refs/heads/${head.ref}`);
  await w.settle();
  await comment(number, '@dependabot reopen');
  expect((await comments(number)).at(-1)).toMatch(/^It can’t be reopened: /);
});

test('renamed branches of a pull request are followed', async () => {
  const { put, answer, pulls, client, base } = await botSetting(w);
  const before = { left: '1.1.0' };
  await put(lockPath, lockOf(before));
  await answer([updateOfLeft(before)]);
  const [{ number, head }] = await pulls();
  const rename = async (from: string, name: string) => {
    expect((await client.post(`${base}/branches/${encodeURIComponent(from)}/rename`, { new_name: name })).status).toBe(201);
    await w.settle();
  };
  await rename('main', 'trunk');
  await rename(head.ref, 'left-update');
  expect(await pulls()).toMatchObject([{ number, head: { ref: 'left-update' }, base: { ref: 'trunk' } }]);
  const now = { ...before, other: '3.0.0' };
  await put(lockPath, lockOf(now), 'trunk');
  const task = await answer([updateOfLeft(now)]);
  expect(requestOf(task)).toMatchObject({ security: [{ name: 'left' }], open: [] });
  const { body: pull } = await client.get(`${base}/pulls/${number}`);
  expect(pull).toMatchObject({ state: 'open', head: { ref: 'left-update' } });
  expect(pull.head.sha).not.toBe(head.sha);
  await client.put(`${base}/pulls/${number}/merge`);
  await w.settle();
  const { body: branches } = await client.get(`${base}/branches`);
  expect(branches.map(({ name }: { name: string }) => name)).toEqual(['trunk']);
});
