import type { ActionContext } from '#access/action.ts';
import { everybody, type Org, type Repo, type Viewer } from '#access/viewer.ts';
import { type Scope, scopeFor } from '#endpoint/scope.ts';
import { commonParts, presentRepository } from './common-payload.ts';
import type { OwnerPayload } from './pings.ts';
import type { HookAction, HookServices } from './rules.ts';
import type { HookAuthors, Parent } from './store.ts';

/** The organization or repository of a path that owns the hooks. */
export type HookOwner = { readonly org: Org } | { readonly repo: Repo };
/** The owner, with the actor and the time of a change. */
type HookOwnerAction = HookOwner & ActionContext;

export const parentOf = (owner: HookOwner): Parent =>
  'org' in owner ? { column: 'organization_id', id: owner.org.id } : { column: 'repository_id', id: owner.repo.id };

/** The hooks that the viewer reaches. Document 2: an OAuth app reaches only hooks of an organization that it created. */
export const visibleAuthors = (owner: HookOwner, { grant }: Viewer): HookAuthors =>
  'org' in owner && grant.kind === 'oauth_app' ? { app: grant.appId } : 'everybody';

/** The action for the rules that change hooks of this owner. */
export const hookAction = (owner: HookOwnerAction, services: HookServices): HookAction => ({
  parent: parentOf(owner),
  owner: 'org' in owner ? owner.org.id : owner.repo.owner_id,
  by: owner.by,
  now: owner.now,
  services,
});

/** The part of a ping about the organization or repository of the hook, and the user who requested the ping. */
export async function ownerPayload(given: Scope, owner: HookOwnerAction): Promise<OwnerPayload> {
  const scope = scopeFor(given, everybody);
  const actor = owner.by.account.id;
  if ('org' in owner) return commonParts(scope, { owner: owner.org.id, repository: undefined, actor });
  const { repo } = owner;
  const common = await commonParts(scope, { owner: repo.owner_id, repository: repo.id, actor });
  return { repository: await presentRepository(scope, repo), ...common };
}
