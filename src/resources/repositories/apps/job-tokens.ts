// Rules for the tokens of workflow jobs, beyond their permissions.
import type { RepositoryAction } from '#access/action.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { forbidden } from '#lib/refusal.ts';
import { loadActionsPolicy } from '#resources/repositories/actions-permissions/index.ts';
import { findActionsApp } from './built-in.ts';

/** Whether a credential is the token of a workflow job. */
export const isOfJob = async (db: Db, { grant }: Viewer): Promise<boolean> =>
  grant.kind === 'installation' && (await findActionsApp(db))?.id === grant.appId;

/**
 * Checks that a workflow job may open or approve pull requests: its repository must allow it. Otherwise, users who may only push
 * could satisfy a rule that requires a review.
 * @throws Refusal 403
 */
export async function checkJobMayApprove(db: Db, { repo, by }: RepositoryAction): Promise<void> {
  if (!(await isOfJob(db, by)) || (await loadActionsPolicy(db, repo)).canApprovePullRequests) return;
  throw forbidden('Workflow jobs are not permitted to create or approve pull requests in this repository.');
}
