import { beforeEach, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world({ embeddings: { provider: 'builtin' } });
const { as, user, org, repo, settle } = w;

/** Every index that there is: of files, history, issues, what these mean, and repositories themselves. */
const kinds = ['code', 'commits', 'issues', 'vectors', 'repositories'] as const;
type Kind = (typeof kinds)[number];
type Places = Record<Kind, string[]>;

let ada: Account;
let stranger: Account;
let acme: Account;
let engine: RepositoryRow & { owner: Account };
let word: string;

/** A word that stands nowhere else. */
const rare = (): string => fresh('rareword').replace('-', '');
const path = () => `/repos/${acme.login}/engine`;

beforeEach(async () => {
  [ada, stranger] = [await user(), await user()];
  acme = await org(ada, fresh('acme'));
  engine = await repo(acme, { name: 'engine', by: ada });
  word = rare();
  const client = await as(ada);
  await client.patch(path(), { description: `Holds ${word}` });
  await client.post(`${path()}/issues`, { title: `Where is ${word}?` });
  await commitFiles(w, engine, { 'a.ts': `const ${word} = 1;\n`, 'b.ts': 'unrelated\n' }, `Add ${word}`);
  await settle();
});

const targets: Record<Kind, string> = {
  code: 'code?',
  commits: 'commits?',
  issues: 'issues?',
  vectors: 'issues?search_type=semantic&',
  repositories: 'repositories?',
};

type Hit = { full_name?: string; repository?: { full_name: string }; repository_url?: string };

/** The repository of each hit. What means the like of a word stands elsewhere too: other tests' repositories are passed over. */
async function placesIn(kind: Kind, q: string, who: Account): Promise<string[]> {
  const { status, body } = await (await as(who)).get(`/search/${targets[kind]}q=${encodeURIComponent(q)}`);
  if (status === 422) return ['refused'];
  const items: Hit[] = body.items;
  expect(body).toMatchObject({ total_count: items.length, incomplete_results: false });
  const names = items.map(
    ({ full_name, repository, repository_url }) => full_name ?? repository?.full_name ?? tail(repository_url),
  );
  return kind === 'vectors' ? names.filter((name) => name.endsWith(`-${own()}`) || name.includes(`${acme.login}/`)) : names;
}

const tail = (url = ''): string => url.split('/').slice(-2).join('/');
/** What repositories of this test are called, beside those of its organization. */
const own = (): string => word.replace('rareword', '');

/** Where a word is found, by each kind of search. */
async function places(q = word, who: Account = stranger): Promise<Places> {
  const entries: [string, string[]][] = [];
  for (const kind of kinds) entries.push([kind, await placesIn(kind, q, who)]);
  return Object.fromEntries(entries) as Places; // an entry of each kind was made
}

const everywhere = (found: string): Places => ({
  code: [found],
  commits: [found],
  issues: [found],
  vectors: [found],
  repositories: [found],
});
const nowhere: Places = { code: [], commits: [], issues: [], vectors: [], repositories: [] };
const here = () => `${acme.login}/engine`;

/** Where a word of a push is found: in files, messages and READMEs. */
const pushedPlaces = async (q: string) => [
  await placesIn('code', q, stranger),
  await placesIn('commits', q, stranger),
  await placesIn('repositories', `${q} in:readme`, stranger),
];
const everyPushed = () => [[here()], [here()], [here()]];
const noPushed = [[], [], []];

test('a push: what it brings is found, and what it takes away is gone', async () => {
  expect(await places()).toEqual(everywhere(here()));
  const next = rare();
  await commitFiles(w, engine, { 'README.md': `About ${next}` }, `Use ${next}`);
  await settle();
  expect(await pushedPlaces(next)).toEqual(everyPushed());
  // A file that was replaced is gone; a commit stays in the history.
  expect(await places()).toEqual({ ...everywhere(here()), code: [] });
});

const shaOf = async (branch: string): Promise<string> =>
  (await (await as(ada)).get(`${path()}/git/ref/heads/${branch}`)).body.object.sha;

test('a forced push: what it took out of the history is gone', async () => {
  const base = await shaOf('main');
  const lost = rare();
  await commitFiles(w, engine, { 'README.md': `About ${lost}` }, `Add ${lost}`);
  await settle();
  expect(await pushedPlaces(lost)).toEqual(everyPushed());
  await (await as(ada)).patch(`${path()}/git/refs/heads/main`, { sha: base, force: true });
  await settle();
  expect(await pushedPlaces(lost)).toEqual(noPushed);
  expect(await places()).toEqual(everywhere(here()));
});

/** A branch beside the default one with a file of its own. */
async function branchOff(name: string): Promise<string> {
  const client = await as(ada);
  await client.post(`${path()}/git/refs`, { ref: `refs/heads/${name}`, sha: await shaOf('main') });
  const added = rare();
  const content = Buffer.from(`const ${added} = 1;\n`).toString('base64');
  await client.put(`${path()}/contents/README.md`, { message: `Add ${added}`, content, branch: name });
  await settle();
  return added;
}

test('another default branch: it is searched, and the old one is not', async () => {
  const next = await branchOff('next');
  expect(await pushedPlaces(next)).toEqual(noPushed);
  const client = await as(ada);
  await client.patch(path(), { default_branch: 'next' });
  await settle();
  expect(await pushedPlaces(next)).toEqual(everyPushed());
  await client.patch(path(), { default_branch: 'main' });
  await settle();
  expect(await pushedPlaces(next)).toEqual(noPushed);
  await client.post(`${path()}/branches/main/rename`, { new_name: 'trunk' });
  await settle();
  expect(await places()).toEqual(everywhere(here()));
});

test('a deleted branch: what stood there alone is found no more, and what stands elsewhere is', async () => {
  const client = await as(ada);
  const next = await branchOff('next');
  await client.delete(`${path()}/git/refs/heads/next`);
  expect((await client.delete(`${path()}/git/refs/heads/main`)).status).toBe(422);
  await settle();
  expect(await pushedPlaces(next)).toEqual(noPushed);
  expect(await places()).toEqual(everywhere(here()));
});

test('a rename: the new name at once, and no longer the old one', async () => {
  await (await as(ada)).patch(path(), { name: 'motor' });
  expect(await places(`${word} repo:${acme.login}/motor`)).toEqual(everywhere(`${acme.login}/motor`));
  expect(await places(`${word} repo:${here()}`)).toEqual(everywhere('refused'));
});

test('visibility: gone for strangers at once, and back as soon as it is public', async () => {
  const client = await as(ada);
  await client.patch(path(), { private: true });
  expect(await places()).toEqual(nowhere);
  expect(await places(`${word} is:private`, ada)).toEqual(everywhere(here()));
  await client.patch(path(), { private: false });
  expect(await places()).toEqual(everywhere(here()));
});

test('a transfer: under the new owner, by those who may read it there', async () => {
  const client = await as(ada);
  await client.patch(path(), { private: true });
  const other = await org(ada, `other-${own()}`);
  const member = await user();
  await w.member(acme, member);
  expect(await places(word, member)).toEqual(everywhere(here()));
  expect((await client.post(`${path()}/transfer`, { new_owner: other.login, new_name: `engine-${own()}` })).status).toBe(202);
  const there = `${other.login}/engine-${own()}`;
  expect(await places(`${word} org:${other.login}`, ada)).toEqual(everywhere(there));
  expect(await places(`${word} org:${acme.login}`, ada)).toEqual(nowhere);
  expect([await places(), await places(word, member)]).toEqual([nowhere, nowhere]);
});

test('a transfer under another name: by that, and no longer by the old one', async () => {
  const client = await as(ada);
  const other = await org(ada, `other-${own()}`);
  await client.post(`${path()}/transfer`, { new_owner: other.login, new_name: `motor-${own()}` });
  await settle();
  const named = (name: string) => placesIn('repositories', `${name} in:name org:${other.login}`, stranger);
  expect([await named('motor'), await named('engine')]).toEqual([[`${other.login}/motor-${own()}`], []]);
});

test('an archived repository is found as such', async () => {
  const client = await as(ada);
  await client.patch(path(), { archived: true });
  expect(await places(`${word} archived:true`)).toMatchObject({ issues: [here()], vectors: [here()], repositories: [here()] });
  expect(await placesIn('code', `${word} archived:true`, stranger)).toEqual([here()]);
  expect(await places(`${word} archived:false`)).toMatchObject({ code: [], issues: [], vectors: [], repositories: [] });
  await client.patch(path(), { archived: false });
  expect(await places(`${word} archived:false`)).toMatchObject({ code: [here()], issues: [here()], repositories: [here()] });
});

test('a deleted repository is found no more, and its rows are gone', async () => {
  await (await as(ada)).delete(path());
  expect(await places()).toEqual(nowhere);
  await settle();
  for (const table of ['code_files', 'indexed_commits', 'repository_words', 'issue_documents'] as const)
    expect(await w.db.selectFrom(table).select('repository_id').where('repository_id', '=', engine.id).execute()).toEqual([]);
  const { rows } = await w.db.executeQuery(
    w.db
      .selectFrom('issue_vectors')
      .select('issue_id')
      .where('issue_id', 'not in', w.db.selectFrom('issues').select('id'))
      .compile(),
  );
  expect(rows).toEqual([]);
});

test('a fork and a copy of a template have indexes of their own', async () => {
  const client = await as(ada);
  const fork = await client.post(`${path()}/forks`, {});
  await client.patch(path(), { is_template: true });
  const copy = await client.post(`${path()}/generate`, { owner: ada.login, name: `copy-${own()}` });
  await settle();
  for (const { body } of [fork, copy]) {
    expect(await placesIn('code', `${word} repo:${body.full_name}`, stranger)).toEqual([body.full_name]);
    expect(await placesIn('repositories', `repo:${body.full_name} fork:true`, stranger)).toEqual([body.full_name]);
  }
  expect(await placesIn('commits', `${word} repo:${fork.body.full_name}`, stranger)).toEqual([fork.body.full_name]);
});

test('revoked access is gone at the next request', async () => {
  await (await as(ada)).patch(path(), { private: true });
  const guest = await user();
  await w.collaborator(engine, guest, 'read');
  expect(await places(word, guest)).toEqual(everywhere(here()));
  await (await as(ada)).delete(`${path()}/collaborators/${guest.login}`);
  expect(await places(word, guest)).toEqual(nowhere);
  expect(await places(`${word} repo:${here()}`, guest)).toEqual(everywhere('refused'));
});

test('an issue that changes is found by what it says now', async () => {
  const client = await as(ada);
  const next = rare();
  await client.patch(`${path()}/issues/1`, { title: `Where is ${next}?`, body: 'Nothing else' });
  await settle();
  expect(await placesIn('issues', next, stranger)).toEqual([here()]);
  expect(await placesIn('vectors', next, stranger)).toEqual([here()]);
  expect(await placesIn('issues', word, stranger)).toEqual([]);
});

test('a closed issue that gets another reason is found by that', async () => {
  const client = await as(ada);
  for (const state_reason of ['completed', 'not_planned']) {
    await client.patch(`${path()}/issues/1`, { state: 'closed', state_reason });
    await settle();
  }
  expect(await placesIn('issues', `${word} reason:completed`, stranger)).toEqual([]);
  expect(await placesIn('issues', `${word} reason:"not planned"`, stranger)).toEqual([here()]);
});
