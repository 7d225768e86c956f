import type { WriteScope } from '#endpoint/scope.ts';
import { unprocessable } from '#lib/refusal.ts';
import { updateWorkflow, type WorkflowRow } from './store.ts';

/**
 * Enables or disables a workflow. Runs that have started continue.
 * @throws Refusal 422 for a workflow whose file is gone
 */
export async function enableWorkflow(
  scope: WriteScope,
  workflow: WorkflowRow,
  { isEnabled, now }: { isEnabled: boolean; now: Date },
): Promise<void> {
  if (workflow.state === 'deleted') throw unprocessable('The file of this workflow was deleted');
  if ((workflow.state === 'active') === isEnabled) return;
  await updateWorkflow(scope.tx, workflow.id, { state: isEnabled ? 'active' : 'disabled_manually', updated_at: now });
}
