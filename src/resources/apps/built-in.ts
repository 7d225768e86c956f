import type { PermissionSet } from '#access/permissions.ts';
import { tokenPrefixes } from '#access/tokens.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { newToken } from '#lib/token.ts';
import { insertAccount } from '#resources/accounts/index.ts';
import { insertToken, insertTokenRepositories, type NewToken, stored } from '#resources/tokens/index.ts';
import { clientIdOfApp } from './rules.ts';
import { type AppRow, findBuiltInApp, findInstallationOn, insertApp, insertInstallation } from './store.ts';

/** The name and the slug of the app that workflow jobs act as. */
const actionsApp = { name: 'Hearth Actions', slug: 'hearth-actions' } as const;

/** What it may do at most. Each token has what its workflow and the settings of its repository say. */
const permissions: PermissionSet = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  deployments: 'write',
  issues: 'write',
  metadata: 'read',
  packages: 'write',
  pages: 'write',
  pull_requests: 'write',
  security_events: 'write',
  statuses: 'write',
};

/** The app that the tokens and checks of workflow jobs belong to. It is made at its first use, and belongs to its own bot. */
export async function actionsAppOf(tx: Tx, now: Date): Promise<AppRow> {
  const known = await findBuiltInApp(tx, 'actions');
  if (known) return known;
  const times = { created_at: now, updated_at: now };
  const bot = await insertAccount(tx, { kind: 'bot', login: `${actionsApp.slug}[bot]`, ...times });
  return insertApp(tx, {
    kind: 'app',
    built_in: 'actions',
    owner_id: bot.id,
    bot_id: bot.id,
    ...actionsApp,
    description: 'Runs workflows',
    external_url: '',
    client_id: clientIdOfApp(),
    permissions: JSON.stringify(permissions),
    ...times,
  });
}

export type JobTokenOptions = {
  /** Repositories of one owner. */
  readonly repositories: readonly Id<'repositories'>[];
  readonly owner_id: Id<'accounts'>;
  readonly permissions: PermissionSet;
  readonly expiresAt: Date;
  readonly now: Date;
};

/** A token of a workflow's job: of the built-in app, for these repositories, and with no other permissions than these. */
export async function createJobToken(tx: Tx, options: JobTokenOptions): Promise<NewToken> {
  const { repositories, owner_id, permissions, expiresAt, now } = options;
  const app = await actionsAppOf(tx, now);
  const installation =
    (await findInstallationOn(tx, app.id, owner_id)) ??
    (await insertInstallation(tx, {
      app_id: app.id,
      account_id: owner_id,
      repository_selection: 'all',
      permissions: JSON.stringify(app.permissions),
      created_at: now,
      updated_at: now,
    })) ??
    (await findInstallationOn(tx, app.id, owner_id));
  if (!installation) throw new Error('The app of workflows could not be installed');
  const token = newToken(tokenPrefixes.installation);
  const row = await insertToken(tx, {
    kind: 'installation',
    ...stored(token, now),
    account_id: app.bot_id ?? app.owner_id,
    app_id: app.id,
    installation_id: installation.id,
    permissions: JSON.stringify(permissions),
    repository_selection: 'selected',
    expires_at: expiresAt,
  });
  await insertTokenRepositories(tx, row.id, repositories);
  return { token, row };
}

/** The app that the tokens of jobs act as; undefined before the first. */
export const findActionsApp = (db: Db): Promise<AppRow | undefined> => findBuiltInApp(db, 'actions');
