// Threads of commits: who is told of a message that mentions them, by real pushes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { setTeamMember, setTeamRole } from '#resources/identity/teams/index.ts';
import { git } from '#test/git/support.ts';
import { team } from '#test/resources/identity/teams/setting.ts';
import { addressOf, change, head, workTree } from '#test/server/git-http/support.ts';
import { fresh, world } from '#test/support/world.ts';
import { inbox, makeStage, reasonsIn, threadStatuses } from './stage.ts';

const w = await world({ resourceLimits: { notifications: { pushedCommits: 3 } } });
const everything = '/notifications?all=true';
const later = (seconds: number) => {
  w.clock.now = new Date(w.clock.now.getTime() + seconds * 1_000);
};

type Pushed = RepositoryRow & { owner: Account };

/** A working copy of somebody's. */
async function workingCopy(repo: Pushed, by: Account) {
  const folder = await workTree();
  const address = addressOf(w, repo, await w.token(by));
  return {
    folder,
    commit: (message: string) => change(folder, {}, message),
    async push(...args: string[]) {
      await git(folder, 'push', '-q', address, ...args);
      await w.settle();
    },
  };
}

async function place(visibility: 'public' | 'private' = 'public') {
  const [ada, bob] = [await w.user(), await w.user()];
  const stage = await makeStage(w, ada, visibility);
  return { ada, bob, stage, asAda: await w.as(ada), asBob: await w.as(bob), ...(await workingCopy(stage.repo, ada)) };
}

/** Somebody with one unread thread, of a commit. */
async function reader() {
  const found = await place();
  await found.commit(`Mend the pump\n\nSee it, @${found.bob.login}`);
  await found.push('main');
  const [thread] = await inbox(found.asBob);
  return { ...found, path: `/notifications/threads/${thread?.id}` };
}

test('who is mentioned in a pushed commit gets a thread of it, whose addresses lead to the commit', async () => {
  const { bob, asBob, stage, commit, push } = await place();
  const oid = await commit(`Mend the pump \n\nAs @${bob.login} and nobody-${bob.login}@example.org said, @no-such-person`);
  await push('main');
  const { body } = await asBob.get('/notifications');
  const url = `${w.url}/api/v3${stage.base}/commits/${oid}`;
  expect(body).toMatchObject([{ reason: 'mention', unread: true, last_read_at: null, repository: { id: stage.repo.id } }]);
  expect(body[0].subject).toEqual({ title: 'Mend the pump', url, latest_comment_url: url, type: 'Commit' });
  expect((await asBob.get(url.slice(`${w.url}/api/v3`.length))).body).toMatchObject({ sha: oid });
  expect((await asBob.get(`/notifications/threads/${body[0].id}`)).body).toEqual(body[0]);
});

test('a title is the first line of a message, up to 256 characters', async () => {
  const { bob, asBob, commit, push } = await place();
  await commit(`${'long '.repeat(60)}@${bob.login}`);
  await push('main');
  expect(await inbox(asBob)).toMatchObject([{ title: 'long '.repeat(52).slice(0, 256).trimEnd() }]);
});

test('a mentioned team is told, as far as it wants to be; who is mentioned beside it is told of that', async () => {
  const [ada, bob, carl, dora, eve] = [await w.user(), await w.user(), await w.user(), await w.user(), await w.user()];
  const org = await w.org(ada);
  for (const user of [bob, carl, dora, eve]) await w.member(org, user);
  const repo = await w.repo(org, { visibility: 'private', by: ada });
  const crew = await team(w, org, { privacy: 'closed' });
  const below = await team(w, org, { privacy: 'closed', parent: crew.id });
  const quiet = await team(w, org, { privacy: 'closed', notification_setting: 'notifications_disabled' });
  const common = { by: ada.id, now: w.clock.now };
  const join = (to: typeof crew, user: Account) =>
    w.change((scope) => setTeamMember(scope, { team: to, user, role: 'member', ...common }));
  for (const one of [crew, quiet])
    await w.change((scope) => setTeamRole(scope, { team: one, repository: repo, role: 'read', ...common }));
  for (const user of [ada, bob, dora]) await join(crew, user);
  await join(below, carl);
  await join(quiet, eve);
  await w.settle();
  const { commit, push } = await workingCopy(repo, ada);
  await commit(`Mend the pump\n\n@${org.login}/${crew.slug}, @${org.login}/${quiet.slug}, and @${dora.login}`);
  await push('main');
  const told = await Promise.all([ada, bob, carl, dora, eve].map(async (user) => reasonsIn(await w.as(user))));
  expect(told).toEqual([[], ['team_mention'], ['team_mention'], ['mention'], []]);
});

