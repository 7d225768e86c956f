/**
 * The cost of semantic search at two sizes of an installation, and how often its candidates include the results of comparing
 * every vector.
 *
 *     node bench/search/semantic/nearest.ts --issues 200000
 */
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { builtinEmbedder } from '#search/embeddings/builtin.ts';
import { openEmbeddings } from '#search/embeddings/index.ts';
import { similarity } from '#search/embeddings/quantise.ts';
import { makeSpeaker } from '../issue-corpus.ts';
import { median, quantile } from '../measure.ts';
import { openStage } from '../stage.ts';
import { readPairs } from './pairs.ts';

const { values } = parseArgs({ options: { issues: { type: 'string', default: '200000' } } });
const most = Number(values.issues);
const perRepository = 1_000;
const batchSize = 5_000;
const limit = 100;

await using stage = await openStage();
const { db } = stage;
const pairs = await readPairs();

/** Issues made from the sentences of the committed pairs, each from four pairs, so that their distances are realistic. */
async function writeIssues(from: number, to: number): Promise<void> {
  const { random } = makeSpeaker(from + 1);
  const part = (): string => pairs[Math.floor(random() * pairs.length)]?.body ?? '';
  const title = (): string => pairs[Math.floor(random() * pairs.length)]?.title ?? '';
  for (let at = from; at < to; at += batchSize) {
    const rows = Array.from({ length: Math.min(batchSize, to - at) }, (_, index) => at + index);
    await sql`insert into issues (repository_id, number, title, body, state, created_at, updated_at)
      select (select id from repositories order by id offset n / ${perRepository} limit 1), n % ${perRepository} + 1, title, body,
        'open', now(), now()
      from unnest(${rows}::int[], ${rows.map(title)}::text[], ${rows.map(() => `${part()} ${part()} ${part()}`)}::text[])
        as i (n, title, body)`.execute(db);
  }
}

/** The nearest vectors, by comparing each one. */
async function exactly(database: Db, vector: Float32Array): Promise<number[]> {
  const { rows } = await sql<{ id: number; components: Buffer }>`select issue_id as id, components from issue_vectors`.execute(
    database,
  );
  const scored = rows.map(({ id, components }) => ({ id, score: similarity(vector, components) }));
  return scored
    .sort((a, b) => b.score - a.score || b.id - a.id)
    .slice(0, limit)
    .map(({ id }) => id);
}

const ms = (values: number[]): string => `${median(values).toFixed(1)} / ${quantile(values, 0.95).toFixed(1)}`;
async function timed<T>(into: number[], work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  into.push(performance.now() - start);
  return result;
}

console.log(
  '| issues | embedding, issues/s | first query, ms | query ready, ms | in all repositories, ms | in one, ms | of ' +
    'the 10 nearest | of 100 |',
);
console.log('|---|---|---|---|---|---|---|---|');
let written = 0;
for (const size of [most / 10, most]) {
  for (let at = written; at < size; at += perRepository) await stage.addRepository(`repository-${at / perRepository}`);
  await writeIssues(written, size);
  const embedding: number[] = [];
  const { issues } = await timed(embedding, () => openEmbeddings(builtinEmbedder(), db).embedMissing(db));
  await sql`vacuum analyze`.execute(db);
  written = size;
  const embeddings = openEmbeddings(builtinEmbedder(), db);
  const first: number[] = [];
  await timed(first, () => embeddings.embedQuery('cannot sign in'));
  const { rows } = await sql<{ id: Id<'repositories'> }>`select id from repositories order by id limit 4000`.execute(db);
  const all = rows.map(({ id }) => id);
  const [ready, wide, narrow]: [number[], number[], number[]] = [[], [], []];
  const [firstTen, shares]: [number[], number[]] = [[], []];
  for (const [at, { query }] of pairs.slice(0, 60).entries()) {
    const vector = await timed(ready, () => embeddings.embedQuery(query));
    const found = await timed(wide, () => embeddings.nearest(db, { vector, repositories: all, limit }));
    await timed(narrow, () => embeddings.nearest(db, { vector, repositories: all.slice(at % all.length).slice(0, 1), limit }));
    if (at % 6 > 0) continue;
    const exact = await exactly(db, vector);
    const share = (best: number) => {
      const ids = new Set(found.slice(0, best).map(({ issueId }) => issueId as number));
      return exact.slice(0, best).filter((id) => ids.has(id)).length / best;
    };
    firstTen.push(share(10));
    shares.push(share(limit));
  }
  const rate = (issues / (embedding[0] ?? 1)) * 1_000;
  const part = (all: number[]): string => `${((100 * all.reduce((sum, share) => sum + share, 0)) / all.length).toFixed(1)} %`;
  console.log(
    `| ${size} | ${rate.toFixed(0)} | ${first[0]?.toFixed(0)} | ${ms(ready)} | ${ms(wide)} | ${ms(narrow)} | ` +
      `${part(firstTen)} | ${part(shares)} |`,
  );
}
