// What sub-issues and dependencies share: which issues may be related, and what is recorded of it.

import type { RepositoryAction } from '#access/action.ts';
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { type Event, recordAll } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { gather, getOrThrow } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { notFound, Refusal } from '#lib/refusal.ts';
import {
  findReadableIssue,
  type IssueRow,
  insertIssueEvents,
  loadIssues,
  type RelationEventKind,
  touchIssues,
  viaApp,
} from '#resources/collaboration/issues/index.ts';
import { lockOwner, namedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type { RelationKind } from './events.ts';

/** An issue with its repository. */
export type Located = { issue: IssueRow; repository: RepositoryWithOwner };

/**
 * The issue again, with the relations of all issues of its owner locked: they change one after the other, so that two requests
 * don't make a cycle together. No row of an issue is locked before this.
 */
export async function lockRelations(
  tx: Tx,
  { repo, issue }: { repo: { owner_id: Id<'accounts'> }; issue: Pick<IssueRow, 'id'> },
): Promise<IssueRow | undefined> {
  const [, issues] = await Promise.all([lockOwner(tx, repo.owner_id), loadIssues(tx, [issue.id])]);
  return issues.get(issue.id);
}

/** Issues with their repositories. */
export async function locate({ load }: WriteScope, { repo }: RepositoryAction, issues: readonly IssueRow[]): Promise<Located[]> {
  const others = gather(issues, 'repository_id').filter((id) => id !== repo.id);
  const repositories = await load.all(namedRepositories, others);
  return issues.map((issue) => ({
    issue,
    repository: issue.repository_id === repo.id ? repo : getOrThrow(repositories, issue.repository_id),
  }));
}

/**
 * An issue that another one shall be related to. @throws Refusal 404 where the caller may not read it, 422 where it is a pull
 * request, or has another owner
 */
export async function findOther(scope: WriteScope, action: RepositoryAction, id: number, field: Field): Promise<Located> {
  const issue = await findReadableIssue(scope.tx, action.by, asId<'issues'>(id));
  if (!issue) throw notFound();
  if (issue.is_pull_request) throw refused(field, 'Pull requests have no such relations');
  const [located] = await locate(scope, action, [issue]);
  if (!located) throw notFound();
  if (located.repository.owner_id !== action.repo.owner_id)
    throw refused(field, 'Both issues must be in repositories of the same owner');
  return located;
}

type Field = { resource: 'SubIssue' | 'IssueDependency'; field: 'sub_issue_id' | 'issue_id' | 'after_id' | 'before_id' };
export const subIssueField: Field = { resource: 'SubIssue', field: 'sub_issue_id' };
export const dependencyField: Field = { resource: 'IssueDependency', field: 'issue_id' };

/** A relation that isn't allowed. `limit` is the one that it would exceed. */
export const refused = (field: Field, message: string, limit?: string): Refusal =>
  new Refusal('invalid', 'Validation Failed', [{ ...field, code: 'invalid', message }], limit === undefined ? {} : { limit });

type Word = RelationKind extends `${string}.${infer Kind}` ? Kind : never;

/**
 * The kinds of events of a relation's two sides: the parent's and the sub-issue's, or the blocked issue's and the blocking one's.
 */
const kinds = {
  sub_issue: {
    added: ['sub_issues.sub_issue_added', 'sub_issues.parent_issue_added'],
    removed: ['sub_issues.sub_issue_removed', 'sub_issues.parent_issue_removed'],
  },
  dependency: {
    added: ['issue_dependencies.blocked_by_added', 'issue_dependencies.blocking_added'],
    removed: ['issue_dependencies.blocked_by_removed', 'issue_dependencies.blocking_removed'],
  },
} as const satisfies Record<string, Record<string, readonly [RelationKind, RelationKind]>>;

const wordOf = (kind: RelationKind): Word & RelationEventKind => kind.slice(kind.indexOf('.') + 1) as Word;

/** A relation that was added or removed, with the issues in the order of `kinds`. */
export type RelationChange = {
  relation: keyof typeof kinds;
  change: 'added' | 'removed';
  between: readonly [Located, Located];
};

/**
 * Records changes of relations, for both issues of each. As a reference does, a relation leaves the time of an issue alone where
 * not everybody who reads that may read the other one. Returns the issues that have a new time.
 */
export async function recordRelations(
  scope: WriteScope,
  action: RepositoryAction,
  changes: readonly RelationChange[],
): Promise<ReadonlyMap<Id<'issues'>, IssueRow>> {
  const sides = changes.flatMap(({ relation, change, between: [first, second] }) => {
    const [kindOfFirst, kindOfSecond] = kinds[relation][change];
    return [
      { kind: kindOfFirst, own: first, other: second },
      { kind: kindOfSecond, own: second, other: first },
    ];
  });
  const { by, now } = action;
  await recordAll(
    scope.tx,
    sides.map(
      ({ kind, own, other }): Event<RelationKind> => ({
        ...inRepository({ ...action, repo: own.repository }),
        kind,
        data: { issue: own.issue.id, other: other.issue.id, other_repository: other.repository.id },
      }),
    ),
  );
  for (const { kind, own, other } of sides) {
    const context = { repository: own.repository.id, issue: own.issue.id, actor: by.account.id, app: viaApp(by), at: now };
    await insertIssueEvents(scope.tx, context, [{ event: wordOf(kind), source: other.issue }]);
  }
  const changed = sides.filter(({ own, other }) => isShownBeside(other.repository, own.repository));
  return touchIssues(
    scope.tx,
    changed.map(({ own }) => own.issue.id),
    now,
  );
}

/** Whether everybody who reads one repository may read the other. */
const isShownBeside = (other: RepositoryWithOwner, own: RepositoryWithOwner): boolean =>
  other.id === own.id || (other.visibility === 'public' && other.has_issues);
