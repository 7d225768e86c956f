import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mustUpdateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import { commit, git } from '#test/git/support.ts';
import { fresh, type World, world } from '#test/support/world.ts';
import { archiveOf, download, unpack } from './support.ts';

const here: World = await world();

/** A private repository with two commits, a tag, a hidden ref, and an issue with all that belongs to it. */
async function full() {
  const owner = await here.user(fresh('owner'), { email: `${fresh('owner')}@example.org`, name: 'Olga' });
  const other = await here.user(fresh('other'), { email: `${fresh('other')}@example.org` });
  const repo = await here.repo(owner, { visibility: 'private' });
  await here.collaborator(repo, other, 'write');
  const gitRepository = repoOf(here.hearth.services.git, repo.id);
  const first = await commit(gitRepository, { 'a.txt': 'one' });
  const second = await commit(gitRepository, { 'a.txt': 'two' }, [first]);
  const hidden = await commit(gitRepository, { 'hidden.txt': 'unseen' });
  await mustUpdateRefs(gitRepository, [
    { ref: 'refs/heads/main', from: null, to: second },
    { ref: 'refs/tags/v1', from: null, to: first },
    { ref: 'refs/hearth/keep', from: null, to: hidden },
  ]);
  const base = `/repos/${owner.login}/${repo.name}`;
  const client = await here.as(owner);
  await client.post(`${base}/milestones`, { title: 'First', due_on: '2026-05-01T00:00:00Z' });
  const wanted = { title: 'Leaks', body: 'See below', labels: ['bug'], assignees: [other.login], milestone: 1 };
  await client.post(`${base}/issues`, wanted);
  await (await here.as(other)).post(`${base}/issues/1/comments`, { body: 'Mine too' });
  await (await here.as(other)).post(`${base}/issues/1/reactions`, { content: '+1' });
  await client.patch(`${base}/issues/1`, { state: 'closed', title: 'Leaks oil' });
  const web = `${here.url}/${owner.login}/${repo.name}`;
  return { owner, other, repo, name: `${owner.login}/${repo.name}`, web, hidden, second, base, client };
}

test('an archive holds the objects of its repositories, each named by its address', async () => {
  const { owner, other, repo, name, web } = await full();
  const { names, objects } = await archiveOf(here, owner, { repositories: [name] });
  const [mine, theirs] = [owner, other].map(({ login }) => `${here.url}/${login}`);

  expect(names.filter((entry) => !entry.startsWith('repositories/'))).toEqual([
    'attachments',
    'attachments_000001.json',
    'bases_000001.json',
    'commit_comments_000001.json',
    'issue_comments_000001.json',
    'issue_events_000001.json',
    'issues_000001.json',
    'milestones_000001.json',
    'organizations_000001.json',
    'projects_000001.json',
    'protected_branches_000001.json',
    'pull_request_reviews_000001.json',
    'pull_requests_000001.json',
    'releases_000001.json',
    'repositories',
    'repositories_000001.json',
    'review_comments_000001.json',
    'rulesets_000001.json',
    'schema.json',
    'users_000001.json',
  ]);
  expect(await objects('repositories')).toMatchObject([
    { url: web, owner: mine, name: repo.name, private: true, git_url: `tarball://root/repositories/${name}.git` },
  ]);
  expect((await objects('repositories'))[0].labels).toContainEqual(
    expect.objectContaining({ url: `${web}/labels/bug`, name: 'bug' }),
  );
  expect(await objects('milestones')).toMatchObject([
    { url: `${web}/milestones/1`, repository: web, user: mine, title: 'First', due_on: '2026-05-01T00:00:00Z' },
  ]);
  expect(await objects('issues')).toMatchObject([
    {
      url: `${web}/issues/1`,
      repository: web,
      user: mine,
      title: 'Leaks oil',
      body: 'See below',
      state: 'closed',
      assignees: [theirs],
      milestone: `${web}/milestones/1`,
      labels: [`${web}/labels/bug`],
      reactions: [{ user: theirs, content: '+1' }],
      closed_by: mine,
    },
  ]);
  expect(await objects('issue_comments')).toMatchObject([{ issue: `${web}/issues/1`, user: theirs, body: 'Mine too' }]);
  const events = await objects('issue_events');
  expect(events).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ event: 'labeled', actor: mine, issue: `${web}/issues/1`, label_name: 'bug' }),
      expect.objectContaining({ event: 'assigned', subject: theirs }),
      expect.objectContaining({ event: 'renamed', title_was: 'Leaks', title_is: 'Leaks oil' }),
      expect.objectContaining({ event: 'closed' }),
    ]),
  );
  expect((await objects('users')).map(({ login }) => login)).toEqual([owner.login, other.login]);
});

test('git accepts the repositories, which hold branches and tags and nothing that is hidden', async () => {
  const { owner, name, second, hidden } = await full();
  const { folder } = await archiveOf(here, owner, { repositories: [name] });
  const bare = join(folder, 'repositories', `${name}.git`);

  await git(bare, 'fsck', '--strict', '--full');
  expect((await git(bare, 'for-each-ref', '--format=%(refname)')).trim().split('\n')).toEqual([
    'refs/heads/main',
    'refs/tags/v1',
  ]);
  expect((await git(bare, 'rev-parse', 'HEAD')).trim()).toBe(second);
  await expect(git(bare, 'cat-file', '-e', hidden)).rejects.toThrow();
});

test('an empty repository is a repository in the archive too', async () => {
  const owner = await here.user();
  const repo = await here.repo(owner);
  const { folder, objects } = await archiveOf(here, owner, { repositories: [`${owner.login}/${repo.name}`] });
  await git(join(folder, 'repositories', owner.login, `${repo.name}.git`), 'fsck', '--strict');
  expect(await objects('issues')).toEqual([]);
});

