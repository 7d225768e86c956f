import { type RawBuilder, sql } from 'kysely';
import { analyserVersion } from '#search/analyse/analyse.ts';
import { rowVersion } from '#search/issues/document.ts';
import { isStale } from '#search/stale.ts';
import { counted } from '../command.ts';
import { type CheckContext, type Diagnosis, finding } from './diagnosis.ts';

type Index = {
  name: string;
  /** The indexed items, in singular and plural. */
  nouns: [string, string];
  /** The numbers of indexed and of missing items. */
  counts: RawBuilder<{ there: number; missing: number }>;
};

const code: Index = {
  name: 'code index',
  nouns: ['repository', 'repositories'],
  counts: sql`select count(i.commit_oid) as there, count(*) filter (where ${isStale('i')}) as missing
    from repositories r left join code_indexes i on i.repository_id = r.id`,
};

const commits: Index = {
  name: 'commit index',
  nouns: ['repository', 'repositories'],
  counts: sql`select count(i.commit_oid) as there, count(*) filter (where ${isStale('i')}) as missing
    from repositories r left join commit_indexes i on i.repository_id = r.id`,
};

const repositories: Index = {
  name: 'repo index',
  nouns: ['repository', 'repositories'],
  counts: sql`select count(w.repository_id) as there,
      count(*) filter (where w.analyser is distinct from ${analyserVersion}) as missing
    from repositories r left join repository_words w on w.repository_id = r.id`,
};

const accounts: Index = {
  name: 'user index',
  nouns: ['account', 'accounts'],
  counts: sql`select count(w.account_id) as there,
      count(*) filter (where w.analyser is distinct from ${analyserVersion}) as missing
    from accounts a left join account_words w on w.account_id = a.id where a.kind in ('user', 'organization')`,
};

const issues: Index = {
  name: 'issue index',
  nouns: ['issue', 'issues'],
  counts: sql`select count(d.issue_id) as there, count(*) filter (where d.analyser is distinct from ${rowVersion}) as missing
    from issues i left join issue_documents d on d.issue_id = i.id`,
};

/** Checks that the indexes are complete. While jobs or events are waiting, missing items aren't a problem. */
export async function indexes(context: CheckContext): Promise<Diagnosis[]> {
  const { embeddings } = context.hearth.services;
  const all = [code, commits, repositories, accounts, issues, ...(embeddings ? [vectorsOf(embeddings.identity)] : [])];
  const findings: Diagnosis[] = [];
  for (const index of all) findings.push(await finding(index.name, () => checkIndex(context, index)));
  if (!embeddings) findings.push({ check: 'vectors', ok: true, detail: 'off' });
  return findings;
}

async function checkIndex({ db }: CheckContext, { name, nouns, counts }: Index): Promise<Diagnosis> {
  const waiting = await hasWaitingWork({ db });
  const { there, missing } = (await counts.execute(db)).rows[0] ?? { there: 0, missing: 0 };
  const detail = [counted(there, ...nouns)];
  if (missing > 0) detail.push(`${missing} missing or outdated${waiting ? ', jobs are under way' : ': run `hearth reindex`'}`);
  return { check: name, ok: missing === 0 || waiting, detail: detail.join('; ') };
}

const vectorsOf = (identity: string): Index => ({
  name: 'vectors',
  nouns: ['issue', 'issues'],
  counts: sql`select count(v.issue_id) as there, count(*) filter (where v.issue_id is null) as missing from issues i
    left join issue_vectors v on v.issue_id = i.id and v.embedder_id = (select id from embedders where identity = ${identity})`,
});

async function hasWaitingWork({ db }: Pick<CheckContext, 'db'>): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from jobs.jobs where attempts < max_attempts and (locked_at is not null or run_at <= now()))
      or exists (select from undispatched_events) or exists (select from event_deliveries) as waits`.execute(db);
  return rows[0]?.waits ?? false;
}
