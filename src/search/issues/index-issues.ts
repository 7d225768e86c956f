import { change, type Db } from '#database/connect.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import { both, lexeme } from '#search/lexeme-query.ts';
import { documentOf } from './document.ts';
import { lexemeOf } from './lexemes.ts';
import * as store from './store.ts';

type Issue = Id<'issues'>;

const batchSize = 200;
const bulkSize = 500;

/** Updates the index rows of these issues. It can be repeated; deleted issues are skipped. */
export async function indexIssues(db: Db, issues: readonly Issue[]): Promise<void> {
  for (let at = 0; at < issues.length; at += batchSize) {
    await change(db, async (tx) => {
      const some = issues.slice(at, at + batchSize);
      await store.lockIssues(tx, some);
      const sources = await store.loadSources(tx, some);
      if (sources.length > 0) await store.saveDocuments(tx, sources.map(documentOf));
    });
  }
}

/** The number of indexed issues. */
type IssueIndexReport = { issues: number };

type MissingOptions = { repositoryId?: RepositoryId; onProgress?: (progress: { done: number }) => void };

/**
 * Indexes the issues without a row of the current version, of one repository or of all. It commits each batch, so it continues
 * after an interruption.
 */
export async function indexMissingIssues(db: Db, { repositoryId, onProgress }: MissingOptions = {}): Promise<IssueIndexReport> {
  let done = 0;
  for (let after = 0; ; ) {
    const missing = await store.listMissing(db, { repository: repositoryId, after, limit: batchSize });
    const last = missing.at(-1);
    if (last === undefined) break;
    await indexIssues(db, missing);
    after = last;
    done += missing.length;
    onProgress?.({ done });
  }
  if (done >= bulkSize) await store.flushPendingList(db);
  return { issues: done };
}

type ReindexOptions = {
  db: Db;
  repositoryId: RepositoryId;
  onProgress?: (progress: { done: number; total: number }) => void;
};

/** Indexes all issues of a repository again. After an interruption, `indexMissingIssues` continues. */
export async function reindexIssues({ db, repositoryId, onProgress }: ReindexOptions): Promise<IssueIndexReport> {
  await change(db, (tx) => store.markStale(tx, repositoryId));
  const total = await store.countIssues(db, repositoryId);
  return indexMissingIssues(db, { repositoryId, onProgress: ({ done }) => onProgress?.({ done, total }) });
}

/** A label or a milestone. */
export type NameOnIssues = { label: string } | { milestone: string };

/** Indexes the issues of a repository whose rows have the former name of a label or milestone. */
export async function indexIssuesWithName(db: Db, repositoryId: RepositoryId, name: NameOnIssues): Promise<void> {
  const named = 'label' in name ? lexemeOf.label(name.label) : lexemeOf.milestone(name.milestone);
  const query = both([lexeme(lexemeOf.repository(repositoryId)), lexeme(named)]);
  if (query.kind !== 'query') return;
  // An indexer may have read the former name and not yet committed its row.
  await store.waitForIndexers(db);
  for (let after = 0; ; ) {
    const some = await store.listWithLexemes(db, query.text, after, batchSize);
    const last = some.at(-1);
    if (last === undefined) return;
    await indexIssues(db, some);
    after = last;
  }
}
