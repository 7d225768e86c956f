import type { ActionContext } from '#access/action.ts';
import type { Org, Repo } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Context } from '#endpoint/context.ts';
import type { Id } from '#lib/id.ts';
import { orNotFound } from '#lib/refusal.ts';
import { commonParts, presentRepository } from './common-payload.ts';
import type { OwnerPayload } from './pings.ts';
import { type HookAction, type HookServices, reachOf } from './rules.ts';
import { findHook, type HookAuthors, type HookRow, lockHooks, type Parent } from './store.ts';

/** The organization or repository of a path, whose hooks it is about, and who asks. */
export type HookOwner = ({ readonly org: Org } | { readonly repo: Repo }) & ActionContext;

export const parentOf = (place: HookOwner): Parent =>
  'org' in place ? { column: 'organization_id', id: place.org.id } : { column: 'repository_id', id: place.repo.id };

/** Whose hooks the viewer reaches. Only in organizations is an OAuth app limited to those that it made. */
export const visibleAuthors = (place: HookOwner): HookAuthors => ('org' in place ? reachOf(place.by) : 'everybody');

/** A hook of this place. Not found where the viewer may not know of it. */
export const getHook = async (db: Db, place: HookOwner, id: Id<'webhooks'>): Promise<HookRow> =>
  orNotFound(await findHook(db, parentOf(place), visibleAuthors(place), id));

/** Like `getHook`, with the hook's row locked for a change. Of two changes at once, the second waits and sees the first. */
export async function findHookForUpdate(tx: Tx, place: HookOwner, id: Id<'webhooks'>): Promise<HookRow> {
  await lockHooks(tx, parentOf(place));
  return getHook(tx, place, id);
}

/** What the rules are told of a change of hooks here. */
export const hookAction = (place: HookOwner, services: HookServices): HookAction => ({
  parent: parentOf(place),
  owner: 'org' in place ? place.org.id : place.repo.owner_id,
  by: place.by,
  now: place.now,
  services,
});

/** The part of a ping that is about the organization or repository of the hook, and about who asked for the ping. */
export async function ownerPayload(context: Context, place: HookOwner): Promise<OwnerPayload> {
  const actor = place.by.account.id;
  if ('org' in place) return commonParts(context, { owner: place.org.id, repository: undefined, actor });
  const { repo } = place;
  const common = await commonParts(context, { owner: repo.owner_id, repository: repo.id, actor });
  return { repository: await presentRepository(context, repo), ...common };
}
