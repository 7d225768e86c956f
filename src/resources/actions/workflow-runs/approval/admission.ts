// Whether a run may start, according to the settings of its repository and organization.
import { sql } from 'kysely';
import { roleLevelOf } from '#access/sql.ts';
import type { Tx } from '#database/connect.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { findAuthorsOfMerged, type PullRow } from '#resources/collaboration/pulls/index.ts';
import type { ActionsPolicy, UsedAction } from '#resources/repositories/actions-permissions/index.ts';
import type { WorkflowFile, WorkflowProblem } from '#workflow-files/file.ts';
import { namedUse, usesOf } from '#workflow-files/uses.ts';

/** The fields of a run's repository that its settings depend on. */
export type AdmittingRepository = { readonly id: Id<'repositories'>; readonly visibility: 'public' | 'internal' | 'private' };

/** The rights of a fork's pull request, besides reading: in private repositories, as configured; in others, none. */
export const forkRights = ({ forkPrivate }: ActionsPolicy, { visibility }: Pick<AdmittingRepository, 'visibility'>) =>
  visibility === 'private' ? forkPrivate : { runs: true, writeTokens: false, secrets: false, requiresApproval: false };

/** The actions and workflows that a file uses although its repository doesn't allow them. */
export const forbiddenUses = (policy: ActionsPolicy, file: WorkflowFile): WorkflowProblem[] =>
  usesOf(file).flatMap(({ of, name, line }) => {
    const used = usedAction(of, name);
    if (!used) return [{ message: `${name} names no action`, line }];
    const allowed = policy.allowsAction(used);
    return allowed === true ? [] : [{ message: `${name}: ${allowed.reason}`, line }];
  });

/** `owner/repo/path@ref`, `./path` or `docker://image`; undefined for anything else. */
function usedAction(of: 'step' | 'job', name: string): UsedAction | undefined {
  if (name.startsWith('./')) return { kind: 'local' };
  if (name.startsWith('docker://')) return of === 'step' ? { kind: 'image', image: name.slice('docker://'.length) } : undefined;
  const named = namedUse(name);
  return named && { kind: of === 'step' ? 'action' : 'workflow', ...named };
}

/** The level of the role `write`. */
const writing = 3;

type ForkRun = {
  readonly repository: AdmittingRepository;
  /** The user who caused the event, for example by adding a label or pushing. */
  readonly actor: Id<'accounts'> | undefined;
  readonly pull: Pick<PullRow, 'author_id' | 'head_pushers' | 'has_unknown_pusher'> | undefined;
};

/**
 * Whether a run of a fork's pull request needs approval by somebody with write access. The author, everybody who pushed to the
 * head, and the actor must be trusted: an owner who adds a label, or updates the branch, doesn't vouch for others. People with
 * write access are trusted. For others, the setting for private repositories applies, or in other repositories the setting for
 * contributors (the public API's rule).
 */
export async function needsApproval(tx: Tx, policy: ActionsPolicy, { repository, actor, pull }: ForkRun): Promise<boolean> {
  const isKnown = pull !== undefined && pull.author_id !== null && !pull.has_unknown_pusher && actor !== undefined;
  const people = unique([actor, pull?.author_id, ...(pull?.head_pushers ?? [])].filter((id) => id !== undefined && id !== null));
  const { rows } = await sql<{ id: Id<'accounts'> }>`
    select a.id from repositories r cross join unnest(${people}::bigint[]) as a(id)
    where r.id = ${repository.id} and coalesce(${roleLevelOf(sql.ref('a.id'))}, 0) < ${writing}`.execute(tx);
  if (isKnown && rows.length === 0) return false;
  if (repository.visibility === 'private') return policy.forkPrivate.requiresApproval;
  if (policy.forkApproval === 'all_external_contributors' || !isKnown) return true;
  // Authors who are new to the server have no merged pull request anywhere.
  const isNewHere = policy.forkApproval === 'first_time_contributors';
  const outsiders = gather(rows, 'id');
  const known = await findAuthorsOfMerged(tx, { authors: outsiders, repository: isNewHere ? repository.id : undefined });
  return !outsiders.every((id) => known.has(id));
}
