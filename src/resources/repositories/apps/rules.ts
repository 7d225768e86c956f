import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { clientSecretPrefix } from '#access/authenticate.ts';
import { includesAll, type PermissionSet } from '#access/permissions.ts';
import { tokenPrefixes } from '#access/tokens.ts';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { conflict, forbidden, invalid, orNotFound, unprocessable } from '#lib/refusal.ts';
import { addMinutes } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { trimOf } from '#lib/trim.ts';
import { insertAccount, isLoginTaken } from '#resources/identity/accounts/index.ts';
import {
  checkPermissions,
  insertToken,
  insertTokenRepositories,
  type NewToken,
  stored,
} from '#resources/identity/tokens/index.ts';
import { findOwnedByNames, insertInstallationRepositories } from '#resources/repositories/repositories/index.ts';
import { isSubscribable } from '#webhook-delivery/event-names.ts';
import { isReservedSlug } from './built-in-slugs.ts';
import type { TokenRequest } from './schemas.ts';
import {
  type AppRow,
  findAppByIdForUpdate,
  findAppBySlug,
  type InstallationRow,
  insertApp,
  insertAppKey,
  insertInstallation,
  listReached,
} from './store.ts';

/** A key pair for JSON web tokens, in PEM. The private key is shown to the app's owner once and not stored. */
export type AppKeys = { publicKey: string; privateKey: string };

const generate = promisify(generateKeyPair);

/** RSA keys of 2048 bits, as in the public API. Generating them is slow, so call this outside a transaction. */
export const makeAppKeys = (): Promise<AppKeys> =>
  generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });

type NewApp = {
  owner: Account;
  /** `app` has a bot, permissions and installations; `oauth` requests scopes from users. */
  kind: 'app' | 'oauth';
  name: string;
  description?: string | undefined;
  externalUrl: string;
  callbackUrls?: readonly string[] | undefined;
  /** Where the browser goes after an installation. */
  setupUrl?: string | undefined;
  public?: boolean | undefined;
  deviceFlow?: boolean | undefined;
  permissions?: Readonly<Record<string, string>> | undefined;
  events?: readonly string[] | undefined;
  publicKey?: string | undefined;
  now: Date;
};

/** Creates an app. Only this function returns its client secret; a hash of it is stored. */
export async function createApp(scope: WriteScope, request: NewApp): Promise<{ app: AppRow; clientSecret: string }> {
  const { owner, kind, now } = request;
  const { slug, bot } = await checkAppName(scope, request);
  const times = { created_at: now, updated_at: now };
  const account = bot === undefined ? undefined : await insertAccount(scope.tx, { kind: 'bot', login: bot, ...times });
  const clientSecret = newToken(clientSecretPrefix);
  const app = await insertApp(scope.tx, {
    kind,
    owner_id: owner.id,
    bot_id: account?.id ?? null,
    slug,
    name: request.name,
    description: request.description ?? null,
    external_url: request.externalUrl,
    callback_urls: [...(request.callbackUrls ?? [])],
    setup_url: request.setupUrl === undefined ? null : checkSetupUrl(request.setupUrl),
    public: request.public ?? false,
    device_flow: request.deviceFlow ?? false,
    client_id: clientIdOfApp(),
    client_secret_hash: hashToken(clientSecret),
    permissions: JSON.stringify(checkPermissions(request.permissions ?? {})),
    events: checkEvents(request.events ?? []),
    ...times,
  });
  if (request.publicKey !== undefined)
    await insertAppKey(scope.tx, { app_id: app.id, public_key: request.publicKey, created_at: now });
  await record(scope.tx, { kind: 'app.created', owner: owner.id, actor: owner.id, at: now, data: { app: app.id } });
  return { app, clientSecret };
}

/**
 * The slug of an app's name, which is also the login of its bot.
 * @throws Refusal if the name is invalid or taken
 */
export async function checkAppName(
  scope: WriteScope,
  { kind, name }: Pick<NewApp, 'kind' | 'name'>,
): Promise<{ slug: string; bot: string | undefined }> {
  const slug = slugOf(name);
  const bot = kind === 'app' ? `${slug}[bot]` : undefined;
  if (isReservedSlug(slug) || (await findAppBySlug(scope.tx, slug)) || (bot && (await isLoginTaken(scope.tx, bot))))
    throw unprocessable('The name of the app is taken already.');
  return { slug, bot };
}

