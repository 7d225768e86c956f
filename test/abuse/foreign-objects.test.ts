// Objects of one repository aren't to be had from another one, which may have other readers.
import { expect, test } from 'vitest';
import type { RepositoryRow } from '#access/viewer.ts';
import { repoOf } from '#git/store.ts';
import { git, scratch } from '#test/git/support.ts';
import { addressOf, change, head, type Owned, workTree } from '#test/server/git-http/support.ts';
import type { Client } from '#test/support/client.ts';
import { fresh, type World, world } from '#test/support/world.ts';

type Objects = Record<'commit' | 'tree' | 'blob' | 'tag', string>;

const folderOf = (here: World, repo: { id: number }): string => repoOf(here.hearth.services.git, repo.id).path;

/** Names of objects that a commit made in a work tree, and a tag of it. */
async function objectsOf(folder: string, file: string): Promise<Objects> {
  const name = fresh('tag');
  await git(folder, 'tag', '-a', name, '-m', 'secret');
  const [commit, tree, blob, tag] = [
    await head(folder),
    await head(folder, 'HEAD^{tree}'),
    await head(folder, `HEAD:${file}`),
    await head(folder, `refs/tags/${name}`),
  ];
  return { commit, tree, blob, tag };
}

/** A repository that holds: a history, a branch, a tag, a branch that was deleted, and a commit that a force push replaced. */
async function source(here: World, visibility: RepositoryRow['visibility']) {
  const ada = await here.user();
  const repo: Owned = await here.repo(ada, { visibility });
  const client = await here.as(ada);
  const address = addressOf(here, repo, await here.token(ada));
  const folder = await workTree({ old: 'a secret of the past\n' });
  const past = await objectsOf(folder, 'old');
  await git(folder, 'rm', '-q', 'old');
  await change(folder, { 'README.md': '# Engine\n' });
  await git(folder, 'push', '-q', address, 'main');
  await git(folder, 'checkout', '-q', '-b', 'side');
  await change(folder, { side: 'of another branch\n' });
  const side = await objectsOf(folder, 'side');
  await git(folder, 'push', '-q', '--tags', address, 'side', 'side:deleted');
  await change(folder, { gone: 'a secret that was replaced\n' });
  const replaced = await objectsOf(folder, 'gone');
  await git(folder, 'push', '-q', '--tags', address, 'side');
  await git(folder, 'push', '-q', '-f', address, 'side~1:side', ':deleted', `:refs/tags/${await tagOf(folder, replaced)}`);
  await change(folder, { draft: 'of a proposal\n' });
  const hidden = await objectsOf(folder, 'draft');
  await git(folder, 'push', '-q', '--tags', address, 'HEAD:proposal');
  await git(folderOf(here, repo), 'update-ref', 'refs/pull/1/head', hidden.commit);
  await git(
    folder,
    'push',
    '-q',
    address,
    ':proposal',
    `:refs/tags/${await tagOf(folder, hidden)}`,
    `:refs/tags/${await tagOf(folder, replaced)}`,
  );
  return { ada, repo, client, past, side, replaced, hidden };
}

const tagOf = async (folder: string, { tag }: Objects): Promise<string> =>
  (await git(folder, 'for-each-ref', '--format=%(refname:short)', `--points-at=${tag}`, 'refs/tags')).trim();

