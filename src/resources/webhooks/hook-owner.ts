import type { ActionContext } from '#access/action.ts';
import type { Org, Repo, Viewer } from '#access/viewer.ts';
import type { Context } from '#endpoint/context.ts';
import { commonParts, presentRepository } from './common-payload.ts';
import type { OwnerPayload } from './pings.ts';
import type { HookAction, HookServices } from './rules.ts';
import type { HookAuthors, Parent } from './store.ts';

/** The organization or repository of a path, whose hooks it is about. */
export type HookOwner = { readonly org: Org } | { readonly repo: Repo };
/** The same, with who changes its hooks, and when. */
export type HookOwnerAction = HookOwner & ActionContext;

export const parentOf = (place: HookOwner): Parent =>
  'org' in place ? { column: 'organization_id', id: place.org.id } : { column: 'repository_id', id: place.repo.id };

/** Whose hooks the viewer reaches. Document 2: of an organization's hooks, an OAuth app reaches only those that it made. */
export const visibleAuthors = (place: HookOwner, { grant }: Viewer): HookAuthors =>
  'org' in place && grant.kind === 'oauth_app' ? { app: grant.appId } : 'everybody';

/** What the rules are told of a change of hooks here. */
export const hookAction = (place: HookOwnerAction, services: HookServices): HookAction => ({
  parent: parentOf(place),
  owner: 'org' in place ? place.org.id : place.repo.owner_id,
  by: place.by,
  now: place.now,
  services,
});

/** The part of a ping that is about the organization or repository of the hook, and about who asked for the ping. */
export async function ownerPayload(context: Context, place: HookOwnerAction): Promise<OwnerPayload> {
  const actor = place.by.account.id;
  if ('org' in place) return commonParts(context, { owner: place.org.id, repository: undefined, actor });
  const { repo } = place;
  const common = await commonParts(context, { owner: repo.owner_id, repository: repo.id, actor });
  return { repository: await presentRepository(context, repo), ...common };
}
