import { change, type Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { both, lexeme } from '#search/lexeme-query.ts';
import { documentOf } from './document.ts';
import { lexemeOf } from './lexemes.ts';
import * as store from './store.ts';

type Issue = Id<'issues'>;
type Repository = Id<'repositories'>;

const batchSize = 200;
const many = 500;

/** Brings the rows of some issues to their present state. May be repeated at any time; issues that are gone are passed over. */
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

/** How many issues an indexing brought up to date. */
export type IssueIndexReport = { issues: number };

type MissingOptions = { repositoryId?: Repository; onProgress?: (progress: { done: number }) => void };

/**
 * Indexes the issues that have no row yet, or one by another analyser: of one repository or of all. What was done before an
 * interruption stays done.
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
  if (done >= many) await store.settleIndex(db);
  return { issues: done };
}

export type ReindexOptions = {
  db: Db;
  repositoryId: Repository;
  onProgress?: (progress: { done: number; total: number }) => void;
};

/** Makes the rows of all issues of a repository anew. Where it is interrupted, `indexMissingIssues` goes on. */
export async function reindexIssues({ db, repositoryId, onProgress }: ReindexOptions): Promise<IssueIndexReport> {
  await change(db, (tx) => store.outdate(tx, repositoryId));
  const total = await store.countIssues(db, repositoryId);
  return indexMissingIssues(db, { repositoryId, onProgress: ({ done }) => onProgress?.({ done, total }) });
}

/** What a repository calls its issues by. */
export type Named = { label: string } | { milestone: string };

/** Brings up to date the issues of a repository whose rows show a label or a milestone by a name that it no longer has. */
export async function indexNamed(db: Db, repositoryId: Repository, name: Named): Promise<void> {
  const named = 'label' in name ? lexemeOf.label(name.label) : lexemeOf.milestone(name.milestone);
  const query = both([lexeme(lexemeOf.repository(repositoryId)), lexeme(named)]);
  if (query.kind !== 'query') return;
  // An issue that is being indexed may have been read with the name, and not be written yet.
  await store.awaitIndexers(db);
  for (let after = 0; ; ) {
    const some = await store.listWithLexemes(db, query.text, after, batchSize);
    const last = some.at(-1);
    if (last === undefined) return;
    await indexIssues(db, some);
    after = last;
  }
}
