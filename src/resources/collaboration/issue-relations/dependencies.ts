// The rules of dependencies. The caller holds the lock of the owner's relations (`lockRelations`).

import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { fixedValue } from '#lib/limits.ts';
import type { IssueRow } from '#resources/collaboration/issues/index.ts';
import { relationLimits } from './limits.ts';
import { dependencyField, findOther, locate, type RelationChange, recordRelations, refused } from './relations.ts';
import { countDependencies, insertDependency, removeDependency } from './store.ts';

const maxDependencies = fixedValue(relationLimits.dependencies);

/** Says that an issue is blocked by another one. */
export async function addBlockedBy(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  blocking: number,
): Promise<IssueRow> {
  const other = await findOther(scope, action, blocking, dependencyField);
  if (other.issue.id === issue.id) throw refused(dependencyField, 'An issue cannot block itself');
  const counts = await countDependencies(scope.tx, issue.id, other.issue.id);
  if (counts.exists) throw refused(dependencyField, 'It blocks this issue already');
  if (counts.blocked_by >= maxDependencies)
    throw refused(dependencyField, `An issue can be blocked by at most ${maxDependencies} others`, 'issues.dependencies');
  if (counts.blocking >= maxDependencies)
    throw refused(dependencyField, `An issue can block at most ${maxDependencies} others`, 'issues.dependencies');
  await insertDependency(scope.tx, issue.id, other.issue.id, action.now);
  const between = [{ issue, repository: action.repo }, other] as const;
  return (await recordRelations(scope, action, [{ relation: 'dependency', change: 'added', between }])).get(issue.id) ?? issue;
}

/** Says that an issue isn't blocked any more by one that blocks it. */
export async function removeBlockedBy(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  blocking: IssueRow,
): Promise<IssueRow> {
  await removeDependency(scope.tx, issue.id, blocking.id);
  const others = await locate(scope, action, [blocking]);
  const changes = others.map(
    (other): RelationChange => ({
      relation: 'dependency',
      change: 'removed',
      between: [{ issue, repository: action.repo }, other],
    }),
  );
  return (await recordRelations(scope, action, changes)).get(issue.id) ?? issue;
}
