import type { Step } from '#access/step.ts';
import type { Org, Repo } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Context } from '#endpoint/context.ts';
import type { Id } from '#lib/id.ts';
import { existing } from '#lib/refusal.ts';
import { commonOf, presentRepository } from './payloads/payload.ts';
import type { About } from './pings.ts';
import { type HookServices, type HookStep, reachOf } from './rules.ts';
import { findHook, type HookRow, lockHooks, type Makers, type Parent } from './store.ts';

/** The organization or repository of a path, whose hooks it is about, and who asks. */
export type Place = ({ readonly org: Org } | { readonly repo: Repo }) & Step;

export const parentOf = (place: Place): Parent =>
  'org' in place ? { column: 'organization_id', id: place.org.id } : { column: 'repository_id', id: place.repo.id };

/** Whose hooks the viewer reaches. Only in organizations is an OAuth app limited to those that it made. */
export const makersFor = (place: Place): Makers => ('org' in place ? reachOf(place.by) : 'everybody');

/** A hook of this place. Not found where the viewer may not know of it. */
export const getHook = async (db: Db, place: Place, id: Id<'webhooks'>): Promise<HookRow> =>
  existing(await findHook(db, parentOf(place), makersFor(place), id));

/** Like `getHook`, with the hook's row locked for a change. Of two changes at once, the second waits and sees the first. */
export async function holdHook(tx: Tx, place: Place, id: Id<'webhooks'>): Promise<HookRow> {
  await lockHooks(tx, parentOf(place));
  return getHook(tx, place, id);
}

/** What the rules are told of a change of hooks here. */
export const hookStep = (place: Place, services: HookServices): HookStep => ({
  parent: parentOf(place),
  owner: 'org' in place ? place.org.id : place.repo.owner_id,
  by: place.by,
  now: place.now,
  services,
});

/** The part of a ping that is about the organization or repository of the hook, and about who asked for the ping. */
export async function aboutPlace(context: Context, place: Place): Promise<About> {
  const actor = place.by.account.id;
  if ('org' in place) return commonOf(context, { owner: place.org.id, repository: undefined, actor });
  const { repo } = place;
  const common = await commonOf(context, { owner: repo.owner_id, repository: repo.id, actor });
  return { repository: await presentRepository(context, repo), ...common };
}
