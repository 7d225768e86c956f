// Lists of the issues in which somebody is mentioned.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { enqueueImportedIssues } from '#resources/collaboration/issues/index.ts';
import { overlapping } from '#test/support/race.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, repo, db, change, settle, statements } = w;

async function place() {
  const [owner, ada] = [await user(), await user(fresh('ada'))];
  const repository = await repo(owner);
  const path = `/repos/${owner.login}/${repository.name}`;
  return { owner, ada, repository, path, client: await as(owner) };
}

const titles = async (who: Account, path: string): Promise<string[]> =>
  (await (await as(who)).get(path)).body.map(({ title }: { title: string }) => title).toSorted();

/** Takes away what was read in the texts of a repository, as if they had been written before that was stored. */
const forget = (repository: RepositoryRow) => sql`delete from text_references where repository_id = ${repository.id}`.execute(db);

const unread = async (repository: RepositoryRow) =>
  (await sql<{ one: number }>`select 1 as one from unread_texts where repository_id = ${repository.id}`.execute(db)).rows.length;

test('an issue is found by whom it or its comments mention, in any list', async () => {
  const { owner, ada, path, client } = await place();
  await client.post(`${path}/issues`, { title: 'in the body', body: `Hello @${ada.login.toUpperCase()}!` });
  await client.post(`${path}/issues`, { title: 'in a comment' });
  await client.post(`${path}/issues`, { title: 'in code', body: `\`@${ada.login}\` @${ada.login}-x x@${ada.login}` });
  await client.post(`${path}/issues`, { title: 'no more', body: `@${ada.login}` });
  await client.post(`${path}/issues/2/comments`, { body: `@${ada.login} and again @${ada.login}` });
  await client.post(`${path}/issues/2/comments`, { body: `@${ada.login}` });
  await client.patch(`${path}/issues/4`, { body: 'Nobody.' });
  const found = ['in a comment', 'in the body'];
  expect(await titles(owner, `${path}/issues?mentioned=${ada.login}`)).toEqual(found);
  expect(await titles(owner, `${path}/issues?mentioned=${ada.login.toUpperCase()}`)).toEqual(found);
  expect(await titles(ada, '/issues?filter=mentioned')).toEqual(found);
  expect(await titles(owner, `${path}/issues?mentioned=${owner.login}`)).toEqual([]);
  expect(await titles(owner, `${path}/issues?mentioned=nobody-here`)).toEqual([]);
  expect(await statements(owner, `${path}/issues?mentioned=${ada.login}`)).toBe(await statements(owner, `${path}/issues`));
});

test('texts that were not read when they were stored are read in the background, without any event', async () => {
  const { owner, ada, repository, path, client } = await place();
  await sql`
    insert into issues (repository_id, number, title, body, author_id, created_at, updated_at)
    select ${repository.id}, n, 'old ' || lpad(n::text, 3, '0'), case when n % 100 = 0 then ${`Hello @${ada.login}`}
      else '@nobody-has-this' end,
      ${owner.id}, now(), now() from generate_series(1, 250) n`.execute(db);
  await sql`
    insert into issue_comments (repository_id, issue_id, author_id, body, created_at, updated_at)
    select ${repository.id}, (select id from issues where repository_id = ${repository.id} and number = 7), ${owner.id},
      case when n = 250 then ${`@${ada.login}`} else 'Hm.' end, now(), now() from generate_series(1, 250) n`.execute(db);
  const list = `${path}/issues?mentioned=${ada.login}`;
  expect(await titles(owner, list)).toEqual([]);
  await change((scope) => enqueueImportedIssues(scope.tx, repository.id));
  expect(await unread(repository)).toBe(1);
  await settle();
  expect(await titles(owner, list)).toEqual(['old 007', 'old 100', 'old 200']);
  expect(await unread(repository)).toBe(0);
  expect((await client.get(`${path}/issues/events`)).body).toEqual([]);
  expect((await (await as(ada)).get('/notifications')).body).toEqual([]);
  // Once more, nothing changes.
  await w.unchanged(['text_references'], async () => {
    await change((scope) => enqueueImportedIssues(scope.tx, repository.id));
    await settle();
  });
});

test('reading goes on where it was interrupted', async () => {
  const { owner, ada, repository, path, client } = await place();
  for (const title of ['one', 'two', 'three']) await client.post(`${path}/issues`, { title, body: `@${ada.login}` });
  await forget(repository);
  await change((scope) => enqueueImportedIssues(scope.tx, repository.id));
  await sql`update unread_texts set issue_number = 2 where repository_id = ${repository.id}`.execute(db);
  await settle();
  expect(await titles(owner, `${path}/issues?mentioned=${ada.login}`)).toEqual(['three']);
});

test('who may not read the repository is not found in its old texts', async () => {
  const { owner, ada, repository, path, client } = await place();
  await client.post(`${path}/issues`, { title: 'one', body: `@${ada.login} @${owner.login}` });
  await forget(repository);
  await client.patch(path, { visibility: 'private' });
  await change((scope) => enqueueImportedIssues(scope.tx, repository.id));
  await settle();
  expect(await titles(owner, `${path}/issues?mentioned=${owner.login}`)).toEqual(['one']);
  expect(await titles(owner, `${path}/issues?mentioned=${ada.login}`)).toEqual([]);
});

test('a text that is changed while it is read means what it says now', async () => {
  const { owner, ada, repository, path, client } = await place();
  await client.post(`${path}/issues`, { title: 'one' });
  const { body: comment } = await client.post(`${path}/issues/1/comments`, { body: `@${ada.login}` });
  await forget(repository);
  await change((scope) => enqueueImportedIssues(scope.tx, repository.id));
  await overlapping(
    w,
    (scope) => sql`update issue_comments set body = 'Nobody.' where id = ${comment.id}`.execute(scope.tx),
    () => settle(),
  );
  expect(await titles(owner, `${path}/issues?mentioned=${ada.login}`)).toEqual([]);
});
