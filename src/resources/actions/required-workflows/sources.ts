// The sources of required workflows: files of another repository of the same owner, which must share its workflows.
import type { Db } from '#database/connect.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { asId } from '#lib/id.ts';
import { headCommitOf, refsNamed, type SharingRepository } from '#resources/actions/workflow-runs/index.ts';
import { type FoundFile, findWorkflowFile } from '#resources/actions/workflows/index.ts';
import type { RequiredWorkflow } from '#resources/code/ref-rules/index.ts';
import { loadNamedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';

/** The current state of a required workflow: its file, at the ref or commit that the rule names. */
export type RequiredFile = {
  readonly repository: RepositoryWithOwner;
  /** The path in that repository. */
  readonly path: string;
  readonly ref: string;
  readonly sha: Oid;
  /** The file, whose path includes the repository and the ref. */
  readonly found: FoundFile;
};

type Repositories = ReadonlyMap<RepositoryWithOwner['id'], RepositoryWithOwner>;

/** The repositories of required workflows. */
export const loadSources = (
  db: Db,
  required: readonly RequiredWorkflow[],
  ...others: readonly RepositoryWithOwner['id'][]
): Promise<Repositories> =>
  loadNamedRepositories(db, [...others, ...gather(required, 'repository_id').map((id) => asId<'repositories'>(id))]);

/** The repository of a required workflow, if its owner is also the owner of the repository that the workflow runs for. */
export function sourceOf(
  repositories: Repositories,
  { repository_id }: RequiredWorkflow,
  target: Pick<SharingRepository, 'owner_id'>,
): RepositoryWithOwner | undefined {
  const source = getOptional(repositories, repository_id);
  return source?.owner_id === target.owner_id ? source : undefined;
}

/** The possible refs, or the commit, of a rule, in order of precedence. Runs have one of them. */
export function refsOf({ ref, sha }: RequiredWorkflow, { default_branch }: RepositoryWithOwner): string[] {
  if (sha !== undefined) return [sha];
  if (ref === undefined) return [branchRef(default_branch)];
  return ref.startsWith('refs/') ? [ref] : refsNamed(ref);
}

/** The file of a required workflow, in a repository that shares its workflows; undefined if it doesn't exist. */
export async function findRequiredFile(
  git: GitStore,
  source: RepositoryWithOwner,
  required: RequiredWorkflow,
): Promise<RequiredFile | undefined> {
  const gitRepository = repoOf(git, source.id);
  if (!(await repositoryExists(gitRepository))) return undefined;
  for (const ref of refsOf(required, source)) {
    const commit = await headCommitOf(gitRepository, ref);
    if (!commit) continue;
    const { path } = required;
    const found = await findWorkflowFile(gitRepository, commit.id, path);
    if (!found) return undefined;
    const full = `${source.owner.login}/${source.name}/${path}@${ref}`;
    return { repository: source, path, ref, sha: commit.id, found: { path: full, content: found.content } };
  }
  return undefined;
}
