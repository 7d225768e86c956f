// What the bot does when somebody closes, merges or reopens its pull requests, or pushes to the branches that they are for.
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { mergeCommits } from '#git/history/merge.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRef } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { enqueueAll, job } from '#jobs/job.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { commentOnIssue, findIssueForUpdate } from '#resources/collaboration/issues/index.ts';
import { findDependencyBot } from '#resources/repositories/apps/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { ignoresOf } from './ignores.ts';
import { loadOwnPull } from './own-pulls.ts';
import { removeBranch } from './proposals.ts';
import { queueOf } from './queue.ts';
import { recreate } from './recreate.ts';
import { insertIgnores, isFor, listOpenProposals, loadProposals, removeIgnoredVersions, updateProposal } from './store.ts';
import { closingTexts } from './texts.ts';

type Payload = { readonly issue: Id<'issues'>; readonly actor?: Id<'accounts'> | undefined };

/** Queues what follows the end of a pull request of the bot, or its new beginning. */
export const followPulls = batchSubscription<'pull_request.closed' | 'pull_request.reopened', JobContext>({
  name: 'dependency-updates.follow-pulls',
  on: ['pull_request.closed', 'pull_request.reopened'],
  attempts: 10,
  async runAll(events, { db, change }) {
    const proposals = await loadProposals(db, unique(events.map(({ data }) => data.issue)));
    const entries = events.flatMap(({ data: { issue }, actor }) => {
      const row = proposals.get(issue);
      return row ? [{ payload: { issue, actor }, options: { queue: queueOf(row.repository_id) } }] : [];
    });
    if (entries.length > 0) await change(({ tx }) => enqueueAll(tx, settlePull, entries));
  },
});

/** Does what follows the present state of a pull request. */
export const settlePull = job<Payload, JobContext>({
  name: 'dependency-updates.settle-pull',
  attempts: 10,
  async run({ issue, actor }, context) {
    const { db, change, now } = context;
    const own = await loadOwnPull(context, issue);
    if (!own) return;
    const { row, pull, action } = own;
    if (pull.state === 'open') {
      if (row.is_open) return;
      const others = await listOpenProposals(db, row.repository_id);
      const isTaken = others.some((other) => other.subject === row.subject && isFor(other, row));
      if (isTaken) return;
      await change(async ({ tx }) => {
        await removeIgnoredVersions(tx, row, row.dependencies);
        await updateProposal(tx, issue, { is_open: true });
      });
      return;
    }
    if (row.is_open) {
      const isRefused = pull.merged_at === null && actor !== (await findDependencyBot(db))?.bot_id;
      await change(async (scope) => {
        await updateProposal(scope.tx, issue, { is_open: false });
        if (!isRefused) return;
        await insertIgnores(scope.tx, ignoresOf(row, 'version', { by: actor, now }));
        const locked = await findIssueForUpdate(scope.tx, { id: issue });
        if (locked) await commentOnIssue(scope, action, locked, closingTexts.ignored);
      });
    }
    // To reopen another one, its branch is needed.
    if (pull.merged_at !== null) await removeBranch(context, action, issue);
  },
});

/** Recreates pull requests of the bot that conflict with their base, unless somebody else has pushed to them. */
export const recreateConflicting = job<{ readonly repository: Id<'repositories'> }, JobContext>({
  name: 'dependency-updates.recreate-conflicting',
  attempts: 10,
  async run({ repository: id }, context) {
    const repository = (await loadNamedRepositories(context.db, [id])).get(id);
    if (!repository) return;
    const gitRepository = repoOf(context.services.git, id);
    for (const row of await listOpenProposals(context.db, id)) {
      if (row.options.rebases === false) continue;
      const [base, head] = await Promise.all([
        findRef(gitRepository, branchRef(row.target_branch)),
        findRef(gitRepository, branchRef(row.branch)),
      ]);
      if (!base || head?.oid !== row.head_sha) continue;
      const merge = await mergeCommits(gitRepository, { ours: base.oid, theirs: head.oid });
      if (!merge.merged) await recreate(context, repository, row);
    }
  },
});
