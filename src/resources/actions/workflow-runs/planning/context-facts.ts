import type { Db } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import { loadVariablesForJob } from '#resources/actions/actions-variables/index.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import type { RunRow } from '../store.ts';
import type { ContextFacts } from './contexts.ts';

/** Loads the data for the contexts of a run; undefined if its repository was deleted. */
export async function loadContextFacts(
  db: Db,
  run: RunRow,
  links: Pick<Links, 'html' | 'api'>,
): Promise<ContextFacts | undefined> {
  const [repositories, accounts] = await Promise.all([
    loadNamedRepositories(db, [run.repository_id]),
    loadAccounts(db, [run.actor_id, run.triggering_actor_id]),
  ]);
  const repository = repositories.get(run.repository_id);
  if (!repository) return undefined;
  const loginOf = (id: RunRow['actor_id']): string => (id === null ? 'ghost' : (accounts.get(id)?.login ?? 'ghost'));
  const { id, name, default_branch, visibility, owner_id, owner } = repository;
  return {
    repository: { id, name, default_branch, visibility, owner: { id: owner_id, login: owner.login } },
    actor: loginOf(run.actor_id),
    triggeringActor: loginOf(run.triggering_actor_id),
    links,
  };
}

/**
 * The context `vars` of a run, with variables of its organization and repository. A job's environment adds its own, only for the
 * runner.
 */
export const variablesOf = async (db: Db, { repository_id }: RunRow): Promise<{ [name: string]: string }> =>
  Object.fromEntries(await loadVariablesForJob(db, { repository: repository_id }));
