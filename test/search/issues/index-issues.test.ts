import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { change } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { documentOf, mentionsIn, type Source } from '#search/issues/document.ts';
import { indexIssues, indexIssuesWithName, indexMissingIssues, reindexIssues } from '#search/issues/index-issues.ts';
import * as store from '#search/issues/store.ts';
import { makeSearchFixture, type SearchFixture } from '#test/search/support.ts';
import { waitsForLock } from '#test/support/time.ts';
import { searchIn, writeIssue } from './support.ts';

let place: SearchFixture;
let repository: Id<'repositories'>;

beforeAll(async () => {
  place = await makeSearchFixture();
  const ada = await place.account('ada');
  repository = (await place.repository(ada, 'engine')).id;
});
afterAll(() => place.close());

const total = async (q: string) => (await searchIn(place, q)).total_count;
const remove = (id: Id<'issues'>) => place.db.deleteFrom('issue_documents').where('issue_id', '=', id).execute();

test('a row follows its issue, and goes with it', async () => {
  const id = await writeIssue(place, repository, { title: 'Leaking gasket', labels: ['wet'] });
  await place.db.updateTable('issues').set({ title: 'Dry gasket', state: 'closed' }).where('id', '=', id).execute();
  await indexIssues(place.db, [id]);
  expect([await total('leaking'), await total('dry'), await total('dry is:closed'), await total('gasket is:open')]).toEqual([
    0, 1, 1, 0,
  ]);
  await place.db.deleteFrom('issues').where('id', '=', id).execute();
  expect(await total('gasket')).toBe(0);
  await indexIssues(place.db, [id]);
  expect(await total('gasket')).toBe(0);
});

test('counts alone leave the words as they are, so that their index has no work', async () => {
  const id = await writeIssue(place, repository, { title: 'Steady words', body: 'word '.repeat(2_000) });
  const row = () =>
    place.db
      .selectFrom('issue_documents')
      .select(['words', sql<string>`pg_relation_filepath('issue_documents_words')`.as('file')])
      .where('issue_id', '=', id)
      .executeTakeFirstOrThrow();
  const before = await row();
  await place.db
    .updateTable('issues')
    .set({ reactions: JSON.stringify({ '+1': 7, eyes: 2 }) })
    .where('id', '=', id)
    .execute();
  await indexIssues(place.db, [id]);
  expect(await row()).toEqual(before);
  expect(await total('steady reactions:9')).toBe(1);
});

test('an interrupted rebuilding goes on where it was, and is found meanwhile', async () => {
  const ids: Id<'issues'>[] = [];
  for (let at = 0; at < 3; at++) ids.push(await writeIssue(place, repository, { title: `Unfinished ${at}` }));
  await change(place.db, (tx) => store.markStale(tx, repository));
  await indexIssues(place.db, ids.slice(0, 1));
  expect(await total('unfinished')).toBe(3);
  const { issues } = await indexMissingIssues(place.db);
  expect(issues).toBeGreaterThanOrEqual(2);
  expect(await indexMissingIssues(place.db)).toEqual({ issues: 0 });
});

