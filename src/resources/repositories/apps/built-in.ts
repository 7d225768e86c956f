import type { PermissionSet } from '#access/permissions.ts';
import { tokenPrefixes } from '#access/tokens.ts';
import type { Account, SignedIn } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { newToken } from '#lib/token.ts';
import { findAccountById, insertAccount, loadAccounts } from '#resources/identity/accounts/index.ts';
import { insertToken, insertTokenRepositories, type NewToken, stored } from '#resources/identity/tokens/index.ts';
import { type BuiltIn, builtInSlugs } from './built-in-slugs.ts';
import { clientIdOfApp } from './rules.ts';
import {
  type AppRow,
  findBuiltInApp,
  findInstallationOn,
  type InstallationRow,
  insertApp,
  insertInstallation,
  lockBuiltInApp,
} from './store.ts';

/**
 * The maximum permissions of the app of workflow jobs. Each token has the permissions of its workflow and its repository's
 * settings.
 */
const ofJobs: PermissionSet = {
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

/** Without `workflows`, so that no update changes workflow files. */
const ofDependencyBot: PermissionSet = {
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
  vulnerability_alerts: 'read',
};

const builtIn: { readonly [Name in BuiltIn]: { name: string; description: string; permissions: PermissionSet } } = {
  actions: { name: 'Hearth Actions', description: 'Runs workflows', permissions: ofJobs },
  code_scanning: {
    name: 'Hearth Code Scanning',
    description: 'Tells what tools have found in code',
    permissions: { checks: 'write', metadata: 'read', security_events: 'read' },
  },
  assistant: {
    name: 'Hearth Assistant',
    description: 'Reviews pull requests',
    permissions: { contents: 'read', metadata: 'read', pull_requests: 'write' },
  },
  dependency_bot: {
    name: 'Hearth Dependency Bot',
    description: 'Proposes updates of dependencies',
    permissions: ofDependencyBot,
  },
};

/** An app that is part of the server. It is created on first use, and belongs to its own bot. */
async function builtInAppOf(tx: Tx, kind: BuiltIn, now: Date): Promise<AppRow> {
  const known = await findBuiltInApp(tx, kind);
  if (known) return known;
  // The lock lets concurrent first uses create one app.
  await lockBuiltInApp(tx, kind);
  const created = await findBuiltInApp(tx, kind);
  if (created) return created;
  const { name, description, permissions } = builtIn[kind];
  const slug = builtInSlugs[kind];
  const times = { created_at: now, updated_at: now };
  const bot = await insertAccount(tx, { kind: 'bot', login: `${slug}[bot]`, ...times });
  return insertApp(tx, {
    kind: 'app',
    built_in: kind,
    owner_id: bot.id,
    bot_id: bot.id,
    name,
    slug,
    description,
    external_url: '',
    client_id: clientIdOfApp(),
    permissions: JSON.stringify(permissions),
    ...times,
  });
}

/** The app that the tokens and checks of workflow jobs belong to. */
export const actionsAppOf = (tx: Tx, now: Date): Promise<AppRow> => builtInAppOf(tx, 'actions', now);

/** The app that the checks of code scanning belong to. */
export const codeScanningAppOf = (tx: Tx, now: Date): Promise<AppRow> => builtInAppOf(tx, 'code_scanning', now);

/** The app that the assistant acts as. */
export const assistantAppOf = (tx: Tx, now: Date): Promise<AppRow> => builtInAppOf(tx, 'assistant', now);

/** The installation of a built-in app on an account. It is created on first use. */
async function installedOn(tx: Tx, app: AppRow, account: Id<'accounts'>, now: Date): Promise<Pick<InstallationRow, 'id'>> {
  const installation =
    (await findInstallationOn(tx, app.id, account)) ??
    (await insertInstallation(tx, {
      app_id: app.id,
      account_id: account,
      repository_selection: 'all',
      permissions: JSON.stringify(app.permissions),
      created_at: now,
      updated_at: now,
    })) ??
    (await findInstallationOn(tx, app.id, account));
  if (!installation) throw new Error(`The app ${app.slug} could not be installed`);
  return installation;
}

/**
 * The bot of dependency updates as it acts in the repositories of an owner: with the rights of its app, as any other app that is
 * installed there, so that all rules hold for it.
 */
export async function dependencyBotOn(tx: Tx, owner: Id<'accounts'>, now: Date): Promise<SignedIn> {
  const app = await builtInAppOf(tx, 'dependency_bot', now);
  const installation = await installedOn(tx, app, owner, now);
  const account = app.bot_id === null ? undefined : (await loadAccounts(tx, [app.bot_id])).get(app.bot_id);
  if (!account) throw new Error('The bot of dependency updates has no account');
  return {
    account,
    grant: {
      kind: 'installation',
      appId: app.id,
      installationId: installation.id,
      ownerId: owner,
      selection: 'all',
      permissions: ofDependencyBot,
    },
  };
}

/** The app that dependency updates and their checks belong to. */
export const dependencyBotAppOf = (tx: Tx, now: Date): Promise<AppRow> => builtInAppOf(tx, 'dependency_bot', now);

/** The app of dependency updates; undefined before its first use. */
export const findDependencyBot = (db: Db): Promise<AppRow | undefined> => findBuiltInApp(db, 'dependency_bot');

type JobTokenOptions = {
  /** Repositories of one owner. */
  readonly repositories: readonly Id<'repositories'>[];
  readonly owner_id: Id<'accounts'>;
  readonly permissions: PermissionSet;
  readonly expiresAt: Date;
  readonly now: Date;
};

/** A token for a workflow's job: of the built-in app, for these repositories, and with exactly these permissions. */
export async function createJobToken(tx: Tx, options: JobTokenOptions): Promise<NewToken> {
  const { repositories, owner_id, permissions, expiresAt, now } = options;
  const app = await actionsAppOf(tx, now);
  const installation = await installedOn(tx, app, owner_id, now);
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

/** The app that the tokens of jobs act as; undefined before its first use. */
export const findActionsApp = (db: Db): Promise<AppRow | undefined> => findBuiltInApp(db, 'actions');

/** The bot that the assistant acts as; undefined before its first use. */
export async function findAssistantBot(db: Db): Promise<Account | undefined> {
  const app = await findBuiltInApp(db, 'assistant');
  return app?.bot_id === null || app === undefined ? undefined : findAccountById(db, app.bot_id);
}
