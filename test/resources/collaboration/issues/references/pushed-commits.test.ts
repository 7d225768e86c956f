import { expect, test } from 'vitest';
import { git } from '#test/git/support.ts';
import { addressOf, change, workTree } from '#test/server/git-http/support.ts';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, repo, token, settle, url, db } = w;

type Entry = { event: string; commit_id: string | null; actor: { login: string } };

/** A repository with two issues, and its owner's working copy, of which nothing is pushed yet. */
async function place(visibility: 'public' | 'private' = 'public') {
  const owner = await user();
  const engine = await repo(owner, { visibility });
  const path = `/repos/${owner.login}/${engine.name}`;
  const client = await as(owner);
  for (const title of ['One', 'Two']) await client.post(`${path}/issues`, { title });
  const address = addressOf(w, engine, await token(owner));
  const folder = await workTree();
  const push = async (...args: string[]) => {
    await git(folder, 'push', '-q', address, ...args);
    await settle();
  };
  const commit = (message: string) => change(folder, {}, message);
  const events = async (number: number): Promise<[string, string | null][]> =>
    (await client.get(`${path}/issues/${number}/events`)).body.map(({ event, commit_id }: Entry) => [event, commit_id]);
  return { owner, engine, path, client, folder, address, push, commit, events };
}

test('a pushed commit refers to issues, and closes them by a keyword', async () => {
  const { owner, path, client, push, commit, events } = await place();
  const seen = await commit('Look into #2');
  const fixed = await commit('Fixes #1, and #2 is next');
  await commit('Closes #1');
  await push('main');

  expect(await events(2)).toEqual([
    ['referenced', seen],
    ['referenced', fixed],
  ]);
  expect((await events(1)).slice(0, 2)).toEqual([
    ['referenced', fixed],
    ['closed', fixed],
  ]);
  const { body } = await client.get(`${path}/issues/1/timeline`);
  expect(body[1]).toMatchObject({
    event: 'closed',
    actor: { login: owner.login },
    state_reason: 'completed',
    commit_id: fixed,
    commit_url: `${url}/api/v3${path}/commits/${fixed}`,
  });
  expect((await client.get(`${path}/issues/1`)).body).toMatchObject({
    state: 'closed',
    state_reason: 'completed',
    closed_by: { login: owner.login },
  });
  expect((await client.get(path)).body.open_issues_count).toBe(1);
});

test('a commit counts once, on the default branch, whatever brings it again', async () => {
  const { path, client, folder, push, commit, events } = await place();
  await push('main');
  await git(folder, 'switch', '-q', '-c', 'topic');
  const fixed = await commit('Fixes #1');
  await push('topic');
  expect(await events(1)).toEqual([]);

  await push('topic:main');
  const once = [
    ['referenced', fixed],
    ['closed', fixed],
  ];
  expect(await events(1)).toEqual(once);
  await client.patch(`${path}/issues/1`, { state: 'open' });
  await push('-f', 'main');
  await push('topic:main');
  await push('topic:again');
  expect(await events(1)).toEqual([...once, ['reopened', null]]);
  expect((await client.get(`${path}/issues/1`)).body.state).toBe('open');
});

test('a commit refers to public issues of other repositories, closes none, and is shown to those who may read it', async () => {
  const [open, secret, from] = [await place(), await place(), await place('private')];
  await open.client.post(`${open.path}/issues/1/comments`, { body: 'First' });
  await db.updateTable('repositories').set({ visibility: 'private' }).where('id', '=', secret.engine.id).execute();
  await w.collaborator(secret.engine, from.owner, 'write');
  await w.collaborator(open.engine, from.owner, 'admin');
  const named = ({ path }: typeof open) => path.slice('/repos/'.length);
  const oid = await from.commit(`Fixes ${named(open)}#1, fixes ${named(secret)}#1`);
  await from.push('main');

  const seen = await (await as(from.owner)).get(`${open.path}/issues/1/events`);
  expect(seen.body).toMatchObject([{ event: 'referenced', commit_url: `${url}/api/v3${from.path}/commits/${oid}` }]);
  const one = `${open.path}/issues/events/${seen.body[0].id}`;
  expect((await (await as(from.owner)).get(one)).status).toBe(200);
  expect((await open.client.get(one)).status).toBe(404);
  expect(await open.events(1)).toEqual([]);
  expect((await open.client.get(`${open.path}/issues/events`)).body).toEqual([]);
  expect((await open.client.get(`${open.path}/issues/1/timeline`)).body).toMatchObject([{ event: 'commented' }]);
  expect((await open.client.get(`${open.path}/issues/1`)).body.state).toBe('open');
  expect(await secret.events(1)).toEqual([]);
});

