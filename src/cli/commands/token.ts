import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { levelsOf, permissionNames } from '#access/permissions.ts';
import { gather } from '#lib/collections.ts';
import { addDays } from '#lib/time.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import {
  changeToken,
  createClassicToken,
  createFineGrainedToken,
  listTokenRequests,
  type NewToken,
  reviewTokenRequests,
  revokeToken,
} from '#resources/identity/tokens/index.ts';
import { installationCommand, onInstallation, print } from '../command.ts';
import type { CommandContext } from '../installation.ts';
import { accountNamed, orgNamed, ownerFor, repoNamed, userNamed } from '../lookup.ts';
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
  .option('--reason <text>', 'fine-grained: why, for the owners of an organization who approve it')
  .option('--expires <days>', 'days after which it ends; else it does not end', days)
  .option('--quiet', 'print the token alone')
  .addHelpText('after', permissionHelp)
  .action((options, command) =>
    onInstallation(command, async (installation) => {
      const { token, row } = await (options.kind === 'classic'
        ? classic(installation, options)
        : fineGrained(installation, options));
      const { kind, scopes, permissions, repository_selection, expires_at, access } = row;
      const shown = { token, kind, user: options.user, scopes, permissions, repository_selection, expires_at, access };
      const waits = access === 'pending' ? [`${options.owner} has to approve it. Until then it reads what is public.`] : [];
      print(command, shown, options.quiet ? token : [token, 'Keep it: it is not shown again.', ...waits]);
    }),
  );

type Options = {
  user: string;
  scope: string[];
  owner?: string | undefined;
  repositories: string;
  permission: string[];
  name: string;
  reason?: string | undefined;
  expires?: number | undefined;
};

async function classic(
  { db, change, now }: CommandContext,
  { user: login, scope: scopes, permission, name, expires }: Options,
): Promise<NewToken> {
  if (permission.length > 0) throw new UsageError('--permission belongs to fine-grained tokens; classic ones have --scope');
  const user = await userNamed(db, login);
  return change((scope) => createClassicToken(scope, { user, scopes, name, expiresAt: after(expires, now), now }));
}

async function fineGrained({ db, change, now }: CommandContext, options: Options): Promise<NewToken> {
  const { scope, permission, name, reason, expires } = options;
  if (scope.length > 0) throw new UsageError('--scope belongs to classic tokens; fine-grained ones have --permission');
  const user = await userNamed(db, options.user);
  const owner = options.owner === undefined ? user : await accountNamed(db, options.owner);
  const permissions = Object.fromEntries(permission.map(namedLevel));
  const repositories = await chosenRepositories(db, options.repositories);
  return change((scope) =>
    createFineGrainedToken(scope, { user, owner, permissions, repositories, name, reason, expiresAt: after(expires, now), now }),
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

const changeAllowed = installationCommand(
  'change',
  'Change what a fine-grained token allows. What is less holds at once; what is more may have to be approved.',
  'hearth token change "$TOKEN" --permission issues=write --repositories acme/engine',
)
  .argument('<token>')
  .option('--permission <name=level>', 'a permission with its level, in the place of all others; may be repeated', collect, [])
  .option('--repositories <all|public|owner/name,…>', 'the repositories that it is for')
  .option('--reason <text>', 'why, for the owners of an organization who approve it')
  .addHelpText('after', permissionHelp)
  .action((token, { permission, repositories, reason }, command) =>
    onInstallation(command, async ({ db, change, now }) => {
      if (permission.length === 0 && repositories === undefined)
        throw new UsageError('--permission or --repositories says what the token shall allow');
      const chosen = repositories === undefined ? undefined : await chosenRepositories(db, repositories);
      const permissions = permission.length > 0 ? Object.fromEntries(permission.map(namedLevel)) : undefined;
      const changed = await change((scope) => changeToken(scope, token, { permissions, repositories: chosen, reason, now }));
      if (!changed) throw new UsageError('There is no such token');
      const { row, waits } = changed;
      print(
        command,
        { permissions: row.permissions, repository_selection: row.repository_selection, access: row.access, waits },
        waits ? 'What is more waits until its organization approves it' : 'The token is changed',
      );
    }),
  );

const requests = installationCommand(
  'requests',
  'List the fine-grained tokens that wait for the approval of an organization.',
  'hearth token requests acme',
)
  .argument('<org>')
  .action((login, _options, command) =>
    onInstallation(command, async ({ db }) => {
      const org = await orgNamed(db, login);
      const { rows, total } = await listTokenRequests(db, org.id, {
        filter: {},
        direction: 'asc',
        page: { number: 1, limit: 100, offset: 0 },
      });
      const users = await loadAccounts(db, gather(rows, 'user_id'));
      const lines = rows.map((row) => ({
        id: row.id,
        user: users.get(row.user_id)?.login,
        name: row.token_name,
        permissions: row.permissions,
        repository_selection: row.repository_selection,
        reason: row.reason,
      }));
      print(
        command,
        lines,
        lines.length === 0
          ? 'No token waits'
          : [
              ...lines.map(({ id, user, name, permissions, repository_selection, reason }) =>
                [id, user, name, JSON.stringify(permissions), repository_selection, reason].filter(Boolean).join('  '),
              ),
              ...(total > lines.length ? [`and ${total - lines.length} more`] : []),
            ],
      );
    }),
  );

const reviewed = (name: 'approve' | 'deny', about: string) =>
  installationCommand(name, about, `hearth token ${name} 42 --org acme --as ada`)
    .argument('<request>', 'its id, as `hearth token requests` lists it')
    .requiredOption('--org <org>', 'the organization that is asked')
    .requiredOption('--as <user>', 'the owner who decides')
    .action((id, { org: login, as: owner }, command) =>
      onInstallation(command, async ({ db, change, now }) => {
        const [org, by] = [await orgNamed(db, login), await userNamed(db, owner)];
        if ((await ownerFor(db, org, by)).role !== 'owner') throw new UsageError(`${by.login} does not own ${org.login}`);
        if (!/^\d{1,15}$/.test(id)) throw new UsageError(`${id} is not the id of a request`);
        await change((scope) => reviewTokenRequests(scope, { org, by: by.id, now }, { ids: [Number(id)], action: name }));
        print(
          command,
          { request: Number(id), action: name },
          name === 'approve' ? 'The token is approved' : 'The token is denied',
        );
      }),
    );

const revoke = installationCommand('revoke', 'End a token of any kind at once.', 'hearth token revoke "$TOKEN"')
  .argument('<token>')
  .action((token, _options, command) =>
    onInstallation(command, async ({ change, now }) => {
      if (!(await change((scope) => revokeToken(scope, token, now)))) throw new UsageError('There is no such token');
      print(command, { revoked: true }, 'The token has ended');
    }),
  );

export const tokenCommand = new Command('token')
  .description('Create, change, approve and end personal access tokens.')
  .addCommand(create)
  .addCommand(changeAllowed)
  .addCommand(revoke)
  .addCommand(requests)
  .addCommand(reviewed('approve', 'Approve what a fine-grained token asks an organization for.'))
  .addCommand(reviewed('deny', 'Deny what a fine-grained token asks an organization for.'));