test('a label that is deleted while an issue with it is being indexed leaves no trace', async () => {
  const id = await writeIssue(place, repository, { title: 'Marked' });
  const label = await place.db
    .insertInto('labels')
    .values({ repository_id: repository, name: 'doomed', color: '000000' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await place.db.insertInto('issue_labels').values({ issue_id: id, label_id: label.id }).execute();
  const writing = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = change(place.db, async (tx) => {
    await tx.selectFrom('issue_documents').select('issue_id').where('issue_id', '=', id).forUpdate().execute();
    held.resolve();
    await writing.promise;
  });
  await held.promise;
  const indexing = indexIssues(place.db, [id]);
  await waitsForLock(place.db, 'insert into issue_documents');
  await place.db.deleteFrom('labels').where('name', '=', 'doomed').execute();
  const following = indexIssuesWithName(place.db, repository, { label: 'doomed' });
  await Promise.race([following, sleep(300)]);
  writing.resolve();
  await Promise.all([holding, indexing, following]);
  expect([await total('marked'), await total('label:doomed')]).toEqual([1, 0]);
});

test('what has no row gets one, for one repository or for all', async () => {
  const id = await writeIssue(place, repository, { title: 'Forgotten valve' });
  await remove(id);
  expect(await total('forgotten')).toBe(0);
  expect(await indexMissingIssues(place.db, { repositoryId: repository })).toEqual({ issues: 1 });
  expect(await total('forgotten')).toBe(1);
});

test('rebuilding tells how far it is', async () => {
  const progress: { done: number; total: number }[] = [];
  const { issues } = await reindexIssues({ db: place.db, repositoryId: repository, onProgress: (step) => progress.push(step) });
  expect(progress.at(-1)).toEqual({ done: issues, total: issues });
});

test('renamed labels and milestones are found by their new names alone', async () => {
  await writeIssue(place, repository, { title: 'Named', labels: ['Red'], milestone: 'May' });
  await place.db.updateTable('labels').set({ name: 'Blue' }).where('name', '=', 'Red').execute();
  await place.db.updateTable('milestones').set({ title: 'June' }).where('title', '=', 'May').execute();
  await indexIssuesWithName(place.db, repository, { label: 'Red' });
  expect([
    await total('label:red'),
    await total('label:blue'),
    await total('milestone:may'),
    await total('milestone:june'),
  ]).toEqual([0, 1, 0, 1]);
  await place.db.deleteFrom('milestones').where('title', '=', 'June').execute();
  await indexIssuesWithName(place.db, repository, { milestone: 'June' });
  expect([await total('milestone:june'), await total('label:blue no:milestone')]).toEqual([0, 1]);
});

test('two indexers at once: the row shows what was there last', async () => {
  const id = await writeIssue(place, repository, { title: 'Racing start' });
  await Promise.all(
    Array.from({ length: 6 }, async (_, at) => {
      await place.db
        .updateTable('issues')
        .set({ title: `Racing lap ${at}`, body: String(at) })
        .where('id', '=', id)
        .execute();
      await indexIssues(place.db, [id]);
    }),
  );
  const { body } = await place.db.selectFrom('issues').select('body').where('id', '=', id).executeTakeFirstOrThrow();
  expect(await total(`racing lap ${body}`)).toBe(1);
});

test('enormous issues are indexed as far as a row has room', async () => {
  const words = Array.from({ length: 65_000 }, (_, at) => `w${at.toString(36)}é漢`)
    .join(' ')
    .slice(0, 65_536);
  const comments = Array.from({ length: 40 }, (_, comment) => ({
    body: Array.from({ length: 8_000 }, (_, at) => `c${comment}x${at.toString(36)}`)
      .join(' ')
      .slice(0, 65_536),
  }));
  await writeIssue(place, repository, { title: 'Behemoth', body: words, comments, labels: ['huge'] });
  expect(await total('behemoth label:huge w1é')).toBe(1);
});

const source: Source = {
  id: 1,
  repositoryId: 2,
  title: '',
  body: null,
  comments: '',
  authorId: null,
  assignees: [],
  commenters: [],
  labels: [],
  milestone: null,
  state: 'open',
  stateReason: null,
  locked: false,
  pull: null,
};

test('a label may hold whatever a name may hold', () => {
  const { words } = documentOf({ ...source, labels: ["it's  a\tTab\\", 'x'.repeat(300)] });
  expect(words.split('\n')).toContain("#it's a tab\\");
});

test.each([
  ['Ask @Ada, (@bob) and @eve-lyn.', ['@ada', '@bob', '@eve-lyn']],
  ['mail ada@example.org or a/@b or __@c', []],
  ['@acme/writers and @acme/team.', ['@acme/writers', '@acme/team']],
  ['@ada/', []],
  ['@é @-x @', []],
  ['x @ada@bob', ['@ada']],
])('mentions in %o', (text, expected) => {
  expect(mentionsIn(text)).toEqual(expected);
});
