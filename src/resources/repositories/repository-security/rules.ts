import type { RepositoryAction } from '#access/action.ts';
import type { Repo } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { unprocessable } from '#lib/refusal.ts';
import { changeSecurity } from '#resources/repositories/repositories/index.ts';

/** Lets outsiders report vulnerabilities of a repository in private, which the public API has for public repositories alone. */
export async function enablePrivateReporting(scope: WriteScope, action: RepositoryAction): Promise<void> {
  if (action.repo.visibility !== 'public')
    throw unprocessable('Private vulnerability reporting can only be enabled for public repositories.');
  await changeSecurity(scope, action, { private_vulnerability_reporting: true });
}

/** Whether outsiders may report in private: a repository that isn't public any more takes no reports. */
export const takesPrivateReports = ({ private_vulnerability_reporting, visibility }: Repo): boolean =>
  private_vulnerability_reporting && visibility === 'public';

/**
 * Refuses whatever would need an analyser of code, since none is part of the server; to leave a setup unconfigured changes
 * nothing.
 * @throws Refusal 422
 */
export function checkSetupChange({ state, ...others }: { state?: 'configured' | 'not-configured' }, product: string): void {
  if (state === 'configured' || (state === undefined && Object.keys(others).length > 0))
    throw unprocessable(`${product} can't be configured: no analyser of code is part of this server.`);
}
