import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { change } from '#database/connect.ts';
import { asId, type Id } from '#lib/id.ts';
import { builtinEmbedder } from '#search/embeddings/builtin.ts';
import type { Embedder } from '#search/embeddings/embedder.ts';
import { type Embeddings, openEmbeddings } from '#search/embeddings/index.ts';
import { ensureEmbedder, saveVectors } from '#search/embeddings/store.ts';
import { writeIssue } from '#test/search/issues/support.ts';
import { makeSearchFixture } from '#test/search/support.ts';

const place = await makeSearchFixture();
afterAll(() => place.close());
const { db } = place;
const owner = await place.account('ada');
let names = 0;
const missing = asId<'issues'>(0);
const repository = async (): Promise<Id<'repositories'>> => (await place.repository(owner, `r${++names}`)).id;
const embeddings = openEmbeddings(builtinEmbedder(), db);

type Bounds = { in: Id<'repositories'>[]; limit?: number; closed?: true; by?: Embeddings };

/** The titles of the nearest issues, best first. */
async function near(text: string, { in: repositories, limit = 10, closed, by = embeddings }: Bounds): Promise<string[]> {
  const condition = closed && sql`issue_id in (select id from issues where state = 'closed')`;
  const vector = await by.embedQuery(text);
  const found = await by.nearest(db, { vector, repositories, limit, ...(condition ? { condition } : {}) });
  const rows = await db.selectFrom('issues').select(['id', 'title']).execute();
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  return found.map(({ issueId }) => titles.get(issueId) ?? 'gone');
}

const login = { title: 'Login fails in the mobile app', body: 'The Android client says that the password is wrong.' };
const memory = { title: 'Server leaks RAM', body: 'The heap grows until the kernel ends the process.' };
const french = { title: 'Translate the interface', body: 'Please provide other languages.' };

async function threeIssues(here: Id<'repositories'>): Promise<Id<'issues'>[]> {
  const ids = [];
  for (const wanted of [login, memory, french]) ids.push(await writeIssue(place, here, wanted));
  await embeddings.embedIssues(db, ids);
  return ids;
}

test('an issue is found by what it means, without a word in common', async () => {
  const here = await repository();
  await threeIssues(here);
  expect((await near('cannot sign in on my phone', { in: [here] }))[0]).toBe(login.title);
  expect((await near('memory consumption climbs', { in: [here] }))[0]).toBe(memory.title);
  expect((await near('support for Spanish', { in: [here] }))[0]).toBe(french.title);
  expect(await near('support for Spanish', { in: [here], limit: 1 })).toEqual([french.title]);
});

test('only issues of the given repositories that fulfil the condition are near', async () => {
  const [here, there] = [await repository(), await repository()];
  await threeIssues(there);
  expect(await near('cannot sign in', { in: [here] })).toEqual([]);
  const closed = await writeIssue(place, here, { ...french, state: 'closed' });
  await embeddings.embedIssues(db, [closed, await writeIssue(place, here, login)]);
  expect(await near('support for Spanish', { in: [here], closed: true })).toEqual([french.title]);
  expect(await near('support for Spanish', { in: [] })).toEqual([]);
});

test('an edited issue is found by its new text, by every process, and a deleted one by none', async () => {
  const here = await repository();
  const [id = missing] = await threeIssues(here);
  const other = openEmbeddings(builtinEmbedder(), db);
  expect((await near('cannot sign in', { in: [here], by: other }))[0]).toBe(login.title);
  await db.updateTable('issues').set({ title: 'Charge the battery', body: null }).where('id', '=', id).execute();
  await embeddings.embedIssues(db, [id]);
  for (const by of [embeddings, other]) expect((await near('power supply', { in: [here], by }))[0]).toBe('Charge the battery');
  await db.deleteFrom('issues').where('id', '=', id).execute();
  for (const by of [embeddings, other]) expect(await near('power supply', { in: [here], by })).not.toContain('gone');
});

test('what has nothing to do with a query is not near, even where nothing is nearer', async () => {
  const here = await repository();
  await threeIssues(here);
  expect(await near('power supply', { in: [here] })).toEqual([]);
});

test('an unchanged text is not embedded again, nor an issue that is gone', async () => {
  const here = await repository();
  const own = builtinEmbedder();
  let embedded = 0;
  const counting: Embedder = {
    identity: 'counting',
    minSimilarity: 0,
    embed(texts, purpose) {
      embedded += texts.length;
      return own.embed(texts, purpose);
    },
  };
  const counted = openEmbeddings(counting, db);
  const id = await writeIssue(place, here, login);
  await counted.embedIssues(db, [id]);
  await counted.embedIssues(db, [id]);
  expect(embedded).toBe(1);
  await db.deleteFrom('issues').where('id', '=', id).execute();
  await counted.embedIssues(db, [id]);
  expect(embedded).toBe(1);
});

test('a vector of a text that changed meanwhile is not written', async () => {
  const here = await repository();
  const id = await writeIssue(place, here, login);
  const own = builtinEmbedder();
  const slow: Embedder = {
    identity: 'slow',
    minSimilarity: 0,
    async embed(texts, purpose) {
      await db.updateTable('issues').set({ title: 'Changed' }).where('id', '=', id).execute();
      return own.embed(texts, purpose);
    },
  };
  await openEmbeddings(slow, db).embedIssues(db, [id]);
  const embedder = await ensureEmbedder(db, 'slow');
  expect(await db.selectFrom('issue_vectors').selectAll().where('embedder_id', '=', embedder).execute()).toEqual([]);
});

test('a text without any known word is near to nothing, and breaks nothing', async () => {
  const here = await repository();
  const id = await writeIssue(place, here, { title: '\u{1F9FF}', body: '' });
  await embeddings.embedIssues(db, [id, ...(await threeIssues(here))]);
  expect(await near('\u{1F9FF}', { in: [here] })).toEqual([]);
  expect((await near('cannot sign in', { in: [here] }))[0]).toBe(login.title);
});

test('a version never comes to light after a greater one that was read', async () => {
  const here = await repository();
  const [first, second] = [await writeIssue(place, here, login), await writeIssue(place, here, memory)];
  const embedder = await ensureEmbedder(db, 'ordered');
  const { rows } = await sql<{ id: Id<'issues'>; hash: Buffer }>`select id, substr(sha256(convert_to(left(title || e'\n' ||
    coalesce(body, ''), 2000), 'UTF8')), 1, 16) as hash from issues where id in (${first}, ${second}) order by id`.execute(db);
  const vectorOf = (at: number) => ({ ...rows[at], code: Buffer.alloc(32), components: Buffer.alloc(256) }) as never;
  const order: string[] = [];
  let isWriting: () => void = () => undefined;
  const writing = new Promise<void>((resolve) => {
    isWriting = resolve;
  });
  const slow = change(db, async (tx) => {
    await saveVectors(tx, embedder, [vectorOf(0)]);
    isWriting();
    await new Promise((resolve) => setTimeout(resolve, 150));
    order.push('first');
  });
  await writing;
  await change(db, async (tx) => {
    await saveVectors(tx, embedder, [vectorOf(1)]);
    order.push('second');
  });
  await slow;
  expect(order).toEqual(['first', 'second']);
});
