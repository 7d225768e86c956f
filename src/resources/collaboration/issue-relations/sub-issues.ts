// The rules of sub-issues. The caller holds the lock of the owner's relations (`lockRelations`).

import type { RepositoryAction } from '#access/action.ts';
import { findRepoById } from '#access/lookup.ts';
import { reaches } from '#access/roles.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { getOrThrow } from '#lib/collections.ts';
import { asId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { forbidden, notFound } from '#lib/refusal.ts';
import { type IssueRow, loadIssues } from '#resources/collaboration/issues/index.ts';
import { relationLimits } from './limits.ts';
import { findOther, type Located, locate, type RelationChange, recordRelations, refused, subIssueField } from './relations.ts';
import type { NewSubIssue, SubIssuePosition } from './schemas.ts';
import { findPlacement, loadPositions, moveSubIssue, type Placement, putSubIssue, removeSubIssue } from './store.ts';

const maxSubIssues = fixedValue(relationLimits.subIssues);
const maxLevels = fixedValue(relationLimits.subIssueLevels);

/** Makes an issue the last sub-issue of another. Where it is one of a third, `replace_parent` takes it from there. */
export async function addSubIssue(
  scope: WriteScope,
  action: RepositoryAction,
  parent: IssueRow,
  wanted: NewSubIssue,
): Promise<IssueRow> {
  const sub = await findOther(scope, action, wanted.sub_issue_id, subIssueField);
  const placement = await findPlacement(scope.tx, parent.id, sub.issue.id, maxLevels + 1);
  checkPlacement(parent, sub, placement, wanted);
  const changes: RelationChange[] = [];
  for (const former of await formerParents(scope, action, placement)) {
    await checkMayTakeFrom(scope, action, former, sub);
    changes.push({ relation: 'sub_issue', change: 'removed', between: [former, sub] });
  }
  await putSubIssue(scope.tx, parent.id, sub.issue.id, action.now);
  changes.push({ relation: 'sub_issue', change: 'added', between: [{ issue: parent, repository: action.repo }, sub] });
  return (await recordRelations(scope, action, changes)).get(parent.id) ?? parent;
}

const formerParents = async (scope: WriteScope, action: RepositoryAction, { former }: Placement): Promise<Located[]> =>
  former === null ? [] : locate(scope, action, [...(await loadIssues(scope.tx, [former])).values()]);

function checkPlacement(parent: IssueRow, { issue }: Located, placement: Placement, { replace_parent }: NewSubIssue): void {
  const { above, is_above, below, siblings, former } = placement;
  if (issue.id === parent.id) throw refused(subIssueField, 'An issue cannot be its own sub-issue');
  if (former === parent.id) throw refused(subIssueField, 'It is a sub-issue of this issue already');
  if (former !== null && !replace_parent) throw refused(subIssueField, 'Sub issue may only have one parent');
  if (is_above) throw refused(subIssueField, 'An issue cannot be below itself');
  if (siblings >= maxSubIssues)
    throw refused(subIssueField, `An issue can have at most ${maxSubIssues} sub-issues`, 'issues.subIssues');
  if (above + 1 + below > maxLevels)
    throw refused(subIssueField, `Sub-issues can be at most ${maxLevels} levels deep`, 'issues.subIssueLevels');
}

/**
 * A sub-issue is taken from its parent by those who may change the relations of either: the caller has the role in the repository
 * of the path, so it is looked for where that is none of the two.
 */
async function checkMayTakeFrom(scope: WriteScope, { repo, by }: RepositoryAction, former: Located, sub: Located): Promise<void> {
  const ids = [former.repository.id, sub.repository.id];
  if (ids.includes(repo.id)) return;
  for (const id of ids) {
    const there = await findRepoById(scope.tx, by, id);
    if (there?.reached && (by.grant.kind === 'installation' || reaches(there.role, 'triage'))) return;
  }
  throw forbidden('Must have triage rights to the repository of the sub-issue, or of its parent.');
}

/** Takes a sub-issue from its parent. */
export async function dropSubIssue(scope: WriteScope, action: RepositoryAction, parent: IssueRow, id: number): Promise<IssueRow> {
  const sub = await findOther(scope, action, id, subIssueField);
  if (!(await removeSubIssue(scope.tx, parent.id, sub.issue.id))) throw notFound();
  const between = [{ issue: parent, repository: action.repo }, sub] as const;
  return (await recordRelations(scope, action, [{ relation: 'sub_issue', change: 'removed', between }])).get(parent.id) ?? parent;
}

/** Moves a sub-issue to the place after or before another. As in the public API, this is no event. */
export async function reorderSubIssue(
  scope: WriteScope,
  action: RepositoryAction,
  parent: IssueRow,
  { sub_issue_id, after_id, before_id }: SubIssuePosition,
): Promise<void> {
  const anchor = after_id ?? before_id;
  if (anchor === undefined || (after_id !== undefined && before_id !== undefined))
    throw refused({ ...subIssueField, field: 'after_id' }, 'Either after_id or before_id is needed, and not both');
  const field = { ...subIssueField, field: after_id === undefined ? ('before_id' as const) : ('after_id' as const) };
  const sub = await findOther(scope, action, sub_issue_id, subIssueField);
  const positions = await loadPositions(scope.tx, parent.id, [sub.issue.id, asId<'issues'>(anchor)]);
  if (!positions.has(sub.issue.id)) throw notFound();
  if (!positions.has(asId<'issues'>(anchor))) throw refused(field, 'It is no sub-issue of this issue');
  if (anchor === sub_issue_id) throw refused(field, 'It is the sub-issue itself');
  const beside = getOrThrow(positions, asId<'issues'>(anchor));
  await moveSubIssue(scope.tx, parent.id, sub.issue.id, after_id === undefined ? beside - 0.5 : beside + 0.5);
}
