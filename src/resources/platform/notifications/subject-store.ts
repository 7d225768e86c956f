// The subjects of threads: a row for each subject, and the data that replies show.
import { type Selectable, sql } from 'kysely';
import { roleLevel } from '#access/roles.ts';
import { managesSecurityIn } from '#access/sql.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { gather, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';

export type SubjectRow = Selectable<DB['notification_subjects']>;

/**
 * The identification of a subject of a repository. The titles of commits, suites and budgets aren't in other tables, so they are
 * stored here.
 */
export type Subject =
  | { readonly kind: 'issue'; readonly issue_id: Id<'issues'> }
  | { readonly kind: 'commit'; readonly commit_sha: string; readonly title: string }
  | { readonly kind: 'release'; readonly release_id: Id<'releases'> }
  | { readonly kind: 'check_suite'; readonly check_suite_id: Id<'check_suites'>; readonly title: string }
  | { readonly kind: 'secret_alert'; readonly secret_alert_id: Id<'secret_alerts'>; readonly title: string }
  | { readonly kind: 'repository_advisory'; readonly repository_advisory_id: Id<'repository_advisories'> }
  | { readonly kind: 'dependency_alerts'; readonly title: string }
  | {
      readonly kind: 'budget';
      readonly budget_id: Id<'billing_budgets'>;
      /** The user who reached a threshold, for a budget for each user. */
      readonly budget_user_id: Id<'accounts'> | null;
      readonly title: string;
    }
  | { readonly kind: 'invitation' };

/** Finds the rows of subjects and inserts the missing ones. Issues, releases, suites and alerts deleted meanwhile get none. */
export async function putSubjects(
  tx: Tx,
  repository: Id<'repositories'>,
  subjects: readonly Subject[],
): Promise<Pick<SubjectRow, 'id' | 'issue_id' | 'commit_sha'>[]> {
  if (subjects.length === 0) return [];
  const { rows } = await sql<Pick<SubjectRow, 'id' | 'issue_id' | 'commit_sha'>>`
    insert into notification_subjects (repository_id, kind, issue_id, commit_sha, release_id, check_suite_id, secret_alert_id,
      repository_advisory_id, budget_id, budget_user_id, title)
    select ${repository}, w.kind, w.issue_id, w.commit_sha, w.release_id, w.check_suite_id, w.secret_alert_id,
      w.repository_advisory_id, w.budget_id, w.budget_user_id, w.title
    from jsonb_to_recordset(${JSON.stringify(subjects)}::jsonb) as w (kind text, issue_id bigint, commit_sha text,
      release_id bigint, check_suite_id bigint, secret_alert_id bigint, repository_advisory_id bigint,
      budget_id bigint, budget_user_id bigint, title text)
    where (w.issue_id is null or exists (select from issues i where i.id = w.issue_id and i.repository_id = ${repository}))
      and (w.release_id is null or exists (select from releases r where r.id = w.release_id and r.repository_id = ${repository}))
      and (w.check_suite_id is null
        or exists (select from check_suites s where s.id = w.check_suite_id and s.repository_id = ${repository}))
      and (w.secret_alert_id is null
        or exists (select from secret_alerts a where a.id = w.secret_alert_id and a.repository_id = ${repository}))
      and (w.repository_advisory_id is null
        or exists (select from repository_advisories a where a.id = w.repository_advisory_id and a.repository_id = ${repository}))
      and (w.budget_id is null or exists (select from billing_budgets b where b.id = w.budget_id))
    order by w.issue_id, w.commit_sha
    on conflict (repository_id, kind, issue_id, commit_sha, release_id, check_suite_id, secret_alert_id, repository_advisory_id,
      budget_id, budget_user_id)
      do update set title = excluded.title
    returning id, issue_id, commit_sha`.execute(tx);
  return rows;
}

/** The row of one subject; undefined if what it names was deleted meanwhile. */
export async function putSubject(
  tx: Tx,
  repository: Id<'repositories'>,
  subject: Subject,
): Promise<Id<'notification_subjects'> | undefined> {
  const [row] = await putSubjects(tx, repository, [subject]);
  return row?.id;
}

type Thread = Id<'notification_threads'>;

/**
 * The issue or pull request of a thread, with its latest comment while that exists: a comment of the conversation, or of a review
 * without other contents.
 */
export type IssueOfThread = {
  id: Thread;
  number: number;
  title: string;
  is_pull_request: boolean;
  comment: number | null;
  review_comment: number | null;
};

type NamingIssue = { id: Thread; issue_id: Id<'issues'> | null; comment_id: number | null; comment_kind: string };