test('nobody is told of what they pushed or wrote', async () => {
  const { ada, stage, commit, push, folder } = await place();
  const author = await w.user(fresh('author'), { email: 'Author@Example.org' });
  await commit(`By myself, @${ada.login}`);
  await git(folder, 'commit', '-q', '--allow-empty', '--author', 'A <author@example.org>', '-m', `Of @${author.login}`);
  await push('main');
  expect(await reasonsIn(await w.as(ada))).toEqual([]);
  expect(await reasonsIn(await w.as(author))).toEqual([]);

  await w.collaborator(stage.repo, author, 'write');
  await git(folder, 'commit', '-q', '--allow-empty', '-m', `Of Ada, for @${author.login}`);
  await push('main');
  expect(await reasonsIn(await w.as(author))).toEqual(['mention']);
});

test('a commit is told once, when it comes to the default branch, whatever brings it again', async () => {
  const { bob, asAda, asBob, stage, commit, push, folder } = await place();
  await push('main');
  const former = await head(folder);
  await git(folder, 'switch', '-q', '-c', 'topic');
  await commit(`Mend it, @${bob.login}`);
  await push('topic');
  expect(await inbox(asBob)).toEqual([]);
  await push('topic:main');
  expect(await reasonsIn(asBob)).toEqual(['mention']);
  await asBob.put('/notifications');

  later(60);
  await push('-f', `${former}:main`);
  await push('topic:main');
  await push('topic:again');
  await asAda.patch(stage.base, { default_branch: 'again' });
  await push('--delete', 'main');
  await push('topic:main');
  expect(await inbox(asBob, everything)).toMatchObject([{ unread: false }]);
  await commit('Mend more');
  await push('topic:again');
  expect(await inbox(asBob, everything)).toHaveLength(1);
});

test('who could not read the repository when a commit came is told when it is pushed again, others are not', async () => {
  const { bob, asBob, stage, commit, push, folder } = await place('private');
  const carl = await w.user();
  await w.collaborator(stage.repo, bob, 'read');
  await push('main');
  const former = await head(folder);
  await commit(`For @${bob.login} and @${carl.login}`);
  await push('main');
  await asBob.put('/notifications');
  await w.collaborator(stage.repo, carl, 'read');
  expect(await inbox(await w.as(carl), everything)).toEqual([]);
  later(60);
  await git(folder, 'branch', 'kept');
  await push('-f', `${former}:main`);
  await push('kept:main');
  expect(await reasonsIn(await w.as(carl))).toEqual(['mention']);
  expect(await inbox(asBob, everything)).toMatchObject([{ unread: false }]);
});

test('what a fork takes over tells nobody, what is new in it does', async () => {
  const { bob, asBob, stage, commit, push } = await place();
  await commit(`For @${bob.login}`);
  await push('main');
  const forker = await w.user();
  const { body: fork } = await (await w.as(forker)).post(`${stage.base}/forks`, { name: fresh('fork') });
  await w.settle();
  await commit(`Again for @${bob.login}`);
  await push('main');
  await (await w.as(forker)).post(`/repos/${fork.full_name}/merge-upstream`, { branch: 'main' });
  await w.settle();
  expect(await inbox(asBob)).toHaveLength(2);
  const content = Buffer.from('x').toString('base64');
  await (await w.as(forker)).put(`/repos/${fork.full_name}/contents/own.txt`, { message: `@${bob.login}`, content });
  await w.settle();
  expect(await inbox(asBob, `/repos/${fork.full_name}/notifications`)).toMatchObject([{ reason: 'mention' }]);
});

