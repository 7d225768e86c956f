import { sql } from 'kysely';
import { holds, type PermissionSet } from '#access/permissions.ts';
import type { Db } from '#database/connect.ts';
import type { EventKind } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { WebhookEventType } from '#resources/event-kinds.ts';

/** A hook that is subscribed to an event. */
export type SubscribedHook = {
  id: Id<'webhooks'>;
  base_url: string;
  /** The installation by which an app's hook gets the event. */
  installation: Id<'installations'> | null;
  subscribesTo(type: WebhookEventType): boolean;
};

type Row = {
  id: Id<'webhooks'>;
  base_url: string;
  events: string[];
  repository_id: Id<'repositories'> | null;
  installation: Id<'installations'> | null;
  permissions: PermissionSet | null;
};

/**
 * The active hooks of an event's organization, repository and installations that are subscribed to one of these types, in one
 * statement. The deletion of a repository is delivered only to hooks of its organization (the public API's rule).
 */
export async function findSubscribedHooks(
  db: Db,
  event: Recorded,
  types: readonly WebhookEventType[],
): Promise<SubscribedHook[]> {
  if (types.length === 0) return [];
  if (isOfInstallation(event)) return findOwnHook(db, event);
  const wanted = [...gather(types, 'name'), '*'];
  const repository = event.repository ?? null;
  const { rows } = await sql<Row>`
    select h.id, h.base_url, h.events, h.repository_id, null::bigint as installation, null::jsonb as permissions from webhooks h
    where h.active and h.events && ${wanted}::text[]
      and (h.organization_id = ${event.owner} or h.repository_id = ${repository}::bigint)
    union all
    select h.id, h.base_url, i.events, null, i.id, i.permissions from installations i join webhooks h on h.app_id = i.app_id
    where i.account_id = ${event.owner} and i.suspended_at is null and h.active and i.events && ${wanted}::text[]
      and (i.repository_selection = 'all' or ${repository}::bigint is null or exists (
        select from installation_repositories r where r.installation_id = i.id and r.repository_id = ${repository}::bigint))
    order by id`.execute(db);
  return rows
    .filter((row) => event.kind !== 'repository.deleted' || ownerKindOf(row) === 'organization')
    .map((row) => ({
      id: row.id,
      base_url: row.base_url,
      installation: row.installation,
      subscribesTo: (type) => (row.events.includes('*') || row.events.includes(type.name)) && mayGet(row, type),
    }));
}

const ownerKindOf = ({ repository_id, installation }: Row): 'organization' | 'repository' | 'app' => {
  if (installation !== null) return 'app';
  return repository_id === null ? 'organization' : 'repository';
};

/** Apps get the events that their permissions allow. Hooks of repositories don't get events about the organization (the public API's rule). */
function mayGet(row: Row, { permission, hooks }: WebhookEventType): boolean {
  const owner = ownerKindOf(row);
  if (owner === 'app') return permission === 'none' || holds(row.permissions ?? {}, permission);
  return hooks === 'all' || (hooks === 'organizations' && owner === 'organization');
}

type InstallationKind = Extract<EventKind, `installation.${string}`>;

const isOfInstallation = (event: Recorded): event is Recorded<InstallationKind> => event.kind.startsWith('installation.');

/** The app's own hook. Only this one gets events about the app's installations, whatever it is subscribed to. */
async function findOwnHook(db: Db, { data }: Recorded<InstallationKind>): Promise<SubscribedHook[]> {
  const app =
    'was' in data && data.was ? sql`${data.was.app_id}` : sql`(select app_id from installations where id = ${data.installation})`;
  const { rows } = await sql<Pick<Row, 'id' | 'base_url'>>`
    select id, base_url from webhooks where active and app_id = ${app}`.execute(db);
  return rows.map((row) => ({ ...row, installation: data.installation, subscribesTo: () => true }));
}
