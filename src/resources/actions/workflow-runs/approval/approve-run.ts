// The approval of a fork's run.
import type { WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, orNotFound } from '#lib/refusal.ts';
import { beginAgain } from '../runs/create.ts';
import { allowsRun, transitionRun } from '../states/run-states.ts';
import { findRunForUpdate } from '../store.ts';

/** Lets a run of a fork's pull request start. @throws Refusal 403 if the run doesn't wait for approval */
export async function approveRun(scope: WriteScope, id: Id<'workflow_runs'>): Promise<void> {
  const run = orNotFound(await findRunForUpdate(scope.tx, id));
  if (!run.is_from_fork) throw forbidden('This run is not from a fork pull request');
  if (!allowsRun(run, 'approve')) throw forbidden('This run does not need to be approved');
  await beginAgain(scope, await transitionRun(scope, run, 'approve'));
}
