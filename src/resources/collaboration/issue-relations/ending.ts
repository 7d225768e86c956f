import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { gather, getOrThrow, keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { type IssueRow, loadIssues } from '#resources/collaboration/issues/index.ts';
import { locate, type RelationChange, recordRelations } from './relations.ts';
import { removeRelations } from './store.ts';

/**
 * Ends all relations of an issue that becomes a pull request, which has none: nobody could see or remove them there. The caller
 * holds the lock of the owner's relations.
 */
export async function endRelations(scope: WriteScope, action: RepositoryAction, { id }: Pick<IssueRow, 'id'>): Promise<void> {
  const { subIssues, dependencies } = await removeRelations(scope.tx, id);
  if (subIssues.length + dependencies.length === 0) return;
  const ids = [...gather(subIssues, 'parent_id', 'issue_id'), ...gather(dependencies, 'issue_id', 'blocking_id')];
  const issues = await loadIssues(scope.tx, unique(ids));
  const located = keyed(await locate(scope, action, [...issues.values()]), ({ issue }) => issue.id);
  const removed = (relation: RelationChange['relation'], first: Id<'issues'>, second: Id<'issues'>): RelationChange => ({
    relation,
    change: 'removed',
    between: [getOrThrow(located, first), getOrThrow(located, second)],
  });
  await recordRelations(scope, action, [
    ...subIssues.map(({ parent_id, issue_id }) => removed('sub_issue', parent_id, issue_id)),
    ...dependencies.map(({ issue_id, blocking_id }) => removed('dependency', issue_id, blocking_id)),
  ]);
}
