// The actions that jobs use: which repositories of this server provide them, and who may use them. Other actions come from a
// configured origin.
import type { Db } from '#database/connect.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { loadFormerlyNamed, loadNamed, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type { WorkflowFileJob } from '#workflow-files/file.ts';
import { namedUse, stepUsesOf } from '#workflow-files/uses.ts';
import { findRunningUser } from '../store.ts';
import { isShared, type SharingRepository } from './shared-repositories.ts';

/** The path below which Git reads actions, as `/owner/repo`. No owner can have this name. */
export const actionsPath = '/-/actions';

/**
 * The repository whose run uses actions. A fork's pull request can't use shared private actions, since its author could read
 * them.
 */
type ActionsUser = SharingRepository & { readonly is_from_fork: boolean };

/**
 * The first action of a job's steps that no repository of this server provides to it, with the line of its file. One statement,
 * another one if repositories were renamed, and one for each repository that isn't public.
 */
export async function findMissingAction(
  db: Db,
  job: WorkflowFileJob,
  user: ActionsUser,
): Promise<{ readonly name: string; readonly line: number } | undefined> {
  const uses = stepUsesOf(job).flatMap(({ name, line }) => {
    const use = namedUse(name);
    return use ? [{ name, line, fullName: `${use.owner}/${use.repo}`.toLowerCase() }] : [];
  });
  const found = await loadActionRepositories(db, unique(uses.map(({ fullName }) => fullName)));
  const open = new Set<string>();
  for (const [fullName, repository] of found) if (await mayUse(db, user, repository)) open.add(fullName);
  return uses.find(({ fullName }) => !open.has(fullName));
}

const mayUse = async (db: Db, user: ActionsUser, repository: RepositoryWithOwner): Promise<boolean> =>
  repository.visibility === 'public' || repository.id === user.id || (await sharesWith(db, user, repository));

const sharesWith = async (db: Db, user: ActionsUser, repository: RepositoryWithOwner): Promise<boolean> =>
  !user.is_from_fork && (await isShared(db, user, repository));

/**
 * The repository with a current or former name that shares its actions with the job of a token, while that job runs. The token's
 * permissions don't matter, since they apply to the job's own repository.
 */
export async function findSharedActions(db: Db, token: Id<'tokens'>, fullName: string): Promise<RepositoryWithOwner | undefined> {
  const user = await findRunningUser(db, token);
  if (!user) return undefined;
  const wanted = fullName.toLowerCase();
  const repository = (await loadActionRepositories(db, [wanted])).get(wanted);
  return repository && (await sharesWith(db, user, repository)) ? repository : undefined;
}

/** The repositories with these names, in lower case, or formerly with these names. */
async function loadActionRepositories(db: Db, fullNames: readonly string[]): Promise<Map<string, RepositoryWithOwner>> {
  const found = await loadNamed(db, fullNames);
  const former = await loadFormerlyNamed(
    db,
    fullNames.filter((name) => !found.has(name)),
  );
  return new Map([...found, ...former]);
}
