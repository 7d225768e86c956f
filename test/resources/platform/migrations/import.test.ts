import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract, type Header, pack } from 'tar-stream';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { mustUpdateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import { commit, git } from '#test/git/support.ts';
import { fresh, type World, world } from '#test/support/world.ts';
import { archiveOf, download, exported, importInto, type Unpacked, unpack } from './support.ts';

const here: World = await world();

const importBytes = (bytes: Buffer, limits = {}) => importInto(here, bytes, { limits: { migrations: limits } });

/** A person's repository and one of an organization, with all that an archive can hold. */
async function full() {
  const owner = await here.user(fresh('owner'), { email: `${fresh('mail')}@example.org`, name: 'Olga', company: 'Engines' });
  const other = await here.user(fresh('other'), { name: 'Otto', bio: 'Mends things' });
  const org = await here.org(owner, fresh('acme'));
  await here.member(org, other);
  const repos = [
    await here.repo(owner, { visibility: 'private' }),
    await here.repo(org, { by: owner }),
    await here.repo(owner, { name: fresh('empty') }),
  ];
  const [repo] = repos;
  if (!repo) throw new Error('There is no repository');
  const client = await here.as(owner);
  for (const { id } of repos.slice(0, 2)) {
    const gitRepository = repoOf(here.hearth.services.git, id);
    const first = await commit(gitRepository, { 'a.txt': `one ${id}` });
    const second = await commit(gitRepository, { 'a.txt': 'two' }, [first]);
    await mustUpdateRefs(gitRepository, [
      { ref: 'refs/heads/trunk', from: null, to: second },
      { ref: 'refs/heads/main', from: null, to: first },
      { ref: 'refs/tags/v1', from: null, to: first },
    ]);
    await here.db.updateTable('repositories').set({ pushed_at: here.clock.now }).where('id', '=', id).execute();
  }
  const base = `/repos/${owner.login}/${repo.name}`;
  await client.patch(base, {
    description: 'Steam',
    homepage: 'https://engines.example',
    default_branch: 'trunk',
  });
  await client.put(`${base}/topics`, { names: ['steam', 'brass'] });
  await client.post(`${base}/labels`, { name: 'needs oil/now', color: 'abcdef', description: 'Soon' });
  await client.delete(`${base}/labels/wontfix`);
  await client.post(`${base}/milestones`, { title: 'Gone' });
  await client.post(`${base}/milestones`, { title: 'Second', description: 'Later', due_on: '2026-05-01T00:00:00Z' });
  await client.delete(`${base}/milestones/1`);
  const theirs = await here.as(other);
  await here.collaborator(repo, other, 'write');
  const wanted = { body: 'See', labels: ['bug', 'needs oil/now'], assignees: [other.login, owner.login], milestone: 2 };
  await client.post(`${base}/issues`, { title: 'First', ...wanted });
  await theirs.post(`${base}/issues`, { title: 'Second' });
  await client.post(`${base}/issues`, { title: 'Third', body: null });
  await theirs.post(`${base}/issues/1/comments`, { body: 'Mine, too' });
  const { body: comment } = await client.post(`${base}/issues/1/comments`, { body: 'Really?' });
  await theirs.post(`${base}/issues/comments/${comment.id}/reactions`, { content: 'eyes' });
  await theirs.post(`${base}/issues/1/reactions`, { content: '+1' });
  await client.patch(`${base}/issues/1`, { title: 'The first' });
  await client.patch(`${base}/issues/2`, { state: 'closed', state_reason: 'not_planned' });
  await client.put(`${base}/issues/3/lock`, { lock_reason: 'spam' });
  const names = repos.map((one) => `${one.owner.login}/${one.name}`);
  return { owner, other, org, repos, names, base };
}

/** All objects and refs of an archive, without ids and times, in an order of their own. */
async function comparable({ folder, objects }: Unpacked, repositories: readonly string[]) {
  const kinds = ['users', 'organizations', 'repositories', 'milestones', 'issues', 'issue_comments', 'issue_events'];
  const told = await Promise.all(
    kinds.map(async (kind) => {
      const text = JSON.stringify(await objects(kind), (key, value) => (/_(at|on)$/.test(key) && value ? 'a time' : value));
      const plain = text.replaceAll(/#(issuecomment|event)-\d+/g, '#$1');
      return [kind, (JSON.parse(plain) as object[]).map((one) => JSON.stringify(one)).toSorted()];
    }),
  );
  const refs = await Promise.all(
    repositories.map((name) =>
      git(join(folder, 'repositories', `${name}.git`), 'for-each-ref', '--format=%(refname) %(objectname)'),
    ),
  );
  const heads = await Promise.all(
    repositories.map((name) => git(join(folder, 'repositories', `${name}.git`), 'symbolic-ref', 'HEAD')),
  );
  return { objects: Object.fromEntries(told), refs, heads };
}

async function remove(repositories: readonly { id: number }[], accounts: readonly Account[]): Promise<void> {
  const ids = repositories.map(({ id }) => id);
  await here.db
    .deleteFrom('repositories')
    .where('id', 'in', ids as never)
    .execute();
  for (const { id } of accounts) await here.db.deleteFrom('accounts').where('id', '=', id).execute();
}

test('what is exported, imported and exported again is the same, but for ids and times', async () => {
  const { owner, other, org, repos, names, base } = await full();
  const id = await exported(here, owner, { repositories: names });
  const bytes = await download(here, owner, id);
  const before = await comparable(await unpack(bytes), names);
  const events = before.objects.issue_events as string[];
  expect(events.length).toBeGreaterThan(7);
  await remove(repos, [owner, other, org]);

  expect(await importBytes(bytes)).toEqual({ repositories: names, accounts: 3 });

  const [again] = await here.db.selectFrom('accounts').selectAll().where('login', '=', owner.login).execute();
  if (!again) throw new Error('The owner was not imported');
  expect(again).toMatchObject({ password_hash: null, site_admin: false });
  expect(await comparable(await archiveOf(here, again, { repositories: names }), names)).toEqual(before);

  const client = await here.as(again);
  expect((await client.get(base)).body).toMatchObject({ open_issues_count: 2, default_branch: 'trunk', private: true });
  expect((await client.get(`${base}/issues/1`)).body).toMatchObject({ comments: 2, reactions: { '+1': 1, total_count: 1 } });
  expect((await client.post(`${base}/issues`, { title: 'Next' })).body.number).toBe(4);
  expect((await client.get(`${base}/milestones/2`)).body).toMatchObject({ title: 'Second', open_issues: 1 });
  expect((await client.get(`${base}/contents/a.txt`)).status).toBe(200);
});

test('people are found by their logins, and repositories that are here already are refused by name', async () => {
  const { owner, repos, names } = await full();
  const bytes = await download(here, owner, await exported(here, owner, { repositories: names }));
  await remove(repos.slice(0, 1), []);
  const before = await here.db.selectFrom('repositories').select('id').execute();
  const there = names.slice(1).join(', ');
  await expect(importBytes(bytes)).rejects.toThrow(`these repositories are here already: ${there}`);
  expect(await here.db.selectFrom('repositories').select('id').execute()).toEqual(before);
  await remove(repos.slice(1), []);
  expect(await importBytes(bytes)).toEqual({ repositories: names, accounts: 0 });
  const { owner_id } = await here.db
    .selectFrom('repositories')
    .select('owner_id')
    .where('name', '=', repos[0]?.name ?? '')
    .executeTakeFirstOrThrow();
  expect(owner_id).toBe(owner.id);
});

type Member = [header: Partial<Header> & { name: string }, content?: Buffer];

async function membersOf(bytes: Buffer): Promise<Member[]> {
  const members: Member[] = [];
  const tar = extract();
  tar.end(gunzipSync(bytes));
  for await (const entry of tar) members.push([entry.header, await buffer(Readable.from(entry))]);
  return members;
}

async function packed(members: readonly Member[]): Promise<Buffer> {
  const tar = pack();
  for (const [{ size: _size, pax: _pax, ...header }, content] of members)
    tar.entry(header, header.type === undefined || header.type === 'file' ? (content ?? Buffer.alloc(0)) : Buffer.alloc(0));
  tar.finalize();
  return gzipSync(await buffer(Readable.from(tar)));
}

const nothing = ['accounts', 'repositories', 'issues', 'labels', 'events', 'memberships'];

/** A good archive of a repository that isn't here any more. */
async function good(): Promise<{ members: Member[]; bytes: Buffer; name: string }> {
  const owner = await here.user();
  const repo = await here.repo(owner);
  const name = `${owner.login}/${repo.name}`;
  const gitRepository = repoOf(here.hearth.services.git, repo.id);
  await mustUpdateRefs(gitRepository, [
    { ref: 'refs/heads/main', from: null, to: await commit(gitRepository, { 'a.txt': 'one' }) },
  ]);
  await (await here.as(owner)).post(`/repos/${name}/issues`, { title: 'One' });
  const bytes = await download(here, owner, await exported(here, owner, { repositories: [name] }));
  await remove([repo], [owner]);
  return { members: await membersOf(bytes), bytes, name };
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const replaced = (members: readonly Member[], name: string, change: (value: never) => unknown): Member[] =>
  members.map(([header, content]) =>
    header.name === name ? [header, json(change(JSON.parse(String(content)) as never))] : [header, content],
  );

test('an archive that was packed again by other means is imported', async () => {
  const { members, name } = await good();
  const bytes = await packed(members.map(([header, content]) => [{ ...header, name: `./${header.name}` }, content]));
  expect(await importBytes(bytes)).toEqual({ repositories: [name], accounts: 1 });
});

test.each<[string, (members: Member[], name: string) => Member[], RegExp]>([
  ['a name that climbs', (members) => [...members, [{ name: '../evil' }, Buffer.from('x')]], /leads out of it/],
  ['a name that climbs inside', (members) => [...members, [{ name: 'attachments/../../evil' }]], /leads out of it/],
  ['an absolute name', (members) => [...members, [{ name: '/etc/evil' }]], /leads out of it/],
  ['a name with a backslash', (members) => [...members, [{ name: 'attachments\\..\\evil' }]], /leads out of it/],
  ['a symbolic link', (members) => [...members, [{ name: 'link', type: 'symlink', linkname: '/etc' }]], /but a symlink/],
  ['a hard link', (members) => [...members, [{ name: 'link', type: 'link', linkname: 'schema.json' }]], /but a link/],
  ['a device', (members) => [...members, [{ name: 'zero', type: 'character-device' }]], /but a character-device/],
  ['a fifo', (members) => [...members, [{ name: 'pipe', type: 'fifo' }]], /but a fifo/],
  ['a file twice', (members) => [...members, ...members.slice(0, 1)], /is in it twice/],
  ['a bomb', (members) => [...members, [{ name: 'zeros' }, Buffer.alloc(20 * 1024 * 1024)]], /migrations\.importRatio/],
  ['another version', (members) => replaced(members, 'schema.json', () => ({ version: '2.0.0' })), /the version 2\.0\.0/],
  ['no version', (members) => members.filter(([{ name }]) => name !== 'schema.json'), /no schema\.json/],
  ['a missing file', (members) => members.filter(([{ name }]) => name !== 'issues_000001.json'), /no issues_000001\.json/],
  ['a shape that is wrong', (members) => replaced(members, 'issues_000001.json', () => [{ type: 'issue' }]), /object 1/],
  [
    'no JSON',
    (members) => [...members.filter(([{ name }]) => !/^issues/.test(name)), [{ name: 'issues_000001.json' }, Buffer.from('{')]],
    /not JSON/,
  ],
  [
    'a repository of nobody',
    (members) => replaced(members, 'repositories_000001.json', ([one]: [object]) => [{ ...one, owner: 'https://x.example/y' }]),
    /which is not in it/,
  ],
  [
    'an issue of another repository',
    (members) => replaced(members, 'issues_000001.json', ([one]: [object]) => [{ ...one, repository: 'https://x.example/y/z' }]),
    /is no address of one of the issues/,
  ],
  [
    'an issue of a repository that is not there',
    (members) =>
      replaced(members, 'issues_000001.json', ([one]: [object]) => [
        { ...one, repository: 'https://x.example/y/z', url: 'https://x.example/y/z/issues/1' },
      ]),
    /belongs to https:\/\/x.example\/y\/z, which is not in it/,
  ],
  [
    'an issue below one of another owner',
    (members) => {
      const owner = 'https://x.example/y';
      const repository = `${owner}/z`;
      const others = replaced(members, 'users_000001.json', (all: object[]) => [...all, { ...all[0], url: owner, login: 'y' }]);
      const both = replaced(others, 'repositories_000001.json', ([one]: [object]) => [
        one,
        { ...one, url: repository, owner, name: 'z', git_url: null },
      ]);
      return replaced(both, 'issues_000001.json', ([one]: [{ created_at: string }]) => {
        const issue = `${repository}/issues/1`;
        return [
          { ...one, sub_issues: [{ issue, created_at: one.created_at }] },
          { ...one, repository, url: issue },
        ];
      });
    },
    /which belongs to another owner/,
  ],
  ['an issue twice', (members) => replaced(members, 'issues_000001.json', ([one]: [object]) => [one, one]), /is in it twice/],
  [
    'Git data of another repository',
    (members) =>
      replaced(members, 'repositories_000001.json', ([one]: [object]) => [
        { ...one, git_url: 'tarball://root/repositories/a/../../b.git' },
      ]),
    /at another place/,
  ],
  ['Git data that is missing', (members) => members.filter(([{ name }]) => !name.endsWith('.git/HEAD')), /no Git data/],
  [
    'a login that can not be',
    (members) =>
      replaced(members, 'users_000001.json', (all: object[]) => [
        ...all,
        { ...all[0], url: 'https://x.example/y', login: '-evil-' },
      ]),
    /Validation Failed/,
  ],
  [
    'Git objects that are damaged',
    (members) =>
      members.map(([header, content]) =>
        header.name.endsWith('.pack') ? [header, content?.fill(7, 40, 60)] : [header, content],
      ),
    /Git does not accept/,
  ],
])('an archive with %s is refused, and nothing of it is imported', async (_what, change, reason) => {
  const { members, name } = await good();
  const bytes = await packed(change(members, name));
  await here.unchanged(nothing, async () => {
    await expect(importBytes(bytes)).rejects.toThrow(reason);
  });
});

test('a file that is cut off anywhere, or no archive at all, is refused', async () => {
  const { bytes } = await good();
  const tar = gunzipSync(bytes);
  const cut = [
    ...[0.1, 0.5, 0.9, 0.999].map((part) => bytes.subarray(0, Math.floor(bytes.length * part))),
    ...[tar.length - 512, tar.length - 1024, 512 * 3, 700].map((end) => gzipSync(tar.subarray(0, end))),
    Buffer.from('not an archive'),
    gzipSync('not an archive'),
    Buffer.alloc(0),
  ];
  await here.unchanged(nothing, async () => {
    for (const part of cut) await expect(importBytes(part)).rejects.toThrow(/^The archive is refused, and nothing was imported/);
  });
});

test('an archive with more than the limits allow is refused', async () => {
  const { bytes } = await good();
  await here.unchanged(nothing, async () => {
    await expect(importBytes(bytes, { importEntries: 10 })).rejects.toThrow(/migrations\.importEntries/);
    await expect(importBytes(bytes, { importSize: 10_000 })).rejects.toThrow(/migrations\.importSize/);
    await expect(importBytes(bytes, { importPage: 100 })).rejects.toThrow(/migrations\.importPage/);
  });
});

test('configuration, hooks and references to other repositories are not taken from an archive', async () => {
  const { members, name } = await good();
  const inside = `repositories/${name}.git`;
  const evil: Member[] = [
    [{ name: `${inside}/objects/info/alternates` }, Buffer.from('/\n')],
    [{ name: `${inside}/hooks/post-upload-pack` }, Buffer.from('#!/bin/sh\nexit 1\n')],
  ];
  const config = members.map(
    ([header, content]): Member => [
      header,
      header.name === `${inside}/config` ? Buffer.from('[core]\n\trepositoryformatversion = 99\n') : content,
    ],
  );
  expect(await importBytes(await packed([...config, ...evil]))).toMatchObject({ repositories: [name] });
});
