// Finding the branches between which a pull request is opened.
import { findRepo } from '#access/lookup.ts';
import type { Repo } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { RefMove } from '#events/ref-moves.ts';
import { withAlternate } from '#git/objects/alternates.ts';
import { branchOf } from '#git/refs/ref-name.ts';
import { type Branch, findBranch } from '#git/refs/refs.ts';
import type { GitRepository, GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { invalid } from '#lib/refusal.ts';
import { findReadable, findSide } from '#resources/code/commits/index.ts';

/** The names of the branches that a push moved. */
export const movedBranches = (moves: readonly RefMove[]): string[] => moves.flatMap(({ ref }) => branchOf(ref) ?? []);

/** A branch with its repository. */
export type Head = Branch & { repo: Repo };

/** The branch that is to be merged into. @throws Refusal 422 where it doesn't exist */
export async function getBase(gitRepository: GitRepository, name: string): Promise<Branch> {
  const found = await findBranch(gitRepository, name);
  if (!found) throw invalid('PullRequest', 'base', 'invalid');
  return found;
}

/**
 * The branch that is to be merged: `branch` in the same repository, or `owner:branch` in that of its network that the account
 * owns, where `head_repo` may name one of several.
 * @throws Refusal 422 where it doesn't exist, or may not be read
 */
export async function getHead(
  scope: Scope,
  repo: Repo,
  { head, head_repo }: { head: string; head_repo?: string | undefined },
): Promise<Head> {
  const colon = head.indexOf(':');
  const owner = colon < 0 ? undefined : head.slice(0, colon);
  const revision = head.slice(colon + 1);
  const refused = () => invalid('PullRequest', 'head', 'invalid');
  const found = await findHeadRepository(scope, repo, { owner, revision, head_repo });
  if (!found) throw refused();
  const branch = await findBranch(repoOf(scope.git, found.id), revision);
  if (!branch) throw refused();
  return { repo: found, ...branch };
}

async function findHeadRepository(
  { db, viewer }: Scope,
  repo: Repo,
  { owner, revision, head_repo }: { owner: string | undefined; revision: string; head_repo: string | undefined },
): Promise<Repo | undefined> {
  if (head_repo === undefined) return findSide(db, viewer, repo, { ...(owner === undefined ? {} : { owner }), revision });
  const name = head_repo.slice(head_repo.indexOf('/') + 1);
  const named = await findRepo(db, viewer, owner ?? repo.owner.login, name);
  const found = await findReadable(db, viewer, named?.id);
  return found && (found.source_id ?? found.id) === (repo.source_id ?? repo.id) ? found : undefined;
}

/** A disk that reads the objects of both ends. */
export const diskOfBoth = (git: GitStore, base: { id: Repo['id'] }, head: { id: Repo['id'] }): GitRepository =>
  base.id === head.id ? repoOf(git, base.id) : withAlternate(repoOf(git, base.id), repoOf(git, head.id));
