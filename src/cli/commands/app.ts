import { unlink, writeFile } from 'node:fs/promises';
import { Command, Option } from '@commander-js/extra-typings';
import { gather, getOrThrow } from '#lib/collections.ts';
import {
  acceptPermissions,
  changeApp,
  createApp,
  createInstallationToken,
  findAppBySlug,
  findInstallationOn,
  installApp,
  listOutdatedOn,
  loadApps,
  makeAppKeys,
  waitingFor,
} from '#resources/repositories/apps/index.ts';
import { installationCommand, onInstallation, print } from '../command.ts';
import type { CommandContext } from '../installation.ts';
import { accountNamed, actorFor, ownerFor, repoNamed } from '../lookup.ts';
import { UsageError } from '../usage-error.ts';
import { namedLevel, permissionHelp } from './token.ts';

const collect = (text: string, before: readonly string[]): string[] => [...before, text];

const create = installationCommand(
  'create',
  'Create an app. Its client secret is shown now and never again; its private key is written to a file.',
  'hearth app create "Build Bot" --owner acme --permission contents=read --permission checks=write --key build-bot.pem',
)
  .argument('<name>', '34 characters at most')
  .requiredOption('--owner <account>', 'the user or organization that it belongs to')
  .addOption(
    new Option('--kind <kind>', 'app: with a bot, permissions and installations; oauth: asks users for scopes')
      .choices(['app', 'oauth'] as const)
      .default('app' as const),
  )
  .option('--url <address>', 'its home page', 'https://example.com')
  .option('--callback <address>', 'address to which users return after they agreed; may be repeated', collect, [])
  .option('--setup-url <address>', 'address to which the browser goes after somebody has installed it on its page')
  .option('--permission <name=level>', 'a permission that it asks for, with its level, see below; may be repeated', collect, [])
  .option('--event <name>', 'an event that its webhook gets; may be repeated', collect, [])
  .option('--public', 'others may install it too')
  .option('--device-flow', 'users may authorize it on another device')
  .option('--key <file>', 'file for its private key (apps only)')
  .addHelpText('after', permissionHelp)
  .action((name, options, command) =>
    onInstallation(command, async ({ db, change, now }) => {
      const owner = await accountNamed(db, options.owner);
      if (options.kind === 'app' && options.key === undefined)
        throw new UsageError('--key says where the private key is written');
      const keys = options.kind === 'app' ? await makeAppKeys() : undefined;
      if (keys && options.key) await writeKey(options.key, keys.privateKey);
      const { app, clientSecret } = await change((scope) =>
        createApp(scope, {
          owner,
          kind: options.kind,
          name,
          externalUrl: options.url,
          callbackUrls: options.callback,
          setupUrl: options.setupUrl,
          permissions: Object.fromEntries(options.permission.map(namedLevel)),
          events: options.event,
          public: options.public,
          deviceFlow: options.deviceFlow,
          publicKey: keys?.publicKey,
          now,
        }),
      ).catch(async (error: unknown) => {
        if (keys && options.key) await unlink(options.key);
        throw error;
      });
      print(command, { id: app.id, slug: app.slug, client_id: app.client_id, client_secret: clientSecret, key: options.key }, [
        `Created ${app.slug}`,
        `  id             ${app.id}`,
        `  client id      ${app.client_id}`,
        `  client secret  ${clientSecret}`,
        ...(options.key ? [`  private key    ${options.key}`] : []),
      ]);
    }),
  );

