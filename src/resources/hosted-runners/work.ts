import type { EnqueueOptions } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';

/** The work on runners, as rules ask for it; `jobs.ts` does it. */
export const provisioning = { name: 'hosted-runners.provision', attempts: 10 } as const;
export const removal = { name: 'hosted-runners.remove', attempts: 10 } as const;

/** One runner is worked on by one at a time, and one waiting piece of work is enough: it looks at the present state. */
export const workOn = (runner: Id<'hosted_runners'>, kind: 'provision' | 'remove' = 'provision'): EnqueueOptions => ({
  queue: `hosted-runner:${runner}`,
  key: `hosted-runner:${runner}:${kind}`,
});
