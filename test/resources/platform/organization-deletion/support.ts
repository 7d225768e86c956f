import { enqueue } from '#jobs/job.ts';
import { addMinutes } from '#lib/time.ts';
import { removeDeleted } from '#resources/platform/organization-deletion/jobs.ts';
import type { World } from '#test/support/world.ts';

/** Lets the time pass after which nothing is left of organizations that were deleted. */
export async function completeDeletions(w: World): Promise<void> {
  await w.settle();
  w.clock.now = addMinutes(w.clock.now, 11);
  await w.change((scope) => enqueue(scope.tx, removeDeleted, {}));
  await w.settle();
}
