import { afterAll, expect, test } from 'vitest';
import { builtinEmbedder } from '#search/embeddings/builtin.ts';
import { type Embedder, EmbeddingsUnavailable } from '#search/embeddings/embedder.ts';
import { openEmbeddings, type Progress } from '#search/embeddings/index.ts';
import { writeIssue } from '#test/search/issues/support.ts';
import { makeSearchFixture } from '#test/search/support.ts';

const place = await makeSearchFixture();
afterAll(() => place.close());
const { db } = place;
const own = builtinEmbedder();
const named = (identity: string, broken: () => boolean = () => false): Embedder => ({
  identity,
  minSimilarity: 0,
  embed: async (texts, purpose) => {
    if (broken()) throw new EmbeddingsUnavailable('away');
    return own.embed(texts, purpose);
  },
});

const identities = async (): Promise<string[]> => {
  const rows = await db
    .selectFrom('issue_vectors')
    .innerJoin('embedders', 'embedders.id', 'embedder_id')
    .select('identity')
    .execute();
  return rows.map(({ identity }) => identity);
};

test('a change of the embedder embeds everything anew, goes on after an interruption, and then removes the old', async () => {
  const owner = await place.account('ada');
  const { id: here } = await place.repository(owner, 'here');
  for (let at = 0; at < 300; at++) await writeIssue(place, here, { title: `Issue ${at}` });
  await openEmbeddings(named('old'), db).embedMissing(db);
  expect(await identities()).toEqual(Array.from({ length: 300 }, () => 'old'));

  let calls = 0;
  const failing = openEmbeddings(
    named('new', () => ++calls > 1),
    db,
  );
  await expect(failing.embedMissing(db)).rejects.toThrow(EmbeddingsUnavailable);
  expect((await identities()).filter((identity) => identity === 'new')).toHaveLength(256);
  expect((await identities()).filter((identity) => identity === 'old')).toHaveLength(300);

  const progress: Progress[] = [];
  const going = openEmbeddings(named('new'), db);
  expect(await going.embedMissing(db, { onProgress: (now) => progress.push(now) })).toEqual({ issues: 44 });
  expect(progress).toEqual([
    { done: 256, total: 300 },
    { done: 300, total: 300 },
  ]);
  expect(await identities()).toEqual(Array.from({ length: 300 }, () => 'new'));
  expect(await going.embedMissing(db)).toEqual({ issues: 0 });
});

test('one repository alone', async () => {
  const owner = await place.account('bob');
  const [{ id: one }, { id: two }] = [await place.repository(owner, 'one'), await place.repository(owner, 'two')];
  await writeIssue(place, one, { title: 'One' });
  await writeIssue(place, two, { title: 'Two' });
  const embeddings = openEmbeddings(named('new'), db);
  expect(await embeddings.embedMissing(db, { repositoryId: one })).toEqual({ issues: 1 });
  expect(await embeddings.embedMissing(db)).toEqual({ issues: 1 });
});
