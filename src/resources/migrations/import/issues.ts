import type { Tx } from '#database/connect.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import {
  enqueueImportedIssues,
  type ImportedIssue,
  insertImportedComments,
  insertImportedEvents,
  insertImportedIssues,
  issueTotals,
} from '#resources/issues/index.ts';
import { insertImportedMilestones } from '#resources/milestones/index.ts';
import { enqueueImportedPulls, insertImportedPulls } from '#resources/pulls/index.ts';
import { insertReactionsOf, rollupOf } from '#resources/reactions/index.ts';
import { addImportedIssues } from '#resources/repositories/index.ts';
import type { Address, IssueRecord, RecordOf } from '../archive/format.ts';
import { type Accounts, idOf } from './accounts.ts';
import { numberOf, subjectOf } from './check.ts';
import { countPages, objectsOf, type Pages } from './pages.ts';
import type { Imported } from './repositories.ts';
import type { OnProgress } from './unpack.ts';

type Context = {
  tx: Tx;
  pages: Pages;
  accounts: Accounts;
  repositories: ReadonlyMap<Address, Imported>;
  onProgress: OnProgress;
};

type Issue = { id: Id<'issues'>; repository: Id<'repositories'> };
type Reactions = IssueRecord['reactions'];

const timeOf = (text: string): Date => new Date(text);
const timeOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** Inserts milestones, issues, pull requests, comments and events with their numbers, times and people. Nobody is told of them. */
export async function importIssues(context: Context): Promise<void> {
  const { tx, repositories } = context;
  const milestones = await importMilestones(context);
  const issues = new Map<Address, Issue>();
  await importIssueRows(context, milestones, issues);
  await importPullRows(context, milestones, issues);
  await importComments(context, issues);
  await importEvents(context, issues);
  for (const { row } of repositories.values()) {
    await addImportedIssues(tx, row.id, await issueTotals(tx, row.id));
    await enqueueImportedIssues(tx, row.id);
    await enqueueImportedPulls(tx, row.id);
  }
}

/** Hands on the objects of a kind, page by page, each page by the repositories that it is about. */
async function eachPage<K extends keyof typeof phases>(
  { pages, onProgress }: Context,
  kind: K,
  insert: (page: RecordOf<K>[]) => Promise<void>,
): Promise<void> {
  const total = countPages(pages, kind);
  let done = 0;
  for await (const page of objectsOf(pages, kind)) {
    if (page.length > 0) await insert(page);
    onProgress(phases[kind], ++done, total);
  }
}

const phases = {
  milestones: 'Milestones',
  issues: 'Issues',
  pull_requests: 'Pull requests',
  issue_comments: 'Comments',
  issue_events: 'Events',
} as const;

async function importMilestones(context: Context): Promise<Map<Address, Id<'milestones'>>> {
  const { tx, accounts, repositories } = context;
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

async function importIssueRows(context: Context, milestones: Milestones, issues: Map<Address, Issue>): Promise<void> {
  await eachPage(context, 'issues', async (page) => {
    const wanted = page.map((one) => ({ one, row: { state_reason: one.state_reason }, word: 'issues' as const }));
    await insertRows(context, milestones, wanted, issues);
  });
}

/** A pull request whose commits aren't in the archive comes as an issue, with what was said: there is nothing to merge, nor to show. */
async function importPullRows(context: Context, milestones: Milestones, issues: Map<Address, Issue>): Promise<void> {
  const { tx, accounts, repositories } = context;
  await eachPage(context, 'pull_requests', async (page) => {
    const wanted = page.map((one) => ({ one, row: hasCommits(context, one) ? ofPull(one) : {}, word: 'pull' as const }));
    const inserted = await insertRows(context, milestones, wanted, issues);
    const withCommits = inserted.filter(({ one }) => hasCommits(context, one));
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
  });
}

const ofPull = ({ work_in_progress, merged_at }: RecordOf<'pull_requests'>) => ({
  is_pull_request: true,
  is_draft: work_in_progress,
  merged_at: timeOrNull(merged_at),
});

/** Whether the head of a pull request came with the Git data. */
const hasCommits = ({ repositories }: Context, { repository, url, head }: RecordOf<'pull_requests'>): boolean =>
  repositories.get(repository)?.pullHeads.get(numberOf(url, repository, 'pull')) === head.sha;

type Both = Omit<IssueRecord, 'type' | 'state_reason'>;
type Wanted<One> = { one: One; row: Partial<ImportedIssue['row']>; word: 'issues' | 'pull' };

/** Inserts issues or pull requests, each with what only one of both has in `row`, and notes them by their addresses. */
async function insertRows<One extends Both>(
  { tx, accounts, repositories }: Context,
  milestones: Milestones,
  wanted: readonly Wanted<One>[],
  issues: Map<Address, Issue>,
): Promise<{ one: One; id: Id<'issues'>; repository: Id<'repositories'> }[]> {
  const known = wanted.flatMap((each) => {
    const target = repositories.get(each.one.repository);
    return target ? [{ ...each, target }] : [];
  });
  const rows = known.map(
    ({ one, row, word, target }): ImportedIssue => ({
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
  const inserted = known.flatMap(({ one, target }, at) => {
    const id = ids[at];
    return id === undefined ? [] : [{ one, id, repository: target.row.id }];
  });
  for (const { one, id, repository } of inserted) issues.set(one.url, { id, repository });
  await insertReactionsOf(
    tx,
    inserted.flatMap(({ one, id }) => given(accounts, one.reactions).map((reaction) => ({ ...reaction, issue_id: id }))),
  );
  return inserted;
}

/** The reactions of people who have an account here, each of theirs once. */
function given(accounts: Accounts, reactions: Reactions) {
  const rows = reactions.flatMap(({ user, content, created_at }) => {
    const id = idOf(accounts, user);
    return id === null ? [] : [{ user_id: id, content, created_at: timeOf(created_at) }];
  });
  return [...keyed(rows, ({ user_id, content }) => `${user_id} ${content}`).values()];
}

async function importComments(context: Context, issues: ReadonlyMap<Address, Issue>): Promise<void> {
  const { tx, accounts } = context;
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

async function importEvents(context: Context, issues: ReadonlyMap<Address, Issue>): Promise<void> {
  const { tx, accounts } = context;
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
          data: dataOf(accounts, one),
          created_at: timeOf(one.created_at),
        };
      }),
    );
  });
}

/** What an event tells, as the issues of this server keep it. */
function dataOf(accounts: Accounts, one: RecordOf<'issue_events'>) {
  const assignee = one.subject === undefined ? null : idOf(accounts, one.subject);
  return {
    ...(one.label_name === undefined ? {} : { label: { name: one.label_name, color: one.label_color ?? '' } }),
    ...(one.milestone_title === undefined ? {} : { milestone: { title: one.milestone_title } }),
    ...(one.title_was === undefined ? {} : { rename: { from: one.title_was, to: one.title_is ?? '' } }),
    ...(assignee === null ? {} : { assignee }),
    ...(one.state_reason === undefined ? {} : { state_reason: one.state_reason }),
    ...(one.lock_reason === undefined ? {} : { lock_reason: one.lock_reason }),
  };
}
