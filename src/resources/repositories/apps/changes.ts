import { beyond, type PermissionSet } from '#access/permissions.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { conflict, orNotFound, unprocessable } from '#lib/refusal.ts';
import { checkPermissions } from '#resources/identity/tokens/index.ts';
import { checkEvents } from './rules.ts';
import {
  type AppRow,
  findAppByIdForUpdate,
  findInstallationForUpdate,
  type InstallationOfApp,
  narrowInstallations,
  updateApp,
  updateInstallation,
} from './store.ts';

export type AppChange = {
  /** Replaces the existing ones. */
  permissions?: Readonly<Record<string, string>> | undefined;
  events?: readonly string[] | undefined;
};

/**
 * Changes the permissions and events that an app requests. Its installations and their tokens immediately lose what it no longer
 * requests. Additional requests wait for each account's approval (`acceptPermissions`). New installations get all of it.
 */
export async function changeApp(
  scope: WriteScope,
  { app: { id }, by, now }: { app: Pick<AppRow, 'id'>; by: Id<'accounts'> | undefined; now: Date },
  wanted: AppChange,
): Promise<AppRow> {
  const app = orNotFound(await findAppByIdForUpdate(scope.tx, id));
  if (app.kind !== 'app') throw unprocessable('An OAuth app has neither permissions nor events: it asks users for scopes');
  if (app.built_in !== null) throw unprocessable('What is built in asks for what it needs');
  // checkPermissions has validated it
  const permissions = wanted.permissions ? checkPermissions(wanted.permissions) : (app.permissions as PermissionSet);
  const events = wanted.events ? checkEvents(wanted.events) : app.events;
  const changed = await updateApp(scope.tx, id, { permissions: JSON.stringify(permissions), events, updated_at: now });
  await narrowInstallations(scope.tx, changed, now);
  await record(scope.tx, { kind: 'app.changed', owner: app.owner_id, actor: by, at: now, data: { app: id } });
  return changed;
}

/** The permissions and events that an app requests beyond an installation's. */
type Waiting = { added: PermissionSet; upgraded: PermissionSet; events: string[] };

/** The permissions and events that an app requests beyond an installation's; undefined if there are none. */
export function waitingFor(app: Pick<AppRow, 'permissions' | 'events'>, installation: InstallationOfApp): Waiting | undefined {
  // checkPermissions has validated both
  const { added, upgraded } = beyond(app.permissions as PermissionSet, installation.permissions as PermissionSet);
  const events = app.events.filter((name) => !installation.events.includes(name));
  const count = Object.keys(added).length + Object.keys(upgraded).length + events.length;
  return count > 0 ? { added, upgraded, events } : undefined;
}

type Acceptance = {
  installation: Pick<InstallationOfApp, 'id' | 'app_id'>;
  by: Id<'accounts'>;
  now: Date;
  /** The time of the app's last change, as it was shown to the person who accepts. */
  seen?: Date;
};

/**
 * Gives an installation what its app requests.
 * @throws Refusal if nothing is pending, or the requests changed since they were shown
 */
export async function acceptPermissions(
  scope: WriteScope,
  { installation: { id, app_id }, by, now, seen }: Acceptance,
): Promise<InstallationOfApp> {
  // The app is locked before its installation, as in changeApp.
  const app = orNotFound(await findAppByIdForUpdate(scope.tx, app_id));
  const installation = orNotFound(await findInstallationForUpdate(scope.tx, { id }));
  if (seen !== undefined && seen.getTime() !== app.updated_at.getTime()) throw conflict(`${app.name} was changed meanwhile`);
  if (!waitingFor(app, installation)) throw unprocessable(`${app.name} asks for nothing that this installation does not have`);
  const { permissions, events } = app;
  await updateInstallation(scope.tx, installation.id, { permissions: JSON.stringify(permissions), events, updated_at: now });
  await record(scope.tx, {
    kind: 'installation.permissions_accepted',
    owner: installation.account_id,
    actor: by,
    at: now,
    data: { installation: installation.id },
  });
  return { ...installation, permissions, events, updated_at: now };
}
