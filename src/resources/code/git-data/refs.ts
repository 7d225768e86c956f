import { reaches } from '#access/roles.ts';
import type { Repo, SignedIn } from '#access/viewer.ts';
import { workflowFileAccess } from '#access/workflow-files.ts';
import type { Scope } from '#endpoint/scope.ts';
import { type ObjectType, openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { exceeded } from '#git/process/exceeded.ts';
import { branchOf, branchRef, misleadingRefProblem, refNameProblem } from '#git/refs/ref-name.ts';
import { findRef, listRefs, type Ref } from '#git/refs/refs.ts';
import { isAncestor } from '#git/refs/resolve.ts';
import type { RefUpdate } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import { conflict, forbidden, invalid, Refusal, unprocessable } from '#lib/refusal.ts';
import { emptyRepository, isEmpty } from '#resources/code/commits/index.ts';
import {
  FixedRefs,
  findModifiable,
  type MoveScope,
  moveRefs,
  type RefMoveRequest,
  WorkflowFilesRefused,
} from '#resources/code/pushes/index.ts';
import { type MoveReason, RuleViolations } from '#resources/code/ref-rules/index.ts';

/** Refs that callers can't change: `refs/pull/` is changed only by Hearth itself, and `refs/hearth/` isn't shown. */
const reserved = /^refs\/(?:pull|hearth)\//;

type MoveRefsOptions = Parameters<typeof moveRefs>[1];
type MoveRefsAction = MoveReason & {
  repo: Repo;
  by: SignedIn;
  following?: MoveRefsOptions['following'];
  /** How a move is refused that breaks rules: 422, or 409. */
  whenRefused?: 'invalid' | 'conflict';
  /** How a move is refused that brings workflow files which the caller may not write: 403, or 422. */
  whenWorkflowFiles?: 'forbidden' | 'invalid';
};

/**
 * Refuses to move refs, where the caller may not write to the repository and they aren't heads of pull requests that let the
 * caller modify them.
 * @throws Refusal 403
 */
export async function checkMayMove(
  { db }: Scope,
  { repo, by }: Pick<MoveRefsAction, 'repo' | 'by'>,
  refs: readonly string[],
): Promise<void> {
  if (by.grant.kind === 'installation' || reaches(repo.role, 'write')) return;
  const branches = refs.map(branchOf);
  const modifiable = await findModifiable(
    db,
    by,
    repo,
    branches.filter((branch) => branch !== undefined),
  );
  if (!branches.every((branch) => branch !== undefined && modifiable.has(branch))) throw unmodifiable();
}

const unmodifiable = (): Refusal => forbidden('You may only move branches of open pull requests that you may modify.');

/**
 * Moves refs together. Conflicts are refused with the messages of the public API. Who may not write to the repository moves heads
 * of pull requests that they may modify, and neither creates nor deletes any.
 */
export async function moveOrRefuse(
  scope: MoveScope,
  { repo, by, following, whenRefused = 'invalid', whenWorkflowFiles = 'forbidden', ...moveReason }: MoveRefsAction,
  changes: readonly RefMoveRequest[],
): Promise<void> {
  await checkMayMove(
    scope,
    { repo, by },
    changes.map(({ ref }) => ref),
  );
  const mayOnlyMove = by.grant.kind !== 'installation' && !reaches(repo.role, 'write');
  if (mayOnlyMove && changes.some(({ from, to }) => from === null || to === null)) throw unmodifiable();
  const moving = moveRefs(scope, {
    repo,
    changes,
    actor: by.account.id,
    workflowFiles: workflowFileAccess(by.grant, repo),
    ...moveReason,
    ...(following ? { following } : {}),
  });
  const result = await moving.catch((error: unknown) => {
    if (error instanceof FixedRefs) throw unprocessable(`${error.refs[0]} is or was the tag of an immutable release`);
    if (error instanceof WorkflowFilesRefused) throw new Refusal(whenWorkflowFiles, error.message);
    if (error instanceof RuleViolations) throw new Refusal(whenRefused, error.message);
    throw error;
  });
  if (!result.updated) throw refusalOf(result);
}

function refusalOf({ ref, reason }: Extract<RefUpdate, { updated: false }>): Refusal {
  switch (reason) {
    case 'exists':
      return unprocessable('Reference already exists');
    case 'absent':
      return unprocessable('Reference does not exist');
    case 'folder':
      return unprocessable(`${ref} cannot be created: another reference is a part of its name, or it of another's`);
    case 'moved':
      return conflict(`${ref} has moved meanwhile`);
    case 'locked':
      return conflict(`${ref} is being changed at this moment`);
  }
}

/** Refuses the name of a ref that may not be created or moved. Returns the name otherwise. */
export function checkRef(ref: string): string {
  const problem = refNameProblem(ref) ?? misleadingRefProblem(ref) ?? (reserved.test(ref) ? 'is reserved' : undefined);
  if (problem) throw invalid('Reference', 'ref', 'invalid', `ref ${problem}`);
  return ref;
}

/** A ref by what follows `refs/` in its name. Hearth's own refs aren't found. */
export const findNamedRef = async (scope: Scope, repo: Repo, name: string): Promise<Ref | undefined> => {
  const ref = name.startsWith('refs/') ? name : `refs/${name}`;
  return ref.startsWith('refs/hearth/') ? undefined : findRef(repoOf(scope.git, repo.id), ref);
};

/**
 * The refs whose names begin so after `refs/`.
 * @throws Refusal 409 for a repository without refs; GitError `too-large` beyond `git.listedRefs`
 */
export async function listMatching({ git }: Scope, repo: Repo, start: string): Promise<Ref[]> {
  const gitRepository = repoOf(git, repo.id);
  const prefix = start.startsWith('refs/') ? start : `refs/${start}`;
  const { listedRefs } = git.limits;
  const { rows, total } = await listRefs(gitRepository, { prefix, limit: listedRefs });
  if (total > listedRefs) throw exceeded(git.limits, 'listedRefs', { message: 'Too many references match: name more of them' });
  if (rows.length === 0 && (await isEmpty(gitRepository))) throw emptyRepository();
  return rows;
}

/** Creates a ref. */
export async function createRef(
  scope: MoveScope,
  action: MoveRefsAction,
  { ref, sha }: { ref: string; sha: Oid },
): Promise<Pick<Ref, 'name' | 'oid' | 'type'>> {
  const gitRepository = repoOf(scope.git, action.repo.id);
  if (await isEmpty(gitRepository)) throw emptyRepository();
  const name = checkRef(ref);
  const type = await checkTarget(scope, action.repo, { ref: name, oid: sha });
  await moveOrRefuse(scope, action, [{ ref: name, from: null, to: sha }]);
  return { name, oid: sha, type };
}

/** Moves a ref. Without `force`, a move that would lose commits is refused. */
export async function updateRef(
  scope: MoveScope,
  action: MoveRefsAction,
  { name, sha, force }: { name: string; sha: Oid; force: boolean },
): Promise<Pick<Ref, 'name' | 'oid' | 'type'>> {
  const found = await findNamedRef(scope, action.repo, name);
  if (!found) throw unprocessable('Reference does not exist');
  const ref = checkRef(found.name);
  await checkMayMove(scope, action, [ref]);
  const type = await checkTarget(scope, action.repo, { ref, oid: sha });
  if (!force) await checkFastForward(scope, action.repo, { from: found, to: { oid: sha, type } });
  await moveOrRefuse(scope, action, [{ ref, from: found.oid, to: sha }]);
  return { name: ref, oid: sha, type };
}

/** Removes a ref; the default branch stays. */
export async function deleteRef(scope: MoveScope, action: MoveRefsAction, name: string): Promise<void> {
  const found = await findNamedRef(scope, action.repo, name);
  if (!found) throw unprocessable('Reference does not exist');
  const ref = checkRef(found.name);
  if (ref === branchRef(action.repo.default_branch)) throw unprocessable('Cannot delete the default branch');
  await moveOrRefuse(scope, action, [{ ref, from: found.oid, to: null }]);
}

/** The type of a ref's new object. It must exist, and be a commit if the ref is a branch. */
async function checkTarget({ git }: Scope, repo: Repo, { ref, oid }: { ref: string; oid: Oid }): Promise<ObjectType> {
  await using reader = await openObjects(repoOf(git, repo.id));
  const found = await reader.findInfo(oid);
  if (!found) throw unprocessable('Object does not exist');
  if (branchOf(ref) !== undefined && found.type !== 'commit')
    throw invalid('Reference', 'sha', 'invalid', 'sha of a branch must be a commit');
  return found.type;
}

type TypedObject = { oid: Oid; type: ObjectType };

async function checkFastForward({ git }: Scope, repo: Repo, { from, to }: { from: TypedObject; to: TypedObject }): Promise<void> {
  const areCommits = from.type === 'commit' && to.type === 'commit';
  if (from.oid === to.oid || (areCommits && (await isAncestor(repoOf(git, repo.id), from.oid, to.oid)))) return;
  throw unprocessable('Update is not a fast forward');
}
