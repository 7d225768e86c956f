import { sql } from 'kysely';
import { holds, type PermissionSet, parsePermission } from '#access/permissions.ts';
import type { Db } from '#database/connect.ts';
import type { EventKind } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import { gather, grouped, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { WebhookEventType } from '#resources/event-kinds.ts';

/** A hook that is subscribed to an event. */
export type SubscribedHook = {
  id: Id<'webhooks'>;
  base_url: string;
  /** The installation through which an app's hook gets the event. */
  installation: Id<'installations'> | null;
  subscribesTo(type: WebhookEventType): boolean;
};

type Row = {
  id: Id<'webhooks'>;
  base_url: string;
  events: string[];
  repository_id: Id<'repositories'> | null;
  installation: Id<'installations'> | null;
  app: Id<'apps'> | null;
  permissions: PermissionSet | null;
};

/** An event, the types of webhook events that it may become, and the one app whose hook gets them, if there is one. */
type TypedEvent = {
  readonly event: Recorded;
  readonly types: readonly WebhookEventType[];
  readonly onlyApp?: Id<'apps'> | undefined;
};

/**
 * The active hooks of each event's organization, repository and installations that are subscribed to one of its types. One
 * statement finds the hooks of all events; events about installations need one each. The deletion of a repository is delivered
 * only to hooks of its organization (the public API's rule). Events of private forks reach only the forks' own hooks.
 */
export async function loadSubscribedHooks(db: Db, events: readonly TypedEvent[]): Promise<Map<Recorded, SubscribedHook[]>> {
  const [own, others] = [
    events.filter(({ event }) => isOfInstallation(event)),
    events.filter(({ event }) => !isOfInstallation(event)),
  ];
  const found = new Map<Recorded, SubscribedHook[]>();
  for (const { event } of own) if (isOfInstallation(event)) found.set(event, await findOwnHook(db, event));
  const hooksOf = await loadHooksOfScopes(db, others);
  for (const { event, types, onlyApp } of others) {
    const hooks = hooksOf(event)
      .filter((row) => event.kind !== 'repository.deleted' || ownerKindOf(row) === 'organization')
      .filter((row) => onlyApp === undefined || row.app === onlyApp)
      .map((row) => ({
        id: row.id,
        base_url: row.base_url,
        installation: row.installation,
        subscribesTo: (type: WebhookEventType) =>
          (row.events.includes('*') || row.events.includes(type.name) || getsUnasked(row, type)) && mayGet(row, type),
      }));
    found.set(
      event,
      hooks.filter((hook) => types.some((type) => hook.subscribesTo(type))),
    );
  }
  return found;
}

/** The scopes of events. The hooks of a scope get its events. */
const scopeOf = ({ owner, repository }: Recorded): string => `${owner}/${repository ?? ''}`;

/** Whether the scope `s` is a private fork, which integrations don't reach (the public API's rule). */
const isPrivateFork = sql`exists (select from repositories fork where fork.id = s.repository and fork.is_private_fork)`;

/** The active hooks of the events' organizations and repositories that are subscribed to one of the events' types. */
async function loadHooksOfScopes(db: Db, events: readonly TypedEvent[]): Promise<(event: Recorded) => readonly Row[]> {
  if (events.length === 0) return () => [];
  const scopes = [...grouped(events, ({ event }) => scopeOf(event))].flatMap(([scope, [first, ...more]]) => {
    if (!first) return [];
    const types = [first, ...more].flatMap((each) => each.types);
    const unasked = unique(types.map((type) => type.unasked && parsePermission(type.unasked).name));
    const wanted = [...unique(gather(types, 'name')), '*'];
    return [{ scope, owner: first.event.owner, repository: first.event.repository, wanted, unasked }];
  });
  const { rows } = await sql<Row & { scope: string }>`
    with scopes as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(scopes)}::jsonb)
        as s(scope text, owner bigint, repository bigint, wanted text[], unasked text[])
    )
    select s.scope, h.id, h.base_url, h.events, h.repository_id, null::bigint as installation, null::bigint as app,
      null::jsonb as permissions
    from scopes s cross join lateral (
      select * from webhooks o where o.organization_id = s.owner
      union all select * from webhooks r where r.repository_id = s.repository) h
    where h.active and h.events && s.wanted and (h.repository_id is not null or not ${isPrivateFork})
    union all
    select s.scope, h.id, h.base_url, i.events, null, i.id, i.app_id, i.permissions
    from scopes s join installations i on i.account_id = s.owner join webhooks h on h.app_id = i.app_id
    where i.suspended_at is null and h.active and (i.events && s.wanted or jsonb_exists_any(i.permissions, s.unasked))
      and (i.repository_selection = 'all' or s.repository is null or exists (
        select from installation_repositories r where r.installation_id = i.id and r.repository_id = s.repository))
      and not ${isPrivateFork}
    order by id`.execute(db);
  const byScope = grouped(rows, ({ scope }) => scope);
  return (event) => byScope.get(scopeOf(event)) ?? [];
}

const ownerKindOf = ({ repository_id, installation }: Row): 'organization' | 'repository' | 'app' => {
  if (installation !== null) return 'app';
  return repository_id === null ? 'organization' : 'repository';
};

/**
 * Apps get the events that their permissions allow. Hooks of repositories don't get events about the organization (the public
 * API's rule).
 */
function mayGet(row: Row, { permission, hooks }: WebhookEventType): boolean {
  const owner = ownerKindOf(row);
  if (owner === 'app') return permission === 'none' || holds(row.permissions ?? {}, permission);
  return hooks === 'all' || (hooks === 'organizations' && owner === 'organization');
}

/** Whether an app gets a type of event that it didn't subscribe to. */
const getsUnasked = ({ installation, permissions }: Row, { unasked }: WebhookEventType): boolean =>
  installation !== null && unasked !== undefined && holds(permissions ?? {}, unasked);

type InstallationKind = Extract<EventKind, `installation.${string}`>;

const isOfInstallation = (event: Recorded): event is Recorded<InstallationKind> => event.kind.startsWith('installation.');

/** The app's own hook, which alone gets events about the app's installations, whatever its subscriptions are. */
async function findOwnHook(db: Db, { data }: Recorded<InstallationKind>): Promise<SubscribedHook[]> {
  const app =
    'was' in data && data.was ? sql`${data.was.app_id}` : sql`(select app_id from installations where id = ${data.installation})`;
  const { rows } = await sql<Pick<Row, 'id' | 'base_url'>>`
    select id, base_url from webhooks where active and app_id = ${app}`.execute(db);
  return rows.map((row) => ({ ...row, installation: data.installation, subscribesTo: () => true }));
}