test('a repository turned private hides its commits, from counts too, and shows them again with the access', async () => {
  const { ada, bob, asAda, asBob, stage, path } = await reader();
  const other = await makeStage(w, ada);
  await other.comment(ada, await other.open(bob, { title: 'there' }));
  await asAda.patch(stage.base, { visibility: 'private' });
  const paged = await asBob.get('/notifications?per_page=1');
  expect(paged.body).toMatchObject([{ subject: { title: 'there' } }]);
  expect(paged.headers.link).toBeUndefined();
  expect((await asBob.get(`${stage.base}/notifications`)).status).toBe(404);
  expect(await threadStatuses(asBob, path)).toEqual([404, 404, 404, 404, 404, 404]);
  await asAda.patch(stage.base, { visibility: 'public' });
  expect(await reasonsIn(asBob)).toEqual(['author', 'mention']);
});

test('who may not read the repository, and who ignores it, is not told', async () => {
  const { bob, stage, commit, push } = await place('private');
  const [reading, ignoring] = [await w.user(), await w.user()];
  for (const user of [reading, ignoring]) await w.collaborator(stage.repo, user, 'read');
  await (await w.as(ignoring)).put(`${stage.base}/subscription`, { ignored: true });
  await commit([bob, reading, ignoring].map(({ login }) => `@${login}`).join(' '));
  await push('main');
  const told = await sql`select account_id from notification_threads where repository_id = ${stage.repo.id}`.execute(w.db);
  expect(told.rows).toEqual([{ account_id: reading.id }]);
});

test('read, done, all, participating, since and before go for commits as for issues', async () => {
  const { bob, asBob, stage, commit, push, path } = await reader();
  const between = new Date(w.clock.now.getTime() + 30_000).toISOString();
  later(60);
  await commit(`Once more, @${bob.login}`);
  await push('main');
  const titles = async (query: string, list = '/notifications') =>
    (await inbox(asBob, `${list}?${query}`)).map(({ title }) => title);
  expect(await titles('')).toEqual([`Once more, @${bob.login}`, 'Mend the pump']);
  expect(await titles('participating=true')).toHaveLength(2);
  expect(await titles(`since=${between}`)).toEqual([`Once more, @${bob.login}`]);
  expect(await titles(`before=${between}`, `${stage.base}/notifications`)).toEqual(['Mend the pump']);
  expect((await asBob.put(`${stage.base}/notifications`, { last_read_at: between })).status).toBe(205);
  expect(await titles('')).toEqual([`Once more, @${bob.login}`]);
  expect((await asBob.delete(path)).status).toBe(204);
  expect(await titles('all=true')).toEqual([`Once more, @${bob.login}`]);
});

test('who is mentioned in a commit subscribes to it, and may mute, ignore and subscribe to it by hand', async () => {
  const { asBob, path } = await reader();
  const subscription = `${path}/subscription`;
  expect((await asBob.get(subscription)).body).toMatchObject({ subscribed: true, ignored: false, reason: 'mention' });
  expect((await asBob.put(subscription, { ignored: true })).body).toMatchObject({ subscribed: false, ignored: true });
  expect((await asBob.put(subscription)).body).toMatchObject({ subscribed: true, ignored: false, reason: 'manual' });
  expect((await asBob.delete(subscription)).status).toBe(204);
  expect((await asBob.get(subscription)).body).toMatchObject({ subscribed: false, ignored: false, reason: null });
});

