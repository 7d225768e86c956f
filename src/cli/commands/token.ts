import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { levelsOf, permissionNames } from '#access/permissions.ts';
import { addDays } from '#lib/time.ts';
import { createClassicToken, createFineGrainedToken, type NewToken, revokeToken } from '#resources/tokens/index.ts';
import { installationCommand, onInstallation, print } from '../command.ts';
import type { CommandContext } from '../installation.ts';
import { accountNamed, repoNamed, userNamed } from '../lookup.ts';
import { UsageError } from '../usage-error.ts';

const collect = (text: string, before: readonly string[]): string[] => [...before, text];

function days(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 3650)
    throw new InvalidArgumentError('It must be a whole number of days from 1 to 3650.');
  return value;
}

/** The names of all permissions, for the help of commands. */
export const permissionHelp = `\nPermissions:\n${permissionNames
  .map((name) => `  ${name}=${levelsOf(name).join('|')}`)
  .join('\n')}`;

const create = installationCommand(
  'create',
  'Create a personal access token. It is shown now and never again: only its hash is stored.',
  `hearth token create --kind classic --user ada --scope repo --scope admin:org --quiet
  hearth token create --kind fine-grained --user ada --owner acme --repositories all --permission organization_webhooks=read`,
)
  .requiredOption('--user <user>', 'whose token it is')
  .addOption(new Option('--kind <kind>').choices(['classic', 'fine-grained'] as const).makeOptionMandatory())
  .option('--scope <scope>', 'classic: a scope; may be repeated', collect, [])
  .option('--owner <account>', 'fine-grained: the user or organization whose repositories it is for; left out: the user')
  .option('--repositories <all|public|owner/name,…>', 'fine-grained: the repositories that it is for', 'all')
  .option('--permission <name=level>', 'fine-grained: a permission with its level, see below; may be repeated', collect, [])
  .option('--name <name>', 'what it is for', '')
  .option('--expires <days>', 'days after which it ends; else it does not end', days)
  .option('--quiet', 'print the token alone')
  .addHelpText('after', permissionHelp)
  .action((options, command) =>
    onInstallation(command, async (installation) => {
      const { token, row } = await (options.kind === 'classic'
        ? classic(installation, options)
        : fineGrained(installation, options));
      const { kind, scopes, permissions, repository_selection, expires_at } = row;
      print(
        command,
        { token, kind, user: options.user, scopes, permissions, repository_selection, expires_at },
        options.quiet ? token : [token, 'Keep it: it is not shown again.'],
      );
    }),
  );

type Options = {
  user: string;
  scope: string[];
  owner?: string | undefined;
  repositories: string;
  permission: string[];
  name: string;
  expires?: number | undefined;
};

async function classic(
  { db, change, now }: CommandContext,
  { user: login, scope, permission, name, expires }: Options,
): Promise<NewToken> {
  if (permission.length > 0) throw new UsageError('--permission belongs to fine-grained tokens; classic ones have --scope');
  const user = await userNamed(db, login);
  return change((tx) => createClassicToken(tx, { user, scopes: scope, name, expiresAt: after(expires, now), now }));
}

async function fineGrained({ db, change, now }: CommandContext, options: Options): Promise<NewToken> {
  const { scope, permission, name, expires } = options;
  if (scope.length > 0) throw new UsageError('--scope belongs to classic tokens; fine-grained ones have --permission');
  const user = await userNamed(db, options.user);
  const owner = options.owner === undefined ? user : await accountNamed(db, options.owner);
  const permissions = Object.fromEntries(permission.map(namedLevel));
  const repositories = await chosenRepositories(db, options.repositories);
  return change((tx) =>
    createFineGrainedToken(tx, { user, owner, permissions, repositories, name, expiresAt: after(expires, now), now }),
  );
}

const after = (expires: number | undefined, now: Date): Date | undefined =>
  expires === undefined ? undefined : addDays(now, expires);

/** Parses a `--permission` option. */
export function namedLevel(text: string): [name: string, level: string] {
  const [name, level, ...rest] = text.split('=');
  if (!name || !level || rest.length > 0) throw new UsageError(`--permission ${text} is not of the form name=level`);
  return [name, level];
}

async function chosenRepositories(db: CommandContext['db'], text: string) {
  if (text === 'all' || text === 'public') return text;
  const ids = [];
  for (const name of text.split(',')) ids.push((await repoNamed(db, name.trim())).id);
  return ids;
}

const revoke = installationCommand('revoke', 'End a token of any kind at once.', 'hearth token revoke "$TOKEN"')
  .argument('<token>')
  .action((token, _options, command) =>
    onInstallation(command, async ({ change }) => {
      if (!(await change((tx) => revokeToken(tx, token)))) throw new UsageError('There is no such token');
      print(command, { revoked: true }, 'The token has ended');
    }),
  );

export const tokenCommand = new Command('token')
  .description('Create and end personal access tokens.')
  .addCommand(create)
  .addCommand(revoke);
