import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { diffTrees } from '#git/history/diff.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findBranch } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { maxFiles } from '#resources/code/commits/index.ts';
import { loadPulls, mergedTree, type PullRow, requestUnasked } from '#resources/collaboration/pulls/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { findCodeOwners } from './find.ts';
import { ownersOf, resolveOwners, reviewersOf } from './owners.ts';

const changes = [
  'pull_request.opened',
  'pull_request.ready_for_review',
  'pull_request.synchronize',
  'pull_request.edited',
] as const;

/**
 * Requests reviews from the owners of a pull request's changes, unless they were requested before. Drafts wait until they are
 * ready.
 */
export const requestCodeOwners = subscription<(typeof changes)[number], JobContext>({
  name: 'code-owners.request',
  on: changes,
  attempts: 25,
  key: ({ data }) => String(data.issue),
  async run(event, context) {
    if (event.kind === 'pull_request.edited' && event.data.changes.base === undefined) return;
    const pull = (await loadPulls(context.db, [event.data.issue])).get(event.data.issue);
    if (pull && pull.state === 'open' && !pull.is_draft) await requestOwnersOf(context, pull);
  },
});

async function requestOwnersOf({ db, change, services, now }: JobContext, pull: PullRow): Promise<void> {
  const repo = (await loadNamedRepositories(db, [pull.repository_id])).get(pull.repository_id);
  const gitRepository = repoOf(services.git, pull.repository_id);
  if (!repo || !(await repositoryExists(gitRepository))) return;
  const base = await findBranch(gitRepository, pull.base_ref);
  if (!base) return;
  await using reader = await openObjects(gitRepository);
  const rules = (await findCodeOwners(reader, base.oid))?.owners?.rules ?? [];
  if (rules.length === 0) return;
  const paths = await listPaths(gitRepository, { from: pull.merge_base_sha, to: pull.head_sha });
  // With several merge bases, the merge can change other files (see reviews/merge-rules.ts).
  const merged = pull.merge_base_sha === base.oid ? undefined : await mergedTree(gitRepository, pull, base.oid);
  if (merged !== undefined) paths.push(...(await listPaths(gitRepository, { from: base.oid, to: merged })));
  const names = await ownersOf(rules, paths);
  const host = services.url === undefined ? '' : new URL(services.url).hostname;
  const wanted = reviewersOf(names, await resolveOwners(db, repo, names, host));
  await change((scope) => requestUnasked(scope, { repo, actor: pull.author_id ?? undefined, app: null, now }, pull, wanted));
}

async function listPaths(gitRepository: GitRepository, ends: { from: Oid; to: Oid }): Promise<string[]> {
  const { files } = await diffTrees(gitRepository, { ...ends, patchSize: 0 });
  return files.slice(0, maxFiles).flatMap(({ path, previousPath }) => (previousPath === undefined ? path : [path, previousPath]));
}
