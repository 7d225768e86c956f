import type { JobContext } from '#endpoint/job-context.ts';
import { type Job, job } from '#jobs/job.ts';
import { repeatWhile } from '#jobs/repeat.ts';
import type { Id } from '#lib/id.ts';
import { markAllRead } from './store.ts';

type Payload = { account: Id<'accounts'>; repository: Id<'repositories'> | null; until: string };

/** Threads that are marked in one transaction. */
const batch = 5_000;

/** Marks the threads of a long inbox as read, as of the time that the request named. */
export const markInBackground: Job<Payload, JobContext> = job<Payload, JobContext>({
  name: 'notifications.mark',
  attempts: 25,
  async run({ account, repository, until }, { change, now, stopping }: JobContext) {
    const reading = { account, repository: repository ?? undefined, until: new Date(until), now };
    const markSome = () => change((scope) => markAllRead(scope.tx, reading, { most: batch, anyway: true }));
    await repeatWhile({ stopping }, async () => (await markSome()) === 'more');
  },
});
