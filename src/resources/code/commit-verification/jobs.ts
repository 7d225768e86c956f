import type { JobContext } from '#endpoint/job-context.ts';
import type { RefMove } from '#events/ref-moves.ts';
import { batchSubscription } from '#events/subscription.ts';
import { listNewOids } from '#git/history/history.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Commit, Tag } from '#git/objects/parse-commit.ts';
import { getDefaultBranch } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { fixedValue } from '#lib/limits.ts';
import { verificationLimits } from './limits.ts';
import { verify } from './rules.ts';
import { hasSigningKeys } from './store.ts';

const maxCommits = fixedValue(verificationLimits.verifiedCommits);

/**
 * Verifies pushed commits and tags, so that they stay verified even if nobody looks at them before the key is removed. The
 * initial commits of a fork were verified in its source. Commits beyond the latest `maxCommits` of a push are verified when they
 * are first read.
 */
export const verifyPushed = batchSubscription<'push', JobContext>({
  name: 'commit-verification.verify-pushed',
  on: ['push'],
  attempts: 10,
  async runAll(events, { db, services: { git, url }, now, stopping }) {
    if (!(await hasSigningKeys(db))) return;
    const host = url === undefined ? undefined : new URL(url).hostname;
    for (const { repository, data } of events) {
      if (repository === undefined || data.initial) continue;
      const gitRepository = repoOf(git, repository);
      if (!(await repositoryExists(gitRepository))) continue;
      for (const move of data.moves)
        for await (const objects of pushedBy(gitRepository, move)) {
          stopping?.throwIfAborted();
          await verify(
            { db, git, host, now },
            objects.map((object) => ({ repository, object })),
          );
        }
    }
  },
});

const commitsPerBatch = 50;

/**
 * The commits that a push added to a branch or tag, in batches, and the tag object itself. It yields nothing if the ref has
 * moved on and the objects are gone.
 */
async function* pushedBy(gitRepository: GitRepository, { ref, before, after }: RefMove): AsyncGenerator<(Commit | Tag)[]> {
  if (after === null) return;
  await using reader = await openObjects(gitRepository, { isBulk: true });
  const info = await reader.findInfo(after);
  if (info?.type === 'tag') yield [await reader.getTag(after)];
  const tip = info && (await reader.findInfo(after, { peel: 'commit' }));
  if (!tip) return;
  // For a new branch, only commits that the default branch lacks: the others were pushed before.
  const main = before === null ? await getDefaultBranch(gitRepository) : undefined;
  const exclude = main?.oid && ref !== `refs/heads/${main.name}` ? [main.oid] : [];
  const oids = await listNewOids(gitRepository, { from: before, to: tip.oid, exclude, limit: maxCommits });
  for (let at = 0; at < oids.length; at += commitsPerBatch)
    yield [...(await reader.findCommits(oids.slice(at, at + commitsPerBatch))).values()];
}
