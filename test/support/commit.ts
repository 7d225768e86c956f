import type { RepositoryRow } from '#access/viewer.ts';
import { findRefOids } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { mustMoveRefs } from '#resources/code/pushes/index.ts';
import { commit } from '#test/git/support.ts';
import type { World } from './world.ts';

/** Makes these files the whole content of the default branch, with one commit on top of it. It is recorded as a push. */
export async function commitFiles(
  { hearth, jobContext }: World,
  repo: RepositoryRow,
  files: Record<string, string>,
  message = 'Change files',
): Promise<string> {
  const gitRepository = repoOf(hearth.services.git, repo.id);
  const ref = `refs/heads/${repo.default_branch}`;
  const tip = (await findRefOids(gitRepository, [ref])).get(ref);
  const oid = await commit(gitRepository, files, tip ? [tip] : [], message);
  const { scope } = jobContext();
  await mustMoveRefs(scope, {
    repo,
    changes: [{ ref, from: tip ?? null, to: oid }],
    actor: repo.created_by ?? undefined,
    workflowFiles: { allowed: true },
  });
  return oid;
}
