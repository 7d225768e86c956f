import type { JobContext } from '#endpoint/job-context.ts';
import { recordEach } from '#events/record.ts';
import { batchSubscription } from '#events/subscription.ts';
import { branchOf } from '#git/refs/ref-name.ts';
import { job } from '#jobs/job.ts';
import { repeatWhile, stepsOf } from '#jobs/repeat.ts';
import { getOptional, keyed } from '#lib/collections.ts';
import { addDays } from '#lib/time.ts';
import { concludeStaleRuns } from './rules.ts';
import { insertPushedSuites, listSuitesWithStaleRuns, type PushedHead } from './store.ts';

const keyOf = (repository: number, commit: string, branch: string | null): string => `${repository}/${commit}/${branch}`;

/**
 * Requests a suite from the apps that check the repository after a push to a branch. The initial content of a new repository,
 * such as a fork's, isn't a push.
 */
export const requestSuites = batchSubscription<'push', JobContext>({
  name: 'checks.request-suites',
  on: ['push'],
  attempts: 25,
  async runAll(events, { change, now }: JobContext) {
    const pushed = events.flatMap(({ repository, owner, actor, data: { moves, initial } }) =>
      repository === undefined || initial
        ? []
        : moves.flatMap(({ ref, before, after }) => {
            const branch = branchOf(ref);
            if (after === null || branch === undefined) return [];
            return [{ head: { repository, commit: after, branch, before, by: actor, at: now }, owner, actor }];
          }),
    );
    if (pushed.length === 0) return;
    const heads: PushedHead[] = pushed.map(({ head }) => head);
    const byHead = keyed(pushed, ({ head }) => keyOf(head.repository, head.commit, head.branch));
    await change(async (scope) => {
      const suites = await insertPushedSuites(scope.tx, heads);
      const made = suites.flatMap((suite) => {
        const push = getOptional(byHead, keyOf(suite.repository_id, suite.head_sha, suite.head_branch));
        return push ? [{ suite, push }] : [];
      });
      await recordEach(scope.tx, made, ({ suite, push: { owner, actor } }) => ({
        kind: 'check_suite.requested' as const,
        owner,
        repository: suite.repository_id,
        actor,
        at: now,
        data: { suite: suite.id, app: suite.app_id },
      }));
    });
  },
});

/** The public API's limit. */
const staleAfterDays = 14;
const suitesPerBatch = 100;

/** Concludes runs as stale that nobody completed in time. */
export const concludeStale = job<Record<string, never>, JobContext>({
  name: 'checks.conclude-stale',
  attempts: 3,
  schedule: { cron: '27 * * * *' },
  async run(_payload, { db, change, now, stopping }: JobContext) {
    const before = addDays(now, -staleAfterDays);
    await repeatWhile({ stopping }, async () => {
      const found = await listSuitesWithStaleRuns(db, before, suitesPerBatch);
      for (const suite of stepsOf({ stopping }, found)) await change((scope) => concludeStaleRuns(scope, suite, { before, now }));
      return found.length > 0;
    });
  },
});
