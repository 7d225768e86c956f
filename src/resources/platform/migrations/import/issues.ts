import type { Id } from '#lib/id.ts';
import {
  enqueueImportedIssues,
  type IssueEventData,
  insertImportedComments,
  insertImportedEvents,
  insertImportedIssues,
  issueTotals,
  type ImportedIssue as NewIssue,
} from '#resources/collaboration/issues/index.ts';
import { insertImportedMilestones } from '#resources/collaboration/milestones/index.ts';
import {
  enqueueImportedPulls,
  insertImportedCommits,
  insertImportedPulls,
  insertImportedRequests,
  type Reviewer,
} from '#resources/collaboration/pulls/index.ts';
import { insertReactionsOf, rollupOf } from '#resources/collaboration/reactions/index.ts';
import { addImportedIssues } from '#resources/repositories/repositories/index.ts';
import type { Address, RecordOf, RecordOfBoth } from '../archive/format.ts';
import { idOf } from './accounts.ts';
import { numberOf, subjectOf } from './check.ts';
import { type Context, eachPage, given, type ImportedIssue, type Issues, timeOf, timeOrNull } from './context.ts';
import { importRelations } from './relations.ts';
import { importReviews, type Reviews } from './reviews.ts';

/**
 * Inserts milestones, issues, pull requests, comments, reviews and events with their numbers, times and people. Nobody is told of
 * them.
 */
export async function importIssues(context: Context): Promise<void> {
  const {
    scope: { tx },
    repositories,
  } = context;
  const milestones = await importMilestones(context);
  const issues = new Map<Address, ImportedIssue>();
  await importIssueRows(context, milestones, issues);
  await importPullRows(context, milestones, issues);
  await importRelations(context, issues);
  await importComments(context, issues);
  const reviews = await importReviews(context, issues);
  await importEvents(context, issues, reviews);
  for (const { row } of repositories.values()) {
    await addImportedIssues(tx, row.id, await issueTotals(tx, row.id));
    await enqueueImportedIssues(tx, row.id);
    await enqueueImportedPulls(tx, row.id);
  }
}

async function importMilestones(context: Context): Promise<Map<Address, Id<'milestones'>>> {
  const {
    scope: { tx },
    accounts,
    repositories,
  } = context;
  const ids = new Map<Address, Id<'milestones'>>();
  await eachPage(context, 'milestones', async (page) => {
    const known = page.flatMap((one) => {
      const target = repositories.get(one.repository);
      return target ? [{ one, target }] : [];
    });
    const rows = known.map(({ one, target }) => ({
      repository_id: target.row.id,
      number: numberOf(one.url, one.repository, 'milestones'),
      title: one.title,
      description: one.description,
      state: one.state,
      creator_id: idOf(accounts, one.user),
      due_on: timeOrNull(one.due_on),
      closed_at: timeOrNull(one.closed_at),
      created_at: timeOf(one.created_at),
      updated_at: timeOf(one.updated_at),
    }));
    const inserted = await insertImportedMilestones(tx, rows);
    for (const [at, { one }] of known.entries()) {
      const id = inserted[at];
      if (id !== undefined) ids.set(one.url, id);
    }
  });
  return ids;
}

type Milestones = ReadonlyMap<Address, Id<'milestones'>>;

async function importIssueRows(context: Context, milestones: Milestones, issues: Map<Address, ImportedIssue>): Promise<void> {
  await eachPage(context, 'issues', async (page) => {
    const wanted = page.map((one) => ({ one, row: { state_reason: one.state_reason }, word: 'issues' as const }));
    await insertRows(context, milestones, wanted, issues);
  });
}

/**
 * A pull request whose commits aren't in the archive comes as an issue, with what was said: there is nothing to merge, nor to
 * show.
 */