test('what a fork takes over from its source does not mean issues of the fork', async () => {
  const { path, commit, push } = await place();
  await commit('Fixes #1');
  await push('main');
  const forker = await user();
  const client = await as(forker);
  const { body: fork } = await client.post(`${path}/forks`, { name: fresh('fork') });
  const forkPath = `/repos/${fork.full_name}`;
  await client.patch(forkPath, { has_issues: true });
  await client.post(`${forkPath}/issues`, { title: 'Of the fork' });
  await settle();
  await commit('Fixes #1 again');
  await push('main');
  expect((await client.post(`${forkPath}/merge-upstream`, { branch: 'main' })).body.merge_type).toBe('fast-forward');
  await settle();
  expect((await client.get(`${forkPath}/issues/1/events`)).body).toEqual([]);

  const content = Buffer.from('x').toString('base64');
  await client.put(`${forkPath}/contents/own.txt`, { message: 'Fixes #1, in the fork', content });
  await settle();
  const { body } = await client.get(`${forkPath}/issues/1/events`);
  expect(body.map(({ event }: Entry) => event)).toEqual(['referenced', 'closed']);
});

test('what an app pushes names the app, and people whom a commit mentions have rows', async () => {
  const { owner, engine, path, client, events } = await place();
  const { token: installed, bot } = await installApp(w, { on: owner, permissions: { contents: 'write' } });
  const ada = await user(fresh('ada'));
  const content = Buffer.from('x').toString('base64');
  await (await as(installed)).put(`${path}/contents/a.txt`, { message: `Resolves: #1\n\n@${ada.login}`, content });
  await settle();
  expect((await events(1)).map(([event]) => event)).toEqual(['referenced', 'closed']);
  const { body } = await client.get(`${path}/issues/1/events`);
  expect(body[1]).toMatchObject({
    actor: { login: bot.login },
    performed_via_service_app: { slug: bot.login.replace('[bot]', '') },
  });
  const rows = await db
    .selectFrom('text_references')
    .selectAll()
    .where('repository_id', '=', engine.id)
    .orderBy('kind')
    .execute();
  expect(rows).toMatchObject([
    { kind: 'issue', closes: true, commit_sha: body[1].commit_id, issue_id: null },
    { kind: 'mention', account_id: ada.id, commit_sha: body[1].commit_id },
  ]);
});

test('of one message a hundred references count', async () => {
  const { commit, push, events } = await place();
  const others = Array.from({ length: 99 }, (_, index) => `#${index + 1_000}`).join(' ');
  const oid = await commit(`${others} fixes #1, fixes #2`);
  await push('main');
  expect(await events(1)).toEqual([
    ['referenced', oid],
    ['closed', oid],
  ]);
  expect(await events(2)).toEqual([]);
});

test('a repository without issues, and a deleted branch, cause nothing', async () => {
  const { path, client, commit, push, events } = await place();
  await client.patch(path, { has_issues: false });
  await commit('Fixes #1');
  await push('main');
  await push('main:topic');
  await push('--delete', 'topic');
  await client.patch(path, { has_issues: true });
  expect(await events(1)).toEqual([]);
  expect((await client.get(`${path}/issues/1`)).body.state).toBe('open');
});
