import type { OrganizationAction, RepositoryAction } from '#access/action.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization, inRepository } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { conflict } from '#lib/refusal.ts';
import { addDays, addMonths, timestamp } from '#lib/time.ts';
import type { Expiry, InteractionLimit, NewInteractionLimit } from './schemas.ts';
import { findLimit, type LimitParent, type LimitRow, putLimit, removeLimit } from './store.ts';

/** The organization or repository of a path. */
type LimitOwner =
  | { readonly org: { readonly id: Id<'accounts'> } }
  | { readonly repo: { readonly id: Id<'repositories'>; readonly owner_id: Id<'accounts'> } };

type LimitAction = OrganizationAction | RepositoryAction;

const parentOf = (limitOwner: LimitOwner): LimitParent =>
  'org' in limitOwner
    ? { column: 'organization_id', id: limitOwner.org.id }
    : { column: 'repository_id', id: limitOwner.repo.id };

const scopeOf = (action: LimitAction) => ('org' in action ? inOrganization(action) : inRepository(action));

const expiryOf: Readonly<Record<Expiry, (now: Date) => Date>> = {
  one_day: (now) => addDays(now, 1),
  three_days: (now) => addDays(now, 3),
  one_week: (now) => addDays(now, 7),
  one_month: (now) => addMonths(now, 1),
  six_months: (now) => addMonths(now, 6),
};

/** The limit in force. In a repository, its organization's takes precedence over its own. */
export const findLimitOf = (db: Db, limitOwner: LimitOwner, now: Date): Promise<LimitRow | undefined> =>
  'org' in limitOwner
    ? findLimit(db, { owner: limitOwner.org.id }, now)
    : findLimit(db, { owner: limitOwner.repo.owner_id, repository: limitOwner.repo.id }, now);

/** A limit in its form for replies. */
export const presentLimit = ({ interaction_group, organization_id, expires_at }: LimitRow): InteractionLimit => ({
  limit: interaction_group,
  origin: organization_id === null ? 'repository' : 'organization',
  expires_at: timestamp(expires_at),
});

/** Sets a limit, replacing the former one. */
export async function setLimit(scope: WriteScope, action: LimitAction, wanted: NewInteractionLimit): Promise<LimitRow> {
  await checkOwnLimit(scope, action);
  const limit = { interaction_group: wanted.limit, expires_at: expiryOf[wanted.expiry](action.now) };
  const row = await putLimit(scope.tx, parentOf(action), limit);
  const data = { limit: row.interaction_group, expires_at: timestamp(row.expires_at) };
  await record(scope.tx, { ...scopeOf(action), kind: 'interaction_limit.set', data });
  return row;
}

/** Removes the limit that was set here, if there is one. */
export async function deleteLimit(scope: WriteScope, action: LimitAction): Promise<void> {
  await checkOwnLimit(scope, action);
  const row = await removeLimit(scope.tx, parentOf(action));
  if (!row || row.expires_at <= action.now) return;
  await record(scope.tx, { ...scopeOf(action), kind: 'interaction_limit.removed', data: { limit: row.interaction_group } });
}

/** Limits of repositories can't be changed while their organization limits interactions, since they have no effect. */
async function checkOwnLimit(scope: WriteScope, action: LimitAction): Promise<void> {
  if ('org' in action || !(await findLimit(scope.tx, { owner: action.repo.owner_id }, action.now))) return;
  throw conflict('Interactions are limited by the owner of this repository.');
}
