// What the configuration file of a repository says of an ecosystem and a directory.
import type { JobContext } from '#endpoint/job-context.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type { UpdateRequest } from '#resources/security/dependency-bot/index.ts';
import type { PullOptions } from './store.ts';

type Settings = { readonly options: PullOptions; readonly securityGroups: NonNullable<UpdateRequest['security_groups']> };

/** The settings of security updates; `off` where the file turns them off. */
export async function settingsFor(
  _context: JobContext,
  _repository: RepositoryWithOwner,
  _request: Pick<UpdateRequest, 'ecosystem' | 'directory'>,
): Promise<Settings | 'off'> {
  return { options: {}, securityGroups: [] };
}