/** The issues of threads, by thread. */
export async function loadIssuesOfThreads(db: Db, threads: readonly NamingIssue[]): Promise<Map<Thread, IssueOfThread>> {
  const { rows } = await sql<IssueOfThread>`
    select t.id, i.number, i.title, i.is_pull_request, c.id as comment, coalesce(own.id, latest.id) as review_comment
    from unnest(${gather(threads, 'id')}::bigint[], ${gather(threads, 'issue_id')}::bigint[],
      ${gather(threads, 'comment_id')}::bigint[],
      ${gather(threads, 'comment_kind')}::text[]) as t (id, issue_id, comment_id, kind)
    join issues i on i.id = t.issue_id
    left join issue_comments c on t.kind = 'comment' and c.id = t.comment_id
    left join review_comments own on t.kind = 'review_comment' and own.id = t.comment_id
    left join reviews r on t.kind = 'review' and r.id = t.comment_id and r.state = 'COMMENTED' and r.body = ''
    left join lateral (
      select l.id from review_comments l where l.review_id = r.id order by l.id desc limit 1) latest on true`.execute(db);
  return keyed(rows, ({ id }) => id);
}

/** Whether the account of a thread `t` administers the repository `r`, or manages the security of its organization. */
const administers = sql<boolean>`(${managesSecurityIn(sql`t.account_id`)} or exists (
  select from repository_roles role
  where role.repository_id = r.id and role.account_id = t.account_id and role.level >= ${roleLevel('admin')}))`;

/** The given threads of alerts that their accounts may still see, as administrators of a repository with secret scanning. */
export async function loadVisibleAlerts(
  db: Db,
  threads: readonly { id: Thread; account_id: Id<'accounts'>; secret_alert_id: Id<'secret_alerts'> | null }[],
): Promise<ReadonlyMap<Thread, number>> {
  const { rows } = await sql<{ id: Thread; number: number }>`
    select t.id, a.number from unnest(${gather(threads, 'id')}::bigint[], ${gather(threads, 'account_id')}::bigint[],
      ${gather(threads, 'secret_alert_id')}::bigint[]) as t (id, account_id, alert_id)
    join secret_alerts a on a.id = t.alert_id
    join repositories r on r.id = a.repository_id and r.secret_scanning
    where ${administers}`.execute(db);
  return new Map(rows.map(({ id, number }) => [id, number]));
}

/** The vulnerability reports of threads that their accounts may still see, as administrators of the repository. */
export async function loadVisibleReports(
  db: Db,
  threads: readonly {
    id: Thread;
    account_id: Id<'accounts'>;
    repository_advisory_id: Id<'repository_advisories'> | null;
  }[],
): Promise<ReadonlyMap<Thread, { identifier: string; summary: string }>> {
  const { rows } = await sql<{ id: Thread; identifier: string; summary: string }>`
    select t.id, a.identifier, a.summary
    from unnest(${gather(threads, 'id')}::bigint[], ${gather(threads, 'account_id')}::bigint[],
      ${gather(threads, 'repository_advisory_id')}::bigint[]) as t (id, account_id, advisory_id)
    join repository_advisories a on a.id = t.advisory_id
    join repositories r on r.id = a.repository_id
    where ${administers}`.execute(db);
  return keyed(rows, ({ id }) => id);
}

/** The given threads about vulnerable dependencies that their accounts may still see, as administrators of the repository. */
export async function loadVisibleDependencyAlerts(
  db: Db,
  threads: readonly { id: Thread; account_id: Id<'accounts'>; repository_id: Id<'repositories'> }[],
): Promise<ReadonlySet<Thread>> {
  const { rows } = await sql<{ id: Thread }>`
    select t.id from unnest(${gather(threads, 'id')}::bigint[], ${gather(threads, 'account_id')}::bigint[],
      ${gather(threads, 'repository_id')}::bigint[]) as t (id, account_id, repository_id)
    join repositories r on r.id = t.repository_id and r.vulnerability_alerts
    where ${administers}`.execute(db);
  return new Set(gather(rows, 'id'));
}

/** The given threads about budgets whose accounts still own the organization: nobody else may see what it spends. */
export async function loadVisibleBudgets(
  db: Db,
  threads: readonly { id: Thread; account_id: Id<'accounts'>; budget_id: Id<'billing_budgets'> | null }[],
): Promise<ReadonlySet<Thread>> {
  const { rows } = await sql<{ id: Thread }>`
    select t.id from unnest(${gather(threads, 'id')}::bigint[], ${gather(threads, 'account_id')}::bigint[],
      ${gather(threads, 'budget_id')}::bigint[]) as t (id, account_id, budget_id)
    join billing_budgets b on b.id = t.budget_id
    join memberships m on m.organization_id = b.organization_id and m.user_id = t.account_id and m.role = 'owner'`.execute(db);
  return new Set(gather(rows, 'id'));
}
