// The steps that a job may still run after it was cancelled.
import type { Source } from './file.ts';

/** The progress of a step when its job was cancelled. */
export type StepProgress = { readonly hasBegun: boolean; readonly hasEnded: boolean; readonly isSkipped: boolean };

/**
 * Whether a step may run something after its job was cancelled: because of its condition, or as a started action, which may have
 * a part for the end of the job.
 */
export const mayCleanUp = (step: Source, { hasBegun, hasEnded, isSkipped }: StepProgress): boolean =>
  (!hasEnded && mayHoldAfterCancellation(step.if)) || (hasBegun && !isSkipped && isAction(step.uses));

const isAction = (uses: Source[string] | undefined): boolean => uses !== undefined && !String(uses).startsWith('docker://');

/** A condition that doesn't check the status of earlier steps holds only if these succeed. */
function mayHoldAfterCancellation(condition: Source[string] | undefined): boolean {
  const expression = String(condition ?? '')
    .replace(/^\s*\$\{\{(.*)\}\}\s*$/s, '$1')
    .trim();
  return /\b(always|cancelled|success|failure)\s*\(/i.test(expression) && !/^(success|failure)\s*\(\s*\)$/i.test(expression);
}
