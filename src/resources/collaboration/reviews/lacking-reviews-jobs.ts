import type { JobContext } from '#endpoint/job-context.ts';
import type { EventKind } from '#events/kinds.ts';
import { batchSubscription, type Recorded, subscription } from '#events/subscription.ts';
import { enqueue, job } from '#jobs/job.ts';
import { gather, grouped, unique } from '#lib/collections.ts';
import { movedBranches } from '#resources/collaboration/pulls/index.ts';
import { evaluatePulls, listRuledByFiles, pullsPerBatch } from './lacking-reviews.ts';
import { listOpenPulls, listUnevaluated, type PullCursor, type PullScope } from './store.ts';

const ofPulls = [
  'push',
  'pull_request.opened',
  'pull_request.reopened',
  'pull_request.edited',
  'pull_request.synchronize',
  'pull_request.base_renamed',
  'pull_request_review.submitted',
  'pull_request_review.dismissed',
] as const;

/** Evaluates whether pull requests lack reviews after a change to them, to their reviews, or to the code owners of their base. */
export const evaluateChanged = batchSubscription<(typeof ofPulls)[number], JobContext>({
  name: 'reviews.judge-changed',
  on: ofPulls,
  attempts: 25,
  async runAll(events, context) {
    for (const [repository, own] of grouped(events, (event) => event.repository)) {
      if (repository === undefined) continue;
      const branches = unique(own.flatMap((event) => (event.kind === 'push' ? movedBranches(event.data.moves) : [])));
      const named = own.flatMap((event) => (event.kind === 'push' ? [] : [event.data.issue]));
      const owned = await listRuledByFiles(context.scope, repository, branches);
      await evaluatePulls(context.scope, repository, unique([...named, ...gather(owned, 'id')]));
    }
  },
});

/** Events that change the rules for pull requests, or whose reviews count. */
const causes = [
  'ruleset.created',
  'ruleset.edited',
  'ruleset.deleted',
  'branch_protection.created',
  'branch_protection.edited',
  'branch_protection.deleted',
  'custom_property.updated',
  'custom_property.deleted',
  'custom_property_values.updated',
  'repository.imported',
  'repository.renamed',
  'repository.transferred',
  'repository.privatized',
  'repository.publicized',
  'repository.default_branch_changed',
  'organization.updated',
  'collaborator.added',
  'collaborator.changed',
  'collaborator.removed',
  'team.edited',
  'team.deleted',
  'team.repository_added',
  'team.repository_changed',
  'team.repository_removed',
  'team.member_added',
  'team.member_changed',
  'team.member_removed',
  'member.added',
  'member.changed',
  'member.removed',
] as const satisfies readonly EventKind[];

type Cause = (typeof causes)[number];

/** The pull requests that an event concerns. */
function scopeOf({ owner, repository, data }: Recorded<Cause>): PullScope {
  if (repository !== undefined) return { repository };
  return 'user' in data ? { owner, reviewer: data.user } : { owner };
}

const first: PullCursor = { repository: 0 as PullCursor['repository'], number: 0 };

/** Evaluates pull requests again after a change of rules, or of the people whose reviews count. */
export const evaluateConcerned = subscription<Cause, JobContext>({
  name: 'reviews.judge-concerned',
  on: causes,
  attempts: 25,
  key: (event) => `reviews.judge-concerned.${Object.entries(scopeOf(event)).flat().join('.')}`,
  async run(event, { change }: JobContext) {
    await change((scope) => enqueue(scope.tx, evaluatePage, { scope: scopeOf(event), after: first }));
  },
});

/** The number of pull requests that one job evaluates in one transaction. */
const pageSize = pullsPerBatch;

/** Evaluates a batch of open pull requests, and enqueues a job for the next ones. */
export const evaluatePage = job<{ scope: PullScope; after: PullCursor }, JobContext>({
  name: 'reviews.judge-page',
  attempts: 25,
  async run({ scope: pulls, after }, context) {
    const page = await listOpenPulls(context.db, pulls, after, pageSize);
    for (const [repository, own] of grouped(page, (pull) => pull.repository))
      await evaluatePulls(context.scope, repository, gather(own, 'id'));
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    const { repository, number } = last;
    await context.change((scope) => enqueue(scope.tx, evaluatePage, { scope: pulls, after: { repository, number } }));
  },
});

/** Evaluates pull requests that were never evaluated, after an upgrade or an import. */
export const evaluateMissing = job<object, JobContext>({
  name: 'reviews.judge-missing',
  attempts: 1,
  schedule: { cron: '29 * * * *', atStart: true },
  async run(_payload, context) {
    for (let after: Parameters<typeof listUnevaluated>[1] = 0; ; ) {
      context.stopping?.throwIfAborted();
      const some = await listUnevaluated(context.db, after, pageSize);
      const last = some.at(-1);
      if (!last) return;
      for (const [repository, own] of grouped(some, (pull) => pull.repository))
        await evaluatePulls(context.scope, repository, gather(own, 'id'));
      after = last.id;
    }
  },
});
