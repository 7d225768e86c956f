import type { Tx } from '#database/connect.ts';
import { grouped, keyed } from '#lib/collections.ts';
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
import { insertReactionsOf, rollupOf } from '#resources/reactions/index.ts';
import { addImportedIssues } from '#resources/repositories/index.ts';
import type { Address, IssueRecord, RecordOf } from '../archive/format.ts';
import { type Accounts, idOf } from './accounts.ts';
import { numberOf } from './check.ts';
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

/** Inserts milestones, issues, comments and events with their numbers, times and people. Nobody is told of them. */
export async function importIssues(context: Context): Promise<void> {
  const { tx, repositories } = context;
  const milestones = await importMilestones(context);
  const issues = await importIssueRows(context, milestones);
  await importComments(context, issues);
  await importEvents(context, issues);
  for (const { row } of repositories.values()) {
    await addImportedIssues(tx, row.id, await issueTotals(tx, row.id));
    await enqueueImportedIssues(tx, row.id);
  }
}

/** Hands on the objects of a kind, page by page, each page by the repositories that it is about. */
async function eachPage<K extends 'milestones' | 'issues' | 'issue_comments' | 'issue_events'>(
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

const phases = { milestones: 'Milestones', issues: 'Issues', issue_comments: 'Comments', issue_events: 'Events' } as const;

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

async function importIssueRows(
  context: Context,
  milestones: ReadonlyMap<Address, Id<'milestones'>>,
): Promise<Map<Address, Issue>> {
  const { tx, accounts, repositories } = context;
  const issues = new Map<Address, Issue>();
  await eachPage(context, 'issues', async (page) => {
    const known = page.flatMap((one) => {
      const target = repositories.get(one.repository);
      return target ? [{ one, target }] : [];
    });
    const rows = known.map(
      ({ one, target }): ImportedIssue => ({
        row: {
          repository_id: target.row.id,
          number: numberOf(one.url, one.repository, 'issues'),
          title: one.title,
          body: one.body,
          author_id: idOf(accounts, one.user),
          state: one.state,
          state_reason: one.state_reason,
          milestone_id: one.milestone === null ? null : (milestones.get(one.milestone) ?? null),
          locked: one.locked,
          lock_reason: one.active_lock_reason,
          closed_at: timeOrNull(one.closed_at),
          closed_by: idOf(accounts, one.closed_by),
          reactions: rollupOf(given(accounts, one.reactions)),
          created_at: timeOf(one.created_at),
          updated_at: timeOf(one.updated_at),
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
  });
  return issues;
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
      const issue = issues.get(one.issue);
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
    const byIssue = grouped(page, ({ issue }) => issue);
    await insertImportedEvents(
      tx,
      page.flatMap((one) => {
        const issue = byIssue.has(one.issue) ? issues.get(one.issue) : undefined;
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
