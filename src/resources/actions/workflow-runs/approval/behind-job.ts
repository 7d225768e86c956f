// The user behind a job's token. Runs that the token starts belong to the app, although a user has requested them.
import { isToken, type Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { findRunOfToken, type RunRow } from '../store.ts';

/** The user who requested a run's deployments, and therefore may not approve them. */
export const askerOf = ({
  on_behalf_of_id,
  triggering_actor_id,
  actor_id,
}: Pick<RunRow, 'on_behalf_of_id' | 'triggering_actor_id' | 'actor_id'>): Id<'accounts'> | undefined =>
  on_behalf_of_id ?? triggering_actor_id ?? actor_id ?? undefined;

/** The user who requested the run of the job with this token; undefined for other credentials. */
export async function findAskerBehind(db: Db, { grant }: Viewer): Promise<Id<'accounts'> | undefined> {
  if (!isToken(grant) || grant.kind !== 'installation') return undefined;
  const run = await findRunOfToken(db, grant.tokenId);
  return run && askerOf(run);
}
