import type { RepositoryAction } from '#access/action.ts';
import type { Repo } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { unprocessable } from '#lib/refusal.ts';
import { changeSecurity } from '#resources/repositories/repositories/index.ts';

/** Lets outsiders report vulnerabilities privately. The public API has this only for public repositories. */
export async function enablePrivateReporting(scope: WriteScope, action: RepositoryAction): Promise<void> {
  if (action.repo.visibility !== 'public')
    throw unprocessable('Private vulnerability reporting can only be enabled for public repositories.');
  await changeSecurity(scope, action, { private_vulnerability_reporting: true });
}

/** Whether outsiders may report privately, which requires that the repository is public. */
export const takesPrivateReports = ({ private_vulnerability_reporting, visibility }: Repo): boolean =>
  private_vulnerability_reporting && visibility === 'public';