/** All objects that lie in a repository, and all that its refs lead to. */
async function held(here: World, repo: { id: number }) {
  const folder = folderOf(here, repo);
  const lines = (text: string): string[] => [...new Set(text.split('\n').filter((line) => line !== ''))].sort();
  return {
    all: lines(await git(folder, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)')),
    reachable: lines(await git(folder, 'rev-list', '--objects', '--all', '--no-object-names')),
  };
}

async function holdsWhatItShows(here: World, repo: { id: number }): Promise<string[]> {
  const { all, reachable } = await held(here, repo);
  expect(all).toEqual(reachable);
  return all;
}

/** The requests of the API that read an object by its name. */
const reads = ({ commit, tree, blob, tag }: Objects, at: (oid: string) => string = (oid) => oid): string[] => [
  `git/commits/${commit}`,
  `git/trees/${at(tree)}`,
  `git/trees/${at(commit)}?recursive=1`,
  `git/blobs/${blob}`,
  `git/tags/${tag}`,
  `commits/${at(commit)}`,
  `commits?sha=${at(commit)}`,
  `contents/?ref=${at(commit)}`,
  `compare/main...${at(commit)}`,
  `tarball/${at(commit)}`,
  `zipball/${at(tag)}`,
];

const abbreviated = (oid: string): string => oid.slice(0, 12);

async function refusesToRead(here: World, client: Client, repo: { id: number; name: string; owner: string }, objects: Objects) {
  const path = `/repos/${repo.owner}/${repo.name}`;
  for (const read of [...reads(objects), ...reads(objects, abbreviated)]) {
    const { status, headers } = await client.get(`${path}/${read}`);
    // An archive's address is given without a look at the repository; the archive itself isn't.
    const answer = status === 302 ? (await fetch(headers.location ?? '', { redirect: 'manual' })).status : status;
    expect([read, answer]).toEqual([read, expect.toSatisfy((code: number) => code === 404 || code === 409 || code === 422)]);
  }
  const [work, address] = [await scratch(), addressOf(here, { owner: { login: repo.owner } as Owned['owner'], name: repo.name })];
  await git(work, 'init', '-q');
  for (const oid of Object.values(objects))
    for (const version of ['0', '2'])
      await expect(git(work, '-c', `protocol.version=${version}`, 'fetch', '-q', address, oid)).rejects.toThrow();
}

async function refusesToUse(client: Client, path: string, { commit, tree, blob }: Objects) {
  const entry = { path: 'x', mode: '100644', type: 'blob' };
  const tries: [string, object][] = [
    ['git/refs', { ref: `refs/heads/${fresh('x')}`, sha: commit }],
    ['git/trees', { tree: [{ ...entry, sha: blob }] }],
    ['git/trees', { tree: [{ ...entry, mode: '040000', type: 'tree', sha: tree }] }],
    ['git/trees', { base_tree: tree, tree: [{ ...entry, content: 'x' }] }],
    ['git/commits', { message: 'x', tree }],
    ['git/tags', { tag: 'x', message: 'x', object: commit, type: 'commit' }],
    ['merges', { base: 'main', head: commit }],
  ];
  for (const [what, body] of tries)
    expect([what, (await client.post(`${path}/${what}`, body)).status]).toEqual([what, expect.toBeOneOf([404, 409, 422])]);
}

test.each([false, true])(
  'a copy of a private template holds its files and nothing of its history (all branches: %s)',
  async (all) => {
    const here = await world();
    const { repo, client, past, side, replaced, hidden } = await source(here, 'private');
    const path = `/repos/${repo.owner.login}/${repo.name}`;
    await client.patch(path, { is_template: true });
    for (const objects of [past, side, replaced, hidden])
      for (const read of reads(objects)) expect([read, (await client.get(`${path}/${read}`)).status < 400]).toEqual([read, true]);

    const eve = await here.user();
    await here.collaborator(repo, eve, 'read');
    const asEve = await here.as(eve);
    const made = await asEve.post(`${path}/generate`, { name: fresh('copy'), private: false, include_all_branches: all });
    expect(made).toMatchObject({ status: 201, body: { private: false } });

    const oids = await holdsWhatItShows(here, made.body);
    expect(oids).toHaveLength(all ? 6 : 3);
    const copy = { id: made.body.id, name: made.body.name, owner: eve.login };
    for (const objects of [past, replaced, hidden]) {
      await refusesToRead(here, await here.as(undefined), copy, objects);
      await refusesToUse(asEve, `/repos/${eve.login}/${copy.name}`, objects);
    }
    const { body } = await (await here.as(undefined)).get(`/repos/${eve.login}/${copy.name}/readme`);
    expect(Buffer.from(body.content, 'base64').toString()).toBe('# Engine\n');
  },
);

test('a fork holds what its branches and tags lead to: nothing hidden, deleted or replaced', async () => {
  const here = await world();
  const { repo, past, side, replaced, hidden } = await source(here, 'public');
  const eve = await here.user();
  const asEve = await here.as(eve);

  const { body, status } = await asEve.post(`/repos/${repo.owner.login}/${repo.name}/forks`, {});

  expect(status).toBe(202);
  const oids = await holdsWhatItShows(here, body);
  expect(oids).toEqual(expect.arrayContaining([...Object.values(past), ...Object.values(side)]));
  const fork = { id: body.id, name: body.name, owner: eve.login };
  for (const objects of [replaced, hidden]) {
    await refusesToRead(here, await here.as(undefined), fork, objects);
    await refusesToUse(asEve, `/repos/${eve.login}/${fork.name}`, objects);
  }
});

test('a fork of the default branch alone holds nothing of the others', async () => {
  const here = await world();
  const { repo, past, side, replaced } = await source(here, 'public');
  const eve = await here.user();
  const wanted = { default_branch_only: true };

  const { body } = await (await here.as(eve)).post(`/repos/${repo.owner.login}/${repo.name}/forks`, wanted);

  expect(await holdsWhatItShows(here, body)).toEqual(expect.arrayContaining([past.commit, past.tree, past.blob]));
  const fork = { id: body.id, name: body.name, owner: eve.login };
  for (const objects of [side, replaced]) await refusesToRead(here, await here.as(undefined), fork, objects);
});

test('a fork that is brought up to date gets the history of that branch, and nothing else of its source', async () => {
  const here = await world();
  const { ada, repo, hidden } = await source(here, 'public');
  const eve = await here.user();
  const asEve = await here.as(eve);
  const { body } = await asEve.post(`/repos/${repo.owner.login}/${repo.name}/forks`, {});
  const [work, address] = [await scratch(), addressOf(here, repo, await here.token(ada))];
  await git(work, 'clone', '-q', address, '.');
  await change(work, { news: 'for all\n' });
  await git(work, 'push', '-q', 'origin', 'main');
  await change(work, { later: 'withdrawn\n' });
  const withdrawn = await objectsOf(work, 'later');
  await git(work, 'push', '-q', 'origin', 'main');
  await git(work, 'push', '-q', '-f', 'origin', 'main~1:main');

  const path = `/repos/${eve.login}/${body.name}`;
  expect(await asEve.post(`${path}/merge-upstream`, { branch: 'main' })).toMatchObject({ body: { merge_type: 'fast-forward' } });

  await holdsWhatItShows(here, body);
  const fork = { id: body.id, name: body.name, owner: eve.login };
  for (const objects of [withdrawn, hidden]) await refusesToRead(here, await here.as(undefined), fork, objects);
});

test('a push names no object of another repository', async () => {
  const here = await world();
  const { past } = await source(here, 'private');
  const eve = await here.user();
  const repo: Owned = await here.repo(eve);
  const address = addressOf(here, repo, await here.token(eve));
  const work = await workTree();
  await git(work, 'push', '-q', address, 'main');
  // A commit whose parent isn't there, as a client that believes in it would send it.
  const commit = (await git(work, 'commit-tree', '-m', 'x', await head(work, 'HEAD^{tree}'), '-p', await head(work))).trim();
  const text = (await git(work, 'cat-file', 'commit', commit)).replace(/^parent .*$/m, `parent ${past.commit}`);
  await change(work, { text });
  const forged = (await git(work, 'hash-object', '-t', 'commit', '-w', '--literally', 'text')).trim();
  await git(work, 'update-ref', '--no-deref', 'refs/heads/main', forged);
  await expect(git(work, 'push', '-q', address, 'main:forged')).rejects.toThrow();
  await refusesToRead(here, await here.as(undefined), { id: repo.id, name: repo.name, owner: eve.login }, past);
  await refusesToUse(await here.as(eve), `/repos/${eve.login}/${repo.name}`, past);
});
