import type { Tx } from '#database/connect.ts';
import type { RunRow } from '../store.ts';

/** Whether there is an earlier run of the same required workflow for the same commit. */
export async function hasEarlierRequired(tx: Tx, run: RunRow): Promise<boolean> {
  const row = await tx
    .selectFrom('workflow_runs')
    .select('id')
    .where('repository_id', '=', run.repository_id)
    .where('head_sha', '=', run.head_sha)
    .where('workflow_repository_id', '=', run.workflow_repository_id)
    .where('workflow_path', '=', run.workflow_path)
    .where('required_for_ref', 'is not', null)
    .where('id', '<', run.id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
