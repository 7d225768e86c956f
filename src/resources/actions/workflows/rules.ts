import type { WriteScope } from '#endpoint/scope.ts';
import { unprocessable } from '#lib/refusal.ts';
import { isDynamicPath, isWorkflowPath } from '#workflow-files/file.ts';
import { updateWorkflow, type WorkflowRow } from './store.ts';

/**
 * Whether a workflow belongs to another repository, so that only rules run it. Its path then starts with the repository's name.
 */
export const isRequired = ({ path }: Pick<WorkflowRow, 'path'>): boolean => !isWorkflowPath(path) && !isDynamicPath(path);

/**
 * Whether events and people may run a workflow. A workflow without a file on the default branch may have one on another branch.
 */
export const isRunnable = ({ state }: Pick<WorkflowRow, 'state'>): boolean => state === 'active' || state === 'deleted';

/**
 * Enables or disables a workflow. Runs that have started continue.
 * @throws Refusal 422 if the workflow's file was deleted, a rule requires the workflow, or the server manages it
 */
export async function enableWorkflow(
  scope: WriteScope,
  workflow: WorkflowRow,
  { isEnabled, now }: { isEnabled: boolean; now: Date },
): Promise<void> {
  if (isRequired(workflow)) throw unprocessable('Rulesets decide whether a workflow of another repository runs');
  if (isDynamicPath(workflow.path)) throw unprocessable('Settings of the repository decide whether this workflow runs');
  if (workflow.state === 'deleted') throw unprocessable('The file of this workflow was deleted');
  if ((workflow.state === 'active') === isEnabled) return;
  await updateWorkflow(scope.tx, workflow.id, { state: isEnabled ? 'active' : 'disabled_manually', updated_at: now });
}
