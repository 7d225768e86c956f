import type { RawBuilder } from 'kysely';
import { change, type Db } from '#database/connect.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Reader } from '#search/read.ts';
import { type Candidates, openCandidates } from './candidates.ts';
import type { Embedder } from './embedder.ts';
import { quantise, similarity } from './quantise.ts';
import * as store from './store.ts';

type Issue = Id<'issues'>;

/** A query for the nearest issues. */
type NearestQuery = {
  /** The result of `embedQuery`. */
  vector: Float32Array;
  /** The repositories to search. */
  repositories: readonly RepositoryId[];
  /** A condition on rows of `issue_documents`. Omitted: none. */
  condition?: RawBuilder<unknown>;
  limit: number;
};

/** An issue, and the cosine similarity of its vector and the query's. */
export type Neighbour = { issueId: Issue; score: number };

export type Progress = { done: number; total: number };
type MissingOptions = { repositoryId?: RepositoryId; onProgress?: (progress: Progress) => void };

/** Semantic search over issues with one embedder. */
export type Embeddings = {
  readonly identity: string;
  /**
   * Computes the vector of a query, and refreshes the candidates. It must be called outside of transactions.
   * @throws EmbeddingsUnavailable
   */
  embedQuery(text: string): Promise<Float32Array>;
  /** The issues nearest to a vector, best first and then the newest first, without unrelated ones. */
  nearest(db: Reader, query: NearestQuery): Promise<Neighbour[]>;
  /**
   * Updates the vectors of these issues to their current texts. Deleted issues and unchanged texts are skipped.
   * @throws EmbeddingsUnavailable
   */
  embedIssues(db: Db, issues: readonly Issue[]): Promise<void>;
  /**
   * Embeds the issues without a vector of this embedder, of one repository or of all. It commits each batch, so it continues
   * after an interruption. When all issues have a vector, vectors of other embedders are removed.
   * @throws EmbeddingsUnavailable
   */
  embedMissing(db: Db, options?: MissingOptions): Promise<{ issues: number }>;
};

const issuesPerBatch = 256;
const removalsPerBatch = 5_000;
/**
 * The number of candidates that are compared by their full vectors: this many for each requested result, and at least 2,000. In
 * 200,000 issues, 2,000 candidates include the ten nearest, and 98 of the hundred nearest (`bench/search/semantic/nearest.ts`).
 */
const candidatesPerResult = 10;
const minCandidates = 2_000;

export function openEmbeddings(embedder: Embedder, db: Db): Embeddings {
  let embedderId: Promise<store.EmbedderId> | undefined;
  const getEmbedderId = (): Promise<store.EmbedderId> => {
    embedderId ??= store.ensureEmbedder(db, embedder.identity).catch((error) => {
      embedderId = undefined;
      throw error;
    });
    return embedderId;
  };
  const candidates = openCandidates(db, getEmbedderId);
  const context = { embedder, getEmbedderId, candidates };
  return {
    identity: embedder.identity,
    async embedQuery(text) {
      const [[vector]] = await Promise.all([embedder.embed([text], 'query'), candidates.refresh()]);
      if (!vector) throw new Error(`${embedder.identity} gave no vector`);
      return vector;
    },
    nearest: async (reader, query) => nearest(reader, query, context),
    embedIssues: async (writer, issues) => embedIssues(writer, issues, context),
    embedMissing: async (writer, options = {}) => embedMissing(writer, options, context),
  };
}

type Context = { embedder: Embedder; getEmbedderId: () => Promise<store.EmbedderId>; candidates: Candidates };

/** Selects candidates by the signs of the components, in memory, then ranks them by the components. */
async function nearest(
  db: Reader,
  { vector, repositories, condition, limit }: NearestQuery,
  { embedder, getEmbedderId, candidates }: Context,
) {
  const codes = candidates.codes();
  if (!codes || vector.every((value) => value === 0)) return [];
  const matchingIssues = condition && (await store.listMatching(db, condition));
  const candidateCount = Math.max(minCandidates, limit * candidatesPerResult);
  const issues = codes.nearest(vector, { repositories, among: matchingIssues }, candidateCount);
  const loaded = issues.length > 0 ? await store.loadVectors(db, await getEmbedderId(), { issues, repositories }) : [];
  return loaded
    .map(({ issueId, components }) => ({ issueId, score: similarity(vector, components) }))
    .filter(({ score }) => score > embedder.minSimilarity)
    .sort((a, b) => b.score - a.score || b.issueId - a.issueId)
    .slice(0, limit);
}

async function embedIssues(db: Db, issues: readonly Issue[], { embedder, getEmbedderId }: Context): Promise<void> {
  const embedderId = await getEmbedderId();
  for (let at = 0; at < issues.length; at += issuesPerBatch) {
    const texts = await store.loadChangedTexts(db, embedderId, issues.slice(at, at + issuesPerBatch));
    if (texts.length === 0) continue;
    const vectors = await embedder.embed(
      texts.map(({ text }) => text),
      'issues',
    );
    const rows = texts.flatMap(({ id, hash }, index) => {
      const vector = vectors[index];
      return vector ? [{ id, hash, ...quantise(vector) }] : [];
    });
    await change(db, (tx) => store.saveVectors(tx, embedderId, rows));
  }
}

async function embedMissing(db: Db, { repositoryId, onProgress }: MissingOptions, context: Context) {
  const embedder = await context.getEmbedderId();
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
