// Whom the token of a job acts for. Runs that it starts are the app's, and yet somebody has asked for them.
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { findRunOfToken, type RunRow } from '../store.ts';

/** Who asked for what a run deploys, and may therefore be none to approve it. */
export const askerOf = ({
  on_behalf_of_id,
  triggering_actor_id,
  actor_id,
}: Pick<RunRow, 'on_behalf_of_id' | 'triggering_actor_id' | 'actor_id'>): Id<'accounts'> | undefined =>
  on_behalf_of_id ?? triggering_actor_id ?? actor_id ?? undefined;

/** Who asked for the run of the job whose token this is; undefined for other credentials. */
export async function findAskerBehind(db: Db, { grant }: Viewer): Promise<Id<'accounts'> | undefined> {
  if (grant.kind !== 'installation') return undefined;
  const run = await findRunOfToken(db, grant.tokenId);
  return run && askerOf(run);
}