/** Refuses an address to which a browser can't be sent. */
function checkSetupUrl(address: string): string {
  if (/^https?:\/\//.test(address) && URL.canParse(address)) return address;
  throw invalid('App', 'setup_url', 'invalid', 'setup_url must be an http(s) address');
}

/** Refuses names of webhook events that don't exist: they would never be delivered. */
export function checkEvents(events: readonly string[]): string[] {
  const unknown = events.find((name) => !isSubscribable(name));
  if (unknown !== undefined) throw unprocessable(`There is no webhook event ${unknown.slice(0, 40)}.`);
  return [...new Set(events)];
}

/** A new client id. */
export const clientIdOfApp = (): string => newToken('Iv.');

/** The app's name in the form for addresses and for the bot's login. */
function slugOf(name: string): string {
  const slug = trimOf(name.toLowerCase().replace(/[^a-z0-9]+/g, '-'), '-');
  if (slug === '' || name.length > 34)
    throw unprocessable('The name of an app must hold a letter or digit, and 34 characters at most.');
  return slug;
}

type NewInstallation = {
  app: AppRow;
  account: Account;
  /** Which of the account's repositories the app may work on. */
  repositories: 'all' | readonly Id<'repositories'>[];
  by: Account;
  now: Date;
};

/** Installs an app on an account, with the permissions and events that the app requests. */
export async function installApp(scope: WriteScope, wanted: NewInstallation): Promise<InstallationRow> {
  const { account, repositories, by, now } = wanted;
  // The permissions that the app requests now. They can't change while its row is locked.
  const app = orNotFound(await findAppByIdForUpdate(scope.tx, wanted.app.id));
  if (app.kind !== 'app') throw unprocessable('An OAuth app is not installed: users authorize it');
  const installation = await insertInstallation(scope.tx, {
    app_id: app.id,
    account_id: account.id,
    repository_selection: repositories === 'all' ? 'all' : 'selected',
    permissions: JSON.stringify(app.permissions),
    events: app.events,
    created_at: now,
    updated_at: now,
  });
  if (!installation)
    throw invalid('Installation', 'account', 'already_exists', `${app.slug} is installed on ${account.login} already`);
  if (repositories !== 'all') {
    const owned = await listReached(scope.tx, { ...installation, repository_selection: 'all' }, { names: [], ids: repositories });
    if (owned.length < new Set(repositories).size)
      throw invalid('Installation', 'repositories', 'invalid', `repositories must belong to ${account.login}`);
    await insertInstallationRepositories(scope.tx, installation.id, repositories);
  }
  const data = { installation: installation.id };
  await record(scope.tx, { kind: 'installation.created', owner: account.id, actor: by.id, at: now, data });
  return installation;
}

type NamedInstallation = Omit<NewInstallation, 'repositories'> & {
  /** The names of repositories of the account; none: all of its repositories. */
  names: readonly string[];
  /** The state of the app that the installing user saw. */
  seen: Date;
};

/**
 * Installs an app on an account, on repositories by their names.
 * @throws Refusal if the account has no repository with one of the names, or the app was changed after the user saw it
 */
export async function installAppByName(
  scope: WriteScope,
  { names, seen, ...wanted }: NamedInstallation,
): Promise<InstallationRow> {
  const app = orNotFound(await findAppByIdForUpdate(scope.tx, wanted.app.id));
  if (app.updated_at.getTime() !== seen.getTime()) throw conflict(`${app.name} was changed meanwhile. Look at it again.`);
  if (names.length === 0) return installApp(scope, { ...wanted, repositories: 'all' });
  const found = await findOwnedByNames(scope.tx, wanted.account.id, names);
  const known = new Set(found.map(({ name }) => name.toLowerCase()));
  const unknown = names.find((name) => !known.has(name.toLowerCase()));
  if (unknown !== undefined)
    throw invalid(
      'Installation',
      'repositories',
      'invalid',
      `${wanted.account.login} has no repository ${unknown.slice(0, 100)}`,
    );
  return installApp(scope, { ...wanted, repositories: found.map(({ id }) => id) });
}

/** Document 1, Authentication 7. */
const tokenMinutes = 60;

type InstallationTokenOptions = { app: AppRow; installation: InstallationRow; request: TokenRequest; now: Date };
type NewInstallationToken = NewToken & { permissions: PermissionSet; repositories: RepositoryRow[] | undefined };

/** Creates a token for one of an app's installations, limited to the repositories and permissions that the request names. */
export async function createInstallationToken(
  scope: WriteScope,
  { app, installation, request, now }: InstallationTokenOptions,
): Promise<NewInstallationToken> {
  if (installation.suspended_at) throw forbidden('This installation has been suspended');
  if (app.bot_id === null) throw unprocessable('The app has no bot to act for it');
  const permissions = permissionsOfToken(installation.permissions as PermissionSet, request.permissions);
  const repositories = await findSelected(scope, installation, request);
  const token = newToken(tokenPrefixes.installation);
  const row = await insertToken(scope.tx, {
    kind: 'installation',
    ...stored(token, now),
    account_id: app.bot_id,
    app_id: app.id,
    installation_id: installation.id,
    permissions: JSON.stringify(request.permissions === undefined ? {} : permissions),
    repository_selection: repositories ? 'selected' : null,
    expires_at: addMinutes(now, tokenMinutes),
  });
  await insertTokenRepositories(scope.tx, row.id, gather(repositories ?? [], 'id'));
  return { token, row, permissions, repositories };
}

/**
 * The requested permissions, or else all permissions of the installation. Refuses permissions that the installation doesn't
 * have.
 */
function permissionsOfToken(available: PermissionSet, wanted: TokenRequest['permissions']): PermissionSet {
  if (wanted === undefined || Object.keys(wanted).length === 0) return available;
  const requested = checkPermissions(wanted);
  if (!includesAll(available, requested)) throw unprocessable('The permissions requested are not granted to this installation.');
  return requested;
}

/**
 * The requested repositories; undefined if the request names none. Refuses repositories that the installation doesn't include.
 */
async function findSelected(
  scope: WriteScope,
  installation: InstallationRow,
  { repositories, repository_ids }: TokenRequest,
): Promise<RepositoryRow[] | undefined> {
  if (repositories === undefined && repository_ids === undefined) return undefined;
  const wanted = { names: repositories ?? [], ids: repository_ids ?? [] };
  const found = await listReached(scope.tx, installation, wanted);
  const names = new Set(found.map(({ name }) => name.toLowerCase()));
  const ids = new Set<number>(found.map(({ id }) => id));
  if (!wanted.names.every((name) => names.has(name.toLowerCase())) || !wanted.ids.every((id) => ids.has(id)))
    throw unprocessable('There is at least one repository that does not exist or is not accessible to the parent installation.');
  return found;
}
