import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { updateRefs } from '#git/refs/update-refs.ts';
import { indexRepositoryCommits } from '#search/commits/index-repository.ts';
import { ada } from '#test/git/support.ts';
import { newPlace, now, push } from '#test/search/support.ts';

async function setup() {
  const place = await newPlace();
  const { id, repo } = await place.repository(await place.account('octo'), 'hello');
  const index = (onProgress?: (progress: { done: number }) => void) =>
    indexRepositoryCommits({ db: place.db, git: place.git, repositoryId: id, now, ...(onProgress ? { onProgress } : {}) });
  const rows = () =>
    place.db.selectFrom('indexed_commits').select(['id', 'message', 'author_date', 'merge']).orderBy('id').execute();
  return { place, id, repo, index, rows };
}

test('a push adds its commits alone', async () => {
  const { repo, index, rows } = await setup();
  const first = await push(repo, { a: '1' }, { message: 'One' });
  expect(await index()).toEqual({ commit: first, commits: 1, added: 1, removed: 0 });
  const [before] = await rows();
  const second = await push(repo, { a: '2' }, { message: 'Two', parents: [first] });
  const third = await push(repo, { a: '3' }, { message: 'Three', parents: [second] });
  expect(await index()).toEqual({ commit: third, commits: 3, added: 2, removed: 0 });
  const after = await rows();
  expect(after[0]).toEqual(before);
  expect(after.map(({ message }) => message)).toEqual(['One', 'Two', 'Three']);
  expect(await index()).toEqual({ commit: third, commits: 3, added: 0, removed: 0 });
});

test('what a crash left half done is finished by the next call', async () => {
  const { place, repo, index, rows } = await setup();
  let tip = await push(repo, { a: '0' }, { message: 'Commit 0' });
  for (let i = 1; i < 5; i++) tip = await push(repo, { a: `${i}` }, { message: `Commit ${i}`, parents: [tip] });
  const stopped = index(() => {
    throw new Error('stopped here');
  });
  await expect(stopped).rejects.toThrow('stopped here');
  await place.db.deleteFrom('indexed_commits').where('message', '=', 'Commit 3').execute();
  expect(await index()).toEqual({ commit: tip, commits: 5, added: 1, removed: 0 });
  expect(await rows()).toHaveLength(5);
});

test('a rebuilding that a crash cuts short as it begins leaves the index whole', async () => {
  const { place, id, repo, index, rows } = await setup();
  await push(repo, { a: '1' }, { message: 'One' });
  await index();
  await sql`alter table commit_indexes add constraint crash check (commit_oid is not null)`.execute(place.db);
  const rebuilding = indexRepositoryCommits({ db: place.db, git: place.git, repositoryId: id, now, rebuild: true });
  await expect(rebuilding).rejects.toThrow('crash');
  expect(await rows()).toMatchObject([{ message: 'One' }]);
});

test('an unrelated history, a lost commit, another default branch and an empty repository', async () => {
  const { place, repo, index, rows } = await setup();
  expect(await index()).toEqual({ commit: undefined, commits: 0, added: 0, removed: 0 });
  await push(repo, { a: '1' }, { message: 'Old' });
  await index();
  await push(repo, { a: '1' }, { message: 'New' });
  expect(await index()).toMatchObject({ commits: 1, added: 1, removed: 1 });
  await place.db
    .updateTable('commit_indexes')
    .set({ commit_oid: '1'.repeat(40) })
    .execute();
  expect(await index()).toMatchObject({ commits: 1, added: 0, removed: 0 });
  await push(repo, { a: '1' }, { message: 'Next', branch: 'next' });
  await place.db.updateTable('repositories').set({ default_branch: 'next' }).execute();
  await index();
  expect((await rows()).map(({ message }) => message)).toEqual(['Next']);
  await updateRefs(repo, [{ ref: 'refs/heads/next', to: null }]);
  expect(await index()).toMatchObject({ commit: undefined, commits: 0 });
  expect(await rows()).toEqual([]);
});

test('strange commits are indexed too', async () => {
  const { repo, index, rows } = await setup();
  const odd = { name: "O'Neil \\ 名", email: 'a b\tc@x', date: new Date(8.64e15), zone: 0 };
  const tip = await push(repo, { a: '1' }, { message: `Long ${'word '.repeat(40_000)}`, author: odd, committer: ada });
  await push(repo, { a: '2' }, { message: '', parents: [tip] });
  expect(await index()).toMatchObject({ commits: 2 });
  expect((await rows())[1]?.author_date.getUTCFullYear() ?? 0).toBeLessThanOrEqual(9999);
});

test('a deleted repository takes its index along', async () => {
  const { place, repo, index, rows } = await setup();
  await push(repo, { a: '1' });
  await index();
  await place.db.deleteFrom('repositories').execute();
  expect(await index()).toBeUndefined();
  expect(await rows()).toEqual([]);
});
