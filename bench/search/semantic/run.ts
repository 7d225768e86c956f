/**
 * How often a search finds the issue that a query describes in other words. Prints recall at 10 and at 1 for word search, for the
 * built-in embeddings, and for the model that they were distilled from.
 *
 *     node bench/search/semantic/run.ts
 */
import { readFile } from 'node:fs/promises';
import { asId } from '#lib/id.ts';
import { builtinEmbedder } from '#search/embeddings/builtin.ts';
import { normalise } from '#search/embeddings/embedder.ts';
import { fuse } from '#search/embeddings/fuse.ts';
import { quantise, similarity } from '#search/embeddings/quantise.ts';
import { commonWords, readPairs, wordsOf } from './pairs.ts';

const pairs = await readPairs();
const texts = pairs.map(({ title, body }) => `${title}\n${body}`);
const shared = pairs.filter((pair) => commonWords(pair).length > 0);

/** The indexes of all issues for each query, by decreasing score. Issues with the score 0 aren't found. */
type Ranking = number[][];

const rank = (score: (query: number, issue: number) => number): Ranking =>
  pairs.map((_, query) =>
    texts
      .map((_text, issue) => ({ issue, score: score(query, issue) }))
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score || b.issue - a.issue)
      .map(({ issue }) => issue),
  );

const recall = (ranking: Ranking, at: number): number =>
  ranking.filter((issues, query) => issues.slice(0, at).includes(query)).length / ranking.length;

/** Word search: BM25 over the words of the index, any of which may match. Hearth's own search requires all of them. */
function lexical(all: boolean): Ranking {
  const documents = texts.map((text) => wordsOf(text));
  const sets = documents.map((words) => new Set(words));
  const usual = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const holding = (word: string): number => sets.filter((set) => set.has(word)).length;
  return rank((query, issue) => {
    const words = [...new Set(wordsOf(pairs[query]?.query ?? ''))];
    const found = words.filter((word) => sets[issue]?.has(word));
    if (all && found.length < words.length) return 0;
    const weight = 2.2 / (1 + 1.2 * (0.25 + (0.75 * (documents[issue]?.length ?? 0)) / usual));
    return found.reduce((sum, word) => sum + weight * Math.log(1 + texts.length / (holding(word) + 0.5)), 0);
  });
}

/** The similarity of a query and an issue, computed by `builtin`. */
async function builtin(): Promise<(query: number, issue: number) => number> {
  const embedder = builtinEmbedder();
  const queries = await embedder.embed(
    pairs.map(({ query }) => query),
    'query',
  );
  const issues = (await embedder.embed(texts, 'issues')).map((vector) => quantise(vector).components);
  return (query, issue) => similarity(queries[query] ?? new Float32Array(), issues[issue] ?? Buffer.alloc(0));
}

/** Uses the vectors that `tools/embeddings/reference.py` wrote. */
async function minilm(): Promise<Ranking> {
  const dimensions = 384;
  const data = await readFile(new URL('./minilm.bin', import.meta.url));
  if (data.length !== 2 * pairs.length * dimensions)
    throw new Error('minilm.bin is of other pairs: run tools/embeddings/reference.py');
  const row = (at: number): Buffer => data.subarray(at * dimensions, (at + 1) * dimensions);
  return rank((query, issue) => similarity(normalise(Float32Array.from(new Int8Array(row(query)))), row(pairs.length + issue)));
}

const fused = (a: Ranking, b: Ranking): Ranking =>
  a.map((issues, query) => {
    const ids = (list: readonly number[] = []) => list.slice(0, 100).map((issue) => asId<'issues'>(issue));
    return fuse(ids(issues), ids(b[query])).map(({ issueId }) => issueId);
  });

const all = lexical(true);
const likeness = await builtin();
const [own, model] = [rank(likeness), await minilm()];
const rankings: [string, Ranking][] = [
  ['words, all of them (as Hearth asks)', all],
  ['words, any of them (BM25)', lexical(false)],
  ['builtin', own],
  ['all-MiniLM-L6-v2', model],
  ['hybrid: all words and builtin', fused(all, own)],
];
console.log(`${pairs.length} pairs, ${shared.length} of them with a word in common worth matching\n`);
console.log('| | recall@10 | recall@1 |\n|---|---|---|');
for (const [name, ranking] of rankings)
  console.log(`| ${name} | ${recall(ranking, 10).toFixed(3)} | ${recall(ranking, 1).toFixed(3)} |`);
const [theirs, ours] = [recall(model, 10), recall(own, 10)];
console.log(`\nbuiltin finds ${((100 * ours) / theirs).toFixed(0)} % of what the model itself finds among the first ten`);
const { minSimilarity } = builtinEmbedder();
const near = (query: number): number => texts.filter((_, issue) => likeness(query, issue) > minSimilarity).length;
const meant = pairs.filter((_, query) => likeness(query, query) > minSimilarity).length / pairs.length;
const others = pairs.reduce((sum, _, query) => sum + near(query), -meant * pairs.length) / (pairs.length * (pairs.length - 1));
console.log(
  `more alike than ${minSimilarity}: ${(100 * meant).toFixed(0)} % of the issues meant, ${(100 * others).toFixed(0)} ` +
    '% of all others',
);
for (const pair of shared) console.log('in common:', commonWords(pair).join(', '), '|', pair.query);
