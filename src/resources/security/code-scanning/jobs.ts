import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription, subscription } from '#events/subscription.ts';
import { branchOf, branchRef } from '#git/refs/ref-name.ts';
import { findBranch } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { gather, unique } from '#lib/collections.ts';
import { findNewName } from '#resources/code/branch-names/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { checkedPullOf, checkPull } from './checks.ts';
import { closeRef, listPullRefs, moveInstances } from './instance-store.ts';
import { findAlert } from './store.ts';
import { listAnalysed, moveAnalyses } from './upload-store.ts';

/** Updates the checks of pull requests after an alert was dismissed or reopened. */
export const recheckPulls = subscription<
  'code_scanning_alert.closed_by_user' | 'code_scanning_alert.reopened_by_user',
  JobContext
>({
  name: 'code-scanning.recheck-pulls',
  on: ['code_scanning_alert.closed_by_user', 'code_scanning_alert.reopened_by_user'],
  attempts: 10,
  async run({ repository, data }, { scope, db, change, now }) {
    const [alert, repo] = await Promise.all([
      findAlert(db, data.alert),
      repository === undefined ? undefined : findRepository(db, repository),
    ]);
    if (!alert || !repo) return;
    for (const instance of await listPullRefs(db, alert.id)) {
      const pull = await checkedPullOf(scope, repo, instance);
      if (pull) await change((scope) => checkPull(scope.tx, { repo, pull, now }, { ref: instance.ref, tool: alert.tool_name }));
    }
  },
});

/** Closes what is open on deleted branches, and moves the results of renamed ones. */
export const followBranches = batchSubscription<'push', JobContext>({
  name: 'code-scanning.follow-branches',
  on: ['push'],
  attempts: 25,
  async runAll(events, { db, change, services, now }) {
    const gone = events.flatMap(({ repository, data }) =>
      data.moves.flatMap(({ ref, after }) => {
        const branch = after === null ? branchOf(ref) : undefined;
        return repository === undefined || branch === undefined ? [] : [{ repository, branch }];
      }),
    );
    if (gone.length === 0) return;
    const analysed = new Set(await listAnalysed(db, unique(gather(gone, 'repository'))));
    for (const { repository, branch } of gone.filter((one) => analysed.has(one.repository))) {
      const name = await findNewName(db, repository, branch);
      const from = branchRef(branch);
      if (name === undefined && (await isThere(repoOf(services.git, repository), branch))) continue;
      await change(async (scope) => {
        if (name === undefined) return closeRef(scope.tx, repository, from, now);
        await moveInstances(scope.tx, repository, from, branchRef(name));
        await moveAnalyses(scope.tx, repository, from, branchRef(name));
      });
    }
  },
});

/** Whether a deleted branch exists again. */
const isThere = async (gitRepository: GitRepository, branch: string): Promise<boolean> =>
  (await repositoryExists(gitRepository)) && (await findBranch(gitRepository, branch)) !== undefined;