async function importPullRows(context: Context, milestones: Milestones, issues: Map<Address, ImportedIssue>): Promise<void> {
  const {
    scope: { tx },
    accounts,
    repositories,
  } = context;
  await eachPage(context, 'pull_requests', async (page) => {
    const wanted = page.map((one) => ({ one, row: hasCommits(context, one) ? ofPull(one) : {}, word: 'pull' as const }));
    const inserted = await insertRows(context, milestones, wanted, issues);
    const withCommits = inserted.filter(({ isPull }) => isPull);
    await insertImportedPulls(
      tx,
      withCommits.map(({ one, id, repository }) => {
        const head = one.head.repo === null ? undefined : repositories.get(one.head.repo);
        return {
          issue_id: id,
          repository_id: repository,
          base_ref: one.base.ref,
          head_ref: one.head.ref,
          head_repository_id: head?.row.id ?? null,
          head_owner_id: head?.owner.id ?? idOf(accounts, one.head.user),
          base_sha: one.base.sha,
          head_sha: one.head.sha,
          merge_base_sha: one.merge_base_sha,
          commits_count: one.commits,
          additions: one.additions,
          deletions: one.deletions,
          changed_files: one.changed_files,
          maintainer_can_modify: one.maintainer_can_modify,
          head_is_deleted: one.head_deleted || head === undefined,
          merge_commit_sha: one.merge_commit_sha,
          merged_by: idOf(accounts, one.merged_by),
        };
      }),
    );
    await insertImportedCommits(
      tx,
      withCommits.flatMap(({ one, id }) =>
        (one.commit_ids ?? []).map(({ sha, added_at }, at) => ({
          issue_id: id,
          commit_sha: sha,
          position: at + 1,
          added_at: timeOf(added_at),
        })),
      ),
    );
    await insertImportedRequests(
      tx,
      withCommits.flatMap(({ one, id }) =>
        (one.review_requests ?? []).flatMap((address) => {
          const reviewer = reviewerAt(context, address);
          return reviewer ? [{ issue_id: id, ...reviewer, created_at: timeOf(one.updated_at) }] : [];
        }),
      ),
    );
  });
}

/** The person or team that an address stands for. */
function reviewerAt({ accounts, teams }: Context, address: Address): Reviewer | undefined {
  const team = teams.get(address);
  if (team) return { user_id: null, team_id: team.id };
  const account = accounts.byAddress.get(address);
  return account?.kind === 'user' ? { user_id: account.id, team_id: null } : undefined;
}

const ofPull = ({ work_in_progress, merged_at }: RecordOf<'pull_requests'>) => ({
  is_pull_request: true,
  is_draft: work_in_progress,
  merged_at: timeOrNull(merged_at),
});

/** Whether the head of a pull request came with the Git data. */
const hasCommits = ({ repositories }: Context, { repository, url, head }: RecordOf<'pull_requests'>): boolean =>
  repositories.get(repository)?.pullHeads.get(numberOf(url, repository, 'pull')) === head.sha;

type Wanted<One> = { one: One; row: Partial<NewIssue['row']>; word: 'issues' | 'pull' };

/** Inserts issues or pull requests, each with what only one of both has in `row`, and notes them by their addresses. */
async function insertRows<One extends RecordOfBoth>(
  { scope: { tx }, accounts, repositories }: Context,
  milestones: Milestones,
  wanted: readonly Wanted<One>[],
  issues: Map<Address, ImportedIssue>,
): Promise<(ImportedIssue & { one: One })[]> {
  const known = wanted.flatMap((each) => {
    const target = repositories.get(each.one.repository);
    return target ? [{ ...each, target }] : [];
  });
  const rows = known.map(
    ({ one, row, word, target }): NewIssue => ({
      row: {
        repository_id: target.row.id,
        number: numberOf(one.url, one.repository, word),
        title: one.title,
        body: one.body,
        author_id: idOf(accounts, one.user),
        state: one.state,
        milestone_id: one.milestone === null ? null : (milestones.get(one.milestone) ?? null),
        locked: one.locked,
        lock_reason: one.active_lock_reason,
        closed_at: timeOrNull(one.closed_at),
        closed_by: idOf(accounts, one.closed_by),
        reactions: rollupOf(given(accounts, one.reactions)),
        created_at: timeOf(one.created_at),
        updated_at: timeOf(one.updated_at),
        ...row,
      },
      labels: one.labels.flatMap((label) => target.labels.get(label) ?? []),
      assignees: one.assignees.flatMap((user) => idOf(accounts, user) ?? []),
    }),
  );
  const ids = await insertImportedIssues(tx, rows, { assignees: 'all' });
  const inserted = known.flatMap(({ one, row, target }, at) => {
    const id = ids[at];
    return id === undefined ? [] : [{ one, id, repository: target.row.id, isPull: row.is_pull_request === true }];
  });
  for (const { one, id, repository, isPull } of inserted) issues.set(one.url, { id, repository, isPull });
  await insertReactionsOf(
    tx,
    inserted.flatMap(({ one, id }) => given(accounts, one.reactions).map((reaction) => ({ ...reaction, issue_id: id }))),
  );
  return inserted;
}

