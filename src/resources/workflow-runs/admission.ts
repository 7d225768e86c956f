// Whether a run may begin, by the settings of its repository and organization.
import { sql } from 'kysely';
import { roleLevelOf } from '#access/sql.ts';
import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { ActionsPolicy, UsedAction } from '#resources/actions-permissions/index.ts';
import { hasMergedPull } from '#resources/pulls/index.ts';
import type { WorkflowFile, WorkflowProblem } from '#workflow-files/parse.ts';
import { namedUse, usesOf } from '#workflow-files/uses.ts';

/** The repository of a run, as far as its settings depend on it. */
export type AdmittingRepository = { readonly id: Id<'repositories'>; readonly visibility: 'public' | 'internal' | 'private' };

/** What a fork's pull request may have, beyond reading: in private repositories, what the settings say; in others nothing. */
export const forkRights = ({ forkPrivate }: ActionsPolicy, { visibility }: Pick<AdmittingRepository, 'visibility'>) =>
  visibility === 'private' ? forkPrivate : { runs: true, writeTokens: false, secrets: false, requiresApproval: false };

/** What a file uses and its repository doesn't allow. */
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

/**
 * Whether a run of a fork's pull request waits until somebody with write access approves it (the public API's rule): who may write never waits; of others, in
 * private repositories the setting for these decides, and elsewhere that of contributors.
 */
export async function needsApproval(
  tx: Tx,
  policy: ActionsPolicy,
  { repository, actor }: { readonly repository: AdmittingRepository; readonly actor: Id<'accounts'> | undefined },
): Promise<boolean> {
  const { rows } = await sql<{
    level: number;
  }>`select ${roleLevelOf(actor)} as level from repositories r where r.id = ${repository.id}`.execute(tx);
  if ((rows[0]?.level ?? 0) >= writing) return false;
  if (repository.visibility === 'private') return policy.forkPrivate.requiresApproval;
  if (policy.forkApproval === 'all_external_contributors' || actor === undefined) return true;
  // Who is new to the server has no merged pull request anywhere.
  const isNewHere = policy.forkApproval === 'first_time_contributors';
  return !(await hasMergedPull(tx, { author: actor, repository: isNewHere ? repository.id : undefined }));
}
