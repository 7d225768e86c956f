// Pull requests with the merges of their present heads, for what runs on those.
import type { JobContext } from '#endpoint/job-context.ts';
import type { Recorded } from '#events/subscription.ts';
import type { Id } from '#lib/id.ts';
import { followOpened } from './follow-pushes.ts';
import { loadPulls, type PullRow } from './store.ts';
import { testMerges } from './test-merges.ts';

/**
 * The merge that has been made, or the test merge of the head and base that the row has. A row whose head has just moved still
 * has the test merge of the head before, and the success of a run of that one would count for the new head.
 */
export const mergeOfHead = (row: PullRow): PullRow['merge_commit_sha'] =>
  row.merged_at !== null || row.tested_head_sha === row.head_sha ? row.merge_commit_sha : null;

/** How often the merge is tested for an event, where the head moves meanwhile. The event of each move starts runs of its own. */
const maxTests = 3;

/** The pull request of an event with the head that it has now, and the merge of its branches tested. */
export async function loadTestedPull(
  context: JobContext,
  { repository, event }: { readonly repository: Id<'repositories'>; readonly event: Recorded },
  issue: Id<'issues'>,
): Promise<PullRow | undefined> {
  const { db, scope } = context;
  // Its head may have moved while it was closed. What follows the same event at the same time may not have noticed yet.
  if (event.kind === 'pull_request.opened' || event.kind === 'pull_request.reopened') await followOpened(context, event);
  let row = (await loadPulls(db, [issue])).get(issue);
  for (let tests = 0; row?.state === 'open' && tests < maxTests; tests++) {
    await testMerges(scope, repository, [row]);
    row = (await loadPulls(db, [issue])).get(issue);
    if (row?.tested_head_sha === row?.head_sha) break;
  }
  return row;
}