test('nothing of it is private to others: no address of theirs, no repository that was not asked for', async () => {
  const { owner, other, repo, name } = await full();
  const secret = await here.repo(other, { visibility: 'private' });
  const title = 'Leaks here too';
  await (await here.as(other)).post(`/repos/${other.login}/${secret.name}/issues`, { title, body: `See ${name}#1` });
  const kinds = here.db.selectFrom('issue_events').select('event').where('repository_id', '=', repo.id);
  expect((await kinds.execute()).map(({ event }) => event)).toContain('cross-referenced');
  const { objects } = await archiveOf(here, owner, { repositories: [name] });
  const emails = (await objects('users')).map(({ login, emails }) => [login, emails]);
  expect(emails).toEqual([
    [owner.login, [{ address: owner.email, primary: true }]],
    [other.login, []],
  ]);
  expect(await objects('repositories')).toHaveLength(1);
  expect((await objects('issue_events')).map(({ event }) => event)).not.toContain('cross-referenced');
});

test('a repository that its owner lost before the export is left out', async () => {
  const { owner, name } = await full();
  const org = await here.org(await here.user());
  await here.member(org, owner, 'owner');
  const lost = await here.repo(org, { by: owner });
  await (await here.as(owner)).post('/user/migrations', { repositories: [name, `${org.login}/${lost.name}`] });
  await here.member(org, owner, 'member');
  await here.settle();
  const client = await here.as(owner);
  const [{ id }] = (await client.get('/user/migrations')).body;
  const { objects, names } = await unpack(await download(here, owner, id));
  expect((await objects('repositories')).map((one) => one.name)).toEqual([name.split('/')[1]]);
  expect(names).not.toContain(`repositories/${org.login}`);
});

test('pages hold a hundred objects', async () => {
  const owner = await here.user();
  const repos = [await here.repo(owner), await here.repo(owner)];
  for (const { id } of repos)
    await here.db
      .insertInto('issues')
      .values(
        Array.from({ length: 520 }, (_, at) => ({
          repository_id: id,
          number: at + 1,
          title: `Issue ${at + 1}`,
          author_id: owner.id,
          created_at: here.clock.now,
          updated_at: here.clock.now,
        })),
      )
      .execute();
  const { folder, names, objects } = await archiveOf(here, owner, {
    repositories: repos.map(({ name }) => `${owner.login}/${name}`),
  });
  const pages = names.filter((name) => name.startsWith('issues_'));
  expect([pages.length, pages.at(-1)]).toEqual([11, 'issues_000011.json']);
  const counts = await Promise.all(pages.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')).length));
  expect(counts).toEqual([...Array(10).fill(100), 40]);
  const urls = (await objects('issues')).map(({ url }) => url);
  expect(new Set(urls).size).toBe(1_040);
});

test.each([
  ['exclude_metadata', (name: string) => !/\.json$|attachments/.test(name) || name === 'schema.json'],
  ['exclude_git_data', (name: string) => name !== 'repositories' && !name.startsWith('repositories/')],
  ['exclude_attachments', (name: string) => !name.startsWith('attachments')],
  ['exclude_releases', (name: string) => !name.startsWith('releases')],
  ['exclude_owner_projects', (name: string) => !name.startsWith('projects')],
])('%s leaves out its part alone', async (flag, stays) => {
  const owner = await here.user();
  const repo = await here.repo(owner);
  const repositories = [`${owner.login}/${repo.name}`];
  const namesOf = async (body: object) =>
    (await archiveOf(here, owner, { repositories, ...body })).names.filter((name) => !/pack-[0-9a-f]+/.test(name));
  const all = await namesOf({});
  const left = await namesOf({ [flag]: true });
  expect(left).toEqual(all.filter(stays));
  expect(left.length).toBeLessThan(all.length);
});

test('exclude_git_data takes the address of the Git data from the repositories', async () => {
  const { owner, name } = await full();
  const { objects } = await archiveOf(here, owner, { repositories: [name], exclude_git_data: true });
  expect(await objects('repositories')).toMatchObject([{ git_url: null }]);
});

test('org_metadata_only brings organizations and their people, and ignores other flags', async () => {
  const [owner, concealed, shown] = [await here.user(), await here.user(), await here.user()];
  const org = await here.org(owner);
  await here.member(org, concealed);
  await here.member(org, shown);
  await here.db.updateTable('memberships').set({ public: true }).where('user_id', '=', shown.id).execute();
  await here.repo(org, { by: owner });
  const wanted = { repositories: [], org_metadata_only: true, exclude_metadata: true };
  const members = async (who: typeof owner) => {
    const { names, objects } = await archiveOf(here, who, wanted);
    expect(names).toEqual(['organizations_000001.json', 'schema.json', 'users_000001.json']);
    const [one] = await objects('organizations');
    expect(one).toMatchObject({ type: 'organization', login: org.login });
    // biome-ignore lint/suspicious/noExplicitAny: the objects of an archive are JSON
    return one.members.map((member: any) => [member.user, member.role]);
  };
  const [a, b, c] = [owner, concealed, shown].map(({ login }) => `${here.url}/${login}`);
  expect(await members(owner)).toEqual([
    [a, 'admin'],
    [b, 'member'],
    [c, 'member'],
  ]);
  expect(await members(shown)).toEqual([[c, 'member']]);
  expect((await members(concealed)).map(([url]: [string]) => url)).toEqual([b, c]);
});
