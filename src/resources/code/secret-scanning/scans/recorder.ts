import type { JobContext } from '#endpoint/job-context.ts';
import { type Recording, recordFound } from '../rules.ts';
import type { Found } from '../store.ts';

/** Findings of one transaction, which are held in memory at once. */
const findingsPerBatch = 500;

/** Records what is found in a repository: as soon as it is much, and at the end. */
export function recorderOf(
  { change, services: { secrets }, now }: JobContext,
  { repo, actor }: Pick<Recording, 'repo' | 'actor'>,
) {
  let pending: Found[] = [];
  const flush = async () => {
    const found = pending;
    pending = [];
    if (found.length > 0) await change((scope) => recordFound(scope, { repo, actor, secrets, now }, found));
  };
  const add = async (one: Found) => {
    pending.push(one);
    if (pending.length >= findingsPerBatch) await flush();
  };
  return { add, flush };
}
