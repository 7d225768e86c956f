import type { RawBuilder } from 'kysely';
import { change, type Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { Reader } from '#search/read.ts';
import { type Candidates, openCandidates } from './candidates.ts';
import type { Embedder } from './embedder.ts';
import { quantise, similarity } from './quantise.ts';
import * as store from './store.ts';

type Issue = Id<'issues'>;
type Repository = Id<'repositories'>;

/** Which issues may be near, and how many are wanted. */
export type Wanted = {
  /** Of `embedQuery`. */
  vector: Float32Array;
  /** Those that the caller may see and means. */
  repositories: readonly Repository[];
  /** On a row of `issue_documents`; absent: any. */
  condition?: RawBuilder<unknown>;
  limit: number;
};

/** An issue and the cosine of the angle between its vector and the query's. */
export type Near = { issueId: Issue; score: number };

export type Progress = { done: number; total: number };
export type MissingOptions = { repositoryId?: Repository; onProgress?: (progress: Progress) => void };

/** Semantic search over issues by one embedder. */
export type Embeddings = {
  readonly identity: string;
  /**
   * The vector of a query, with everything made ready to look for its neighbours: to be called outside of transactions.
   * @throws EmbeddingsUnavailable
   */
  embedQuery(text: string): Promise<Float32Array>;
  /** The issues nearest to a vector, best first, the newer of equals; none that has nothing to do with it. */
  nearest(db: Reader, wanted: Wanted): Promise<Near[]>;
  /**
   * Brings the vectors of some issues to their present texts. Issues that are gone are passed over, as are texts that have
   * their vector.
   * @throws EmbeddingsUnavailable
   */
  embedIssues(db: Db, issues: readonly Issue[]): Promise<void>;
  /**
   * Embeds the issues that have no vector of this embedder, of one repository or of all; what was done before an interruption
   * stays done. Once all have one, those of other embedders are removed.
   * @throws EmbeddingsUnavailable
   */
  embedMissing(db: Db, options?: MissingOptions): Promise<{ issues: number }>;
};

const issuesPerBatch = 256;
const removalsPerBatch = 5_000;
/**
 * So many times as many candidates as are wanted, at least 2,000, are compared by their vectors: of 200,000 issues, the ten nearest
 * are among 2,000 candidates, and 98 of the hundred nearest (`bench/search/semantic/nearest.ts`).
 */
const candidatesForEach = 10;
const fewestCandidates = 2_000;

export function openEmbeddings(embedder: Embedder, db: Db): Embeddings {
  let number: Promise<store.EmbedderId> | undefined;
  const numbered = (): Promise<store.EmbedderId> => {
    number ??= store.ensureEmbedder(db, embedder.identity).catch((error) => {
      number = undefined;
      throw error;
    });
    return number;
  };
  const candidates = openCandidates(db, numbered);
  const context = { embedder, numbered, candidates };
  return {
    identity: embedder.identity,
    async embedQuery(text) {
      const [[vector]] = await Promise.all([embedder.embed([text], 'query'), candidates.refresh()]);
      if (!vector) throw new Error(`${embedder.identity} gave no vector`);
      return vector;
    },
    nearest: async (reader, wanted) => nearest(reader, wanted, context),
    embedIssues: async (writer, issues) => embedIssues(writer, issues, context),
    embedMissing: async (writer, options = {}) => embedMissing(writer, options, context),
  };
}

type Context = { embedder: Embedder; numbered: () => Promise<store.EmbedderId>; candidates: Candidates };

/** First by the signs of the components, in memory; then the best of those by the components themselves. */
async function nearest(
  db: Reader,
  { vector, repositories, condition, limit }: Wanted,
  { embedder, numbered, candidates }: Context,
) {
  const codes = candidates.codes();
  if (!codes || vector.every((value) => value === 0)) return [];
  const among = condition && (await store.listMatching(db, condition));
  const several = Math.max(fewestCandidates, limit * candidatesForEach);
  const issues = codes.nearest(vector, { repositories, among }, several);
  const loaded = issues.length > 0 ? await store.loadVectors(db, await numbered(), { issues, repositories }) : [];
  return loaded
    .map(({ issueId, components }) => ({ issueId, score: similarity(vector, components) }))
    .filter(({ score }) => score > embedder.least)
    .sort((a, b) => b.score - a.score || b.issueId - a.issueId)
    .slice(0, limit);
}

async function embedIssues(db: Db, issues: readonly Issue[], { embedder, numbered }: Context): Promise<void> {
  const own = await numbered();
  for (let at = 0; at < issues.length; at += issuesPerBatch) {
    const texts = await store.loadChangedTexts(db, own, issues.slice(at, at + issuesPerBatch));
    if (texts.length === 0) continue;
    const vectors = await embedder.embed(
      texts.map(({ text }) => text),
      'issues',
    );
    const rows = texts.flatMap(({ id, hash }, index) => {
      const vector = vectors[index];
      return vector ? [{ id, hash, ...quantise(vector) }] : [];
    });
    await change(db, (tx) => store.saveVectors(tx, own, rows));
  }
}

async function embedMissing(db: Db, { repositoryId, onProgress }: MissingOptions, context: Context) {
  const embedder = await context.numbered();
  const { issues: total, vectors } = await store.countVectors(db, embedder, repositoryId);
  let done = 0;
  for (let after = 0; ; ) {
    onProgress?.({ done: vectors + done, total: Math.max(total, vectors + done) });
    const missing = await store.listMissing(db, { embedder, repository: repositoryId, after, limit: issuesPerBatch });
    const last = missing.at(-1);
    if (last === undefined) break;
    await embedIssues(db, missing, context);
    after = last;
    done += missing.length;
  }
  if (repositoryId === undefined) while (await change(db, (tx) => store.removeOthers(tx, embedder, removalsPerBatch)));
  return { issues: done };
}