/** Writes a private key before the app is created, since no other copy of it exists. It doesn't overwrite a file. */
async function writeKey(file: string, key: string): Promise<void> {
  try {
    await writeFile(file, key, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const reason = error instanceof Error ? error.message : error;
    throw new UsageError(`--key ${file} ${exists ? 'exists already: name a new file' : `can't be written: ${reason}`}`);
  }
}

async function appNamed({ db }: CommandContext, slug: string) {
  const app = await findAppBySlug(db, slug);
  if (!app) throw new UsageError(`There is no app ${slug}`);
  return app;
}

const install = installationCommand(
  'install',
  'Install an app on a user or an organization.',
  'hearth app install build-bot --on acme --as ada --repositories acme/engine',
)
  .argument('<app>', 'its name in addresses')
  .requiredOption('--on <account>', 'the user or organization')
  .option('--repositories <all|owner/name,…>', 'the repositories that it may work on', 'all')
  .option('--as <user>', 'who installs it; needed where the account is an organization')
  .action((slug, options, command) =>
    onInstallation(command, async (installation) => {
      const { db, change, now } = installation;
      const app = await appNamed(installation, slug);
      const account = await accountNamed(db, options.on);
      const by = await actorFor(db, account, options.as);
      const names = options.repositories === 'all' ? [] : options.repositories.split(',');
      const chosen = [];
      for (const name of names) chosen.push((await repoNamed(db, name.trim())).id);
      const repositories = options.repositories === 'all' ? ('all' as const) : chosen;
      const row = await change((scope) => installApp(scope, { app, account, repositories, by, now }));
      print(command, { id: row.id, app: app.slug, account: account.login, repository_selection: row.repository_selection }, [
        `Installed ${app.slug} on ${account.login} (installation ${row.id})`,
      ]);
    }),
  );

const changeCommand = installationCommand(
  'change',
  'Change what an app asks for. Its installations lose at once what it no longer asks for; what is more waits for their owners.',
  'hearth app change build-bot --permission contents=read --permission checks=write --event check_run',
)
  .argument('<app>', 'its name in addresses')
  .option('--permission <name=level>', 'a permission that it asks for, in the place of all others; may be repeated', collect, [])
  .option('--event <name>', 'an event that its webhook gets, in the place of all others; may be repeated', collect, [])
  .option('--no-events', 'its webhook gets no events that are subscribed to')
  .addHelpText('after', permissionHelp)
  .action((slug, { permission, event, events }, command) =>
    onInstallation(command, async (installation) => {
      const app = await appNamed(installation, slug);
      if (permission.length === 0 && event.length === 0 && events)
        throw new UsageError('--permission, --event or --no-events says what the app shall ask for');
      const wanted = {
        permissions: permission.length > 0 ? Object.fromEntries(permission.map(namedLevel)) : undefined,
        events: event.length > 0 || !events ? event : undefined,
      };
      const changed = await installation.change((scope) =>
        changeApp(scope, { app, by: undefined, now: installation.now }, wanted),
      );
      print(command, { slug: app.slug, permissions: changed.permissions, events: changed.events }, `Changed ${app.slug}`);
    }),
  );

const waiting = installationCommand(
  'waiting',
  'List the apps on an account that ask for more than they have there.',
  'hearth app waiting acme',
)
  .argument('<account>', 'the user or organization on which they are installed')
  .action((login, _options, command) =>
    onInstallation(command, async ({ db }) => {
      const account = await accountNamed(db, login);
      const { rows } = await listOutdatedOn(db, account.id, { number: 1, limit: 100, offset: 0 });
      const apps = await loadApps(db, gather(rows, 'app_id'));
      const asked = rows.map((row) => ({ app: row.app_slug, ...waitingFor(getOrThrow(apps, row.app_id), row) }));
      print(
        command,
        asked,
        asked.length === 0
          ? `No app on ${account.login} asks for more`
          : asked.map(({ app, added, upgraded, events = [] }) => {
              const permissions = Object.entries({ ...added, ...upgraded }).map(([name, level]) => `${name}=${level}`);
              return `${app}: ${[...permissions, ...events].join(', ')}`;
            }),
      );
    }),
  );

const accept = installationCommand(
  'accept',
  'Give an app on an account what it asks for, as the owner of the account.',
  'hearth app accept build-bot --on acme --as ada',
)
  .argument('<app>', 'its name in addresses')
  .requiredOption('--on <account>', 'where it is installed')
  .option('--as <user>', 'the owner who accepts; needed where the account is an organization')
  .action((slug, options, command) =>
    onInstallation(command, async (installation) => {
      const { db, change, now } = installation;
      const app = await appNamed(installation, slug);
      const account = await accountNamed(db, options.on);
      const by = await actorFor(db, account, options.as);
      if ((await ownerFor(db, account, by)).role !== 'owner') throw new UsageError(`${by.login} does not own ${account.login}`);
      const found = await findInstallationOn(db, app.id, account.id);
      if (!found) throw new UsageError(`${app.slug} is not installed on ${account.login}`);
      const row = await change((scope) => acceptPermissions(scope, { installation: found, by: by.id, now }));
      print(command, { app: app.slug, permissions: row.permissions, events: row.events }, [
        `${app.slug} has what it asked for on ${account.login}`,
      ]);
    }),
  );

const token = installationCommand(
  'token',
  'Create a token of an installation, as an app does with its key. It is valid for 60 minutes.',
  'hearth app token build-bot --on acme --quiet',
)
  .argument('<app>', 'its name in addresses')
  .requiredOption('--on <account>', 'where it is installed')
  .option('--quiet', 'print the token alone')
  .action((slug, options, command) =>
    onInstallation(command, async (installation) => {
      const { db, change, now } = installation;
      const app = await appNamed(installation, slug);
      const account = await accountNamed(db, options.on);
      const row = await findInstallationOn(db, app.id, account.id);
      if (!row) throw new UsageError(`${app.slug} is not installed on ${account.login}`);
      const created = await change((scope) => createInstallationToken(scope, { app, installation: row, request: {}, now }));
      const output = { token: created.token, expires_at: created.row.expires_at, permissions: created.permissions };
      print(
        command,
        output,
        options.quiet ? created.token : [created.token, `It ends at ${created.row.expires_at?.toISOString()}.`],
      );
    }),
  );

export const appCommand = new Command('app')
  .description('Create and change apps, install them, and create their tokens.')
  .addCommand(create)
  .addCommand(changeCommand)
  .addCommand(install)
  .addCommand(waiting)
  .addCommand(accept)
  .addCommand(token);
