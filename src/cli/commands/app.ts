import { unlink, writeFile } from 'node:fs/promises';
import { Command, Option } from '@commander-js/extra-typings';
import {
  createApp,
  createInstallationToken,
  findAppBySlug,
  findInstallationOn,
  installApp,
  makeAppKeys,
} from '#resources/apps/index.ts';
import { installationCommand, onInstallation, print } from '../command.ts';
import type { CommandContext } from '../installation.ts';
import { accountNamed, actorFor, repoNamed } from '../lookup.ts';
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
      const { app, clientSecret } = await change((tx) =>
        createApp(tx, {
          owner,
          kind: options.kind,
          name,
          externalUrl: options.url,
          callbackUrls: options.callback,
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

/** Writes a private key, of which no other copy exists, before the app is created. It doesn't overwrite a file. */
async function writeKey(file: string, key: string): Promise<void> {
  try {
    await writeFile(file, key, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new UsageError(
      `--key ${file} ${exists ? 'exists already: name a new file' : `can't be written: ${error instanceof Error ? error.message : error}`}`,
    );
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
      const row = await change((tx) => installApp(tx, { app, account, repositories, by, now }));
      print(command, { id: row.id, app: app.slug, account: account.login, repository_selection: row.repository_selection }, [
        `Installed ${app.slug} on ${account.login} (installation ${row.id})`,
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
      const created = await change((tx) => createInstallationToken(tx, { app, installation: row, request: {}, now }));
      const output = { token: created.token, expires_at: created.row.expires_at, permissions: created.permissions };
      print(
        command,
        output,
        options.quiet ? created.token : [created.token, `It ends at ${created.row.expires_at?.toISOString()}.`],
      );
    }),
  );

export const appCommand = new Command('app')
  .description('Create apps, install them, and create their tokens.')
  .addCommand(create)
  .addCommand(install)
  .addCommand(token);