async function importComments(context: Context, issues: Issues): Promise<void> {
  const {
    scope: { tx },
    accounts,
  } = context;
  await eachPage(context, 'issue_comments', async (page) => {
    const known = page.flatMap((one) => {
      const issue = issues.get(subjectOf(one));
      return issue ? [{ one, issue }] : [];
    });
    const ids = await insertImportedComments(
      tx,
      known.map(({ one, issue }) => ({
        issue_id: issue.id,
        repository_id: issue.repository,
        author_id: idOf(accounts, one.user),
        body: one.body,
        reactions: rollupOf(given(accounts, one.reactions)),
        created_at: timeOf(one.created_at),
        updated_at: timeOf(one.updated_at),
      })),
    );
    await insertReactionsOf(
      tx,
      known.flatMap(({ one }, at) =>
        ids
          .slice(at, at + 1)
          .flatMap((id) => given(accounts, one.reactions).map((reaction) => ({ ...reaction, comment_id: id }))),
      ),
    );
  });
}

async function importEvents(context: Context, issues: Issues, reviews: Reviews): Promise<void> {
  const {
    scope: { tx },
    accounts,
  } = context;
  await eachPage(context, 'issue_events', async (page) => {
    await insertImportedEvents(
      tx,
      page.flatMap((one) => {
        const issue = issues.get(subjectOf(one));
        if (!issue) return [];
        return {
          issue_id: issue.id,
          repository_id: issue.repository,
          actor_id: idOf(accounts, one.actor),
          event: one.event,
          commit_id: one.commit_id,
          source_issue_id: one.source === undefined ? null : (issues.get(one.source)?.id ?? null),
          data: dataOf(context, reviews, one),
          created_at: timeOf(one.created_at),
        };
      }),
    );
  });
}

/** What an event tells, as the issues of this server keep it. */
function dataOf(context: Context, reviews: Reviews, one: RecordOf<'issue_events'>): IssueEventData {
  return {
    ...(one.label_name === undefined ? {} : { label: { name: one.label_name, color: one.label_color ?? '' } }),
    ...(one.milestone_title === undefined ? {} : { milestone: { title: one.milestone_title } }),
    ...(one.title_was === undefined ? {} : { rename: { from: one.title_was, to: one.title_is ?? '' } }),
    ...subjectDataOf(context, one),
    ...(one.state_reason === undefined ? {} : { state_reason: one.state_reason }),
    ...(one.lock_reason === undefined ? {} : { lock_reason: one.lock_reason }),
    ...dismissalOf(reviews, one),
  };
}

/** Whom an event is about. */
function subjectDataOf(context: Context, { event, subject }: RecordOf<'issue_events'>): IssueEventData {
  const reviewer = subject === undefined || subject === null ? undefined : reviewerAt(context, subject);
  if (!event.startsWith('review_request')) {
    const assignee = idOf(context.accounts, subject ?? null);
    return assignee === null ? {} : { assignee };
  }
  if (!reviewer) return {};
  return reviewer.user_id === null ? { requested_team: reviewer.team_id } : { requested_reviewer: reviewer.user_id };
}

function dismissalOf(reviews: Reviews, { dismissed_review }: RecordOf<'issue_events'>): IssueEventData {
  if (dismissed_review === undefined || dismissed_review.review === null) return {};
  const { review, ...dismissal } = dismissed_review;
  const found = reviews.get(review);
  return found ? { dismissed_review: { review_id: found.id, ...dismissal } } : {};
}
