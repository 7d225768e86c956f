import type { PermissionSet } from '#access/permissions.ts';
import type { Account } from '#access/viewer.ts';
import { type Links, path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { loadAccounts, presentUser, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import type { TokenRow } from '#resources/identity/tokens/index.ts';
import type { App, Authorization, Installation } from './schemas.ts';
import type { AppRow, InstallationOfApp } from './store.ts';

/** An app, with its already loaded owner. */
export const presentApp = (links: Links, app: AppRow, owner: Account): App => ({
  id: app.id,
  slug: app.slug,
  node_id: nodeId('App', app.id),
  client_id: app.client_id,
  owner: presentUser(links, owner),
  name: app.name,
  description: app.description,
  // The server's own apps have the server's address.
  external_url: app.external_url || links.html,
  html_url: path(`${links.html}/apps`, app.slug),
  created_at: timestamp(app.created_at),
  updated_at: timestamp(app.updated_at),
  permissions: permissionsOf(app.permissions),
  events: app.events,
});

/** An app. It loads the owner. */
export const presentOwnedApp = async ({ db, links }: Scope, app: AppRow): Promise<App> =>
  presentApp(links, app, getOrThrow(await loadAccounts(db, [app.owner_id]), app.owner_id));

/** The app that did something; null if no app was involved. */
export function presentAppOrNull(
  links: Links,
  id: AppRow['id'] | null,
  apps: ReadonlyMap<AppRow['id'], AppRow & { owner: Account }>,
): App | null {
  const app = getOptional(apps, id);
  return app ? presentApp(links, app, app.owner) : null;
}

const permissionsOf = (held: unknown): PermissionSet => ({ ...(held as PermissionSet) }); // checkPermissions has validated it

type AuthorizationParts = { app: Authorization['app']; user: Account | undefined; row: TokenRow; token: string };

/** A token that acts for a user, in replies to the app that it was issued to. */
export const presentAuthorization = (links: Links, { app, user, row, token }: AuthorizationParts): Authorization => ({
  id: row.id,
  url: `${links.api}/authorizations/${row.id}`,
  scopes: row.kind === 'app_user' ? [] : row.scopes,
  token,
  token_last_eight: row.last_eight,
  hashed_token: row.hash.toString('hex'),
  app,
  note: null,
  note_url: null,
  updated_at: timestamp(row.last_used_at ?? row.created_at),
  created_at: timestamp(row.created_at),
  fingerprint: null,
  expires_at: timestampOrNull(row.expires_at),
  user: presentUserOrNull(links, user),
});

/** Presents a page of installations. The accounts are loaded once for all of them. */
export async function presentInstallations({ db, links }: Scope, rows: readonly InstallationOfApp[]): Promise<Installation[]> {
  const accounts = await loadAccounts(db, gather(rows, 'account_id', 'suspended_by'));
  return rows.map((row) => {
    const account = getOrThrow(accounts, row.account_id);
    const suspender = getOptional(accounts, row.suspended_by);
    const isOrganization = account.kind === 'organization';
    return {
      id: row.id,
      account: presentUser(links, account),
      repository_selection: row.repository_selection,
      access_tokens_url: `${path(`${links.api}/app/installations`, row.id)}/access_tokens`,
      repositories_url: `${links.api}/installation/repositories`,
      html_url: isOrganization
        ? path(`${links.html}/organizations`, account.login, 'settings', 'installations', row.id)
        : path(`${links.html}/settings/installations`, row.id),
      app_id: row.app_id,
      client_id: row.client_id,
      app_slug: row.app_slug,
      target_id: row.account_id,
      target_type: isOrganization ? 'Organization' : 'User',
      permissions: permissionsOf(row.permissions),
      events: row.events,
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      single_file_name: null,
      has_multiple_single_files: false,
      single_file_paths: [],
      suspended_by: suspender ? presentUser(links, suspender) : null,
      suspended_at: timestampOrNull(row.suspended_at),
    };
  });
}

export const presentInstallation = async (scope: Scope, row: InstallationOfApp): Promise<Installation> =>
  firstOrNotFound(await presentInstallations(scope, [row]));
