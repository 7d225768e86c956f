import { beforeEach, describe, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, settle } = w;

let ada: Account;
let stranger: Account;
let acme: Account;
let engine: RepositoryRow & { owner: Account };
let word: string;

beforeEach(async () => {
  [ada, stranger] = [await user(), await user()];
  acme = await org(ada, fresh('acme'));
  engine = await repo(acme, { name: 'engine', by: ada });
  word = fresh('rareword').replace('-', '');
  await commitFiles(w, engine, { 'a.ts': `const ${word} = 1;\n`, 'b.ts': 'unrelated\n' }, `Add ${word}`);
  await settle();
});

type Hit = { path?: string; repository: { full_name: string }; url: string };

/** Where a word is found: the repository of each hit, and how many there are in all. */
async function places(kind: 'code' | 'commits', q = word, who: Account = stranger): Promise<string[]> {
  const { body } = await (await as(who)).get(`/search/${kind}?q=${encodeURIComponent(q)}`);
  const items: Hit[] = body.items;
  expect(body).toMatchObject({ total_count: items.length, incomplete_results: false });
  return items.map(({ repository }) => repository.full_name);
}

const path = () => `/repos/${acme.login}/engine`;

describe.each(['code', 'commits'] as const)('%s', (kind) => {
  test('a push is found, and what it takes away is gone', async () => {
    expect(await places(kind)).toEqual([`${acme.login}/engine`]);
    const next = fresh('otherword').replace('-', '');
    await commitFiles(w, engine, { 'a.ts': `const ${next} = 1;\n` }, `Use ${next}`);
    await settle();
    expect(await places(kind, next)).toEqual([`${acme.login}/engine`]);
    // A file that was replaced is gone; a commit stays in the history.
    expect(await places(kind)).toHaveLength(kind === 'code' ? 0 : 1);
  });

  test('a repository is found under its new name at once, and no longer under the old one', async () => {
    await (await as(ada)).patch(path(), { name: 'motor' });
    expect(await places(kind, `${word} repo:${acme.login}/motor`)).toEqual([`${acme.login}/motor`]);
    expect((await (await as(stranger)).get(`/search/${kind}?q=${word}+repo:${acme.login}/engine`)).status).toBe(422);
  });

  test('a repository that turns private is gone for strangers at once, and back as soon as it is public', async () => {
    await (await as(ada)).patch(path(), { private: true });
    expect(await places(kind)).toEqual([]);
    expect(await places(kind, word, ada)).toEqual([`${acme.login}/engine`]);
    await (await as(ada)).patch(path(), { private: false });
    expect(await places(kind)).toEqual([`${acme.login}/engine`]);
  });

  test('a repository is found under its new owner, by those who may read it there', async () => {
    await (await as(ada)).patch(path(), { private: true });
    const other = await org(ada, fresh('other'));
    expect((await (await as(ada)).post(`${path()}/transfer`, { new_owner: other.login })).status).toBe(202);
    expect(await places(kind, `${word} org:${other.login}`, ada)).toEqual([`${other.login}/engine`]);
    expect(await places(kind, `${word} org:${acme.login}`, ada)).toEqual([]);
    expect(await places(kind)).toEqual([]);
  });

  test('a deleted repository is found no more, and its rows are gone', async () => {
    await (await as(ada)).delete(path());
    expect(await places(kind)).toEqual([]);
    await settle();
    const table = kind === 'code' ? 'code_files' : 'indexed_commits';
    expect(await w.db.selectFrom(table).select('id').where('repository_id', '=', engine.id).execute()).toEqual([]);
  });

  test('another default branch is searched after it was chosen', async () => {
    const client = await as(ada);
    const { body: main } = await client.get(`${path()}/git/ref/heads/main`);
    await client.post(`${path()}/git/refs`, { ref: 'refs/heads/next', sha: main.object.sha });
    const branchWord = fresh('branchword').replace('-', '');
    const content = Buffer.from(`const ${branchWord} = 1;\n`).toString('base64');
    await client.put(`${path()}/contents/next.ts`, { message: `Add ${branchWord}`, content, branch: 'next' });
    await settle();
    expect(await places(kind, branchWord)).toEqual([]);
    await client.patch(path(), { default_branch: 'next' });
    await settle();
    expect(await places(kind, branchWord)).toEqual([`${acme.login}/engine`]);
    expect(await places(kind)).toEqual([`${acme.login}/engine`]);
  });

  test('a fork has an index of its own', async () => {
    const { body } = await (await as(ada)).post(`${path()}/forks`, {});
    await settle();
    expect(await places(kind, `${word} repo:${body.full_name}`)).toEqual([body.full_name]);
  });

  test('revoked access is gone at the next request', async () => {
    await (await as(ada)).patch(path(), { private: true });
    const guest = await user();
    await w.collaborator(engine, guest, 'read');
    expect(await places(kind, word, guest)).toEqual([`${acme.login}/engine`]);
    await (await as(ada)).delete(`${path()}/collaborators/${guest.login}`);
    expect(await places(kind, word, guest)).toEqual([]);
    expect((await (await as(guest)).get(`/search/${kind}?q=${word}+repo:${acme.login}/engine`)).status).toBe(422);
  });
});