test('a poll is answered in full after a commit that mentions somebody, and by 304 after one that does not', async () => {
  const { bob, asBob, commit, push } = await reader();
  const poll = async (time = '') => {
    const { status, headers } = await asBob.get('/notifications', { headers: { 'if-modified-since': time } });
    return { status, time: headers['last-modified'] };
  };
  const first = await poll();
  await commit('For nobody');
  await push('main');
  expect(await poll(first.time)).toEqual({ status: 304, time: first.time });
  await commit(`For @${bob.login}`);
  await push('main');
  expect((await poll(first.time)).status).toBe(200);
});

test('of a push of thousands of commits with mentions, the latest are told, up to a limit', async () => {
  const { bob, asBob, folder, commit, push } = await place();
  await addCommits(folder, 2_000, (number) => `Step ${number}, @${bob.login}`);
  await commit('For nobody');
  await push('main');
  const titles = (await inbox(asBob)).map(({ title }) => title);
  expect(titles).toEqual([2_000, 1_999, 1_998].map((number) => `Step ${number}, @${bob.login}`));
});

/** Adds commits without changes to the branch main of a working copy. */
async function addCommits(folder: string, count: number, message: (number: number) => string): Promise<void> {
  const importing = spawn('git', ['fast-import', '--quiet'], { cwd: folder, stdio: ['pipe', 'ignore', 'inherit'] });
  for (let number = 1; number <= count; number++) {
    const text = message(number);
    const from = number === 1 ? 'from refs/heads/main^0\n' : '';
    importing.stdin.write(
      `commit refs/heads/main\ncommitter A <a@example.org> ${number} +0000\ndata ${text.length}\n${text}\n${from}\n`,
    );
  }
  importing.stdin.end();
  expect(await once(importing, 'close')).toEqual([0, null]);
}

test('threads of all kinds stand in one list, whose number of statements their number does not change', async () => {
  const { ada, bob, stage, commit, push, asBob } = await place('private');
  const asAda = await w.as(ada);
  const invite = async (base: string) => {
    await asAda.put(`${base}/collaborators/${bob.login}`);
    const [invitation] = (await asBob.get('/user/repository_invitations')).body;
    await asBob.patch(`/user/repository_invitations/${invitation.id}`);
    await w.settle();
  };
  const fill = async () => {
    await stage.comment(ada, await stage.open(bob));
    await commit(`For @${bob.login}`);
    await push('main');
  };
  await invite(stage.base);
  await fill();
  const { body } = await asBob.get('/notifications');
  const types = body.map(({ subject }: { subject: { type: string } }) => subject.type);
  expect(types.toSorted()).toEqual(['Commit', 'Issue', 'RepositoryInvitation']);
  const statements = await w.statements(bob, '/notifications');
  await invite((await makeStage(w, ada, 'private')).base);
  await fill();
  await fill();
  expect(await inbox(asBob)).toHaveLength(8);
  expect(await w.statements(bob, '/notifications')).toBe(statements);
});

test('subjects and threads are deleted with what they are about, and inboxes tell it', async () => {
  const { ada, bob, asAda, asBob, stage } = await reader();
  for (const title of ['one', 'two', 'three']) await stage.comment(ada, await stage.open(bob, { title }));
  const time = async () => (await asBob.get('/notifications')).headers['last-modified'] ?? '';
  const before = await time();
  await sql`delete from issues where repository_id = ${stage.repo.id} and number = 1`.execute(w.db);
  expect((await inbox(asBob)).map(({ title }) => title).toSorted()).toEqual(['Mend the pump', 'three', 'two']);
  const between = await time();
  expect(between).not.toBe(before);
  await asAda.delete(stage.base);
  expect(await inbox(asBob, everything)).toEqual([]);
  // An inbox changes once, however many of its threads are deleted.
  expect(Date.parse(await time()) - Date.parse(between)).toBe(1_000);
  const { rows } = await sql`select from notification_subjects where repository_id = ${stage.repo.id}`.execute(w.db);
  expect(rows).toEqual([]);
});
