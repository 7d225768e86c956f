import { text } from 'node:stream/consumers';
import { Command } from '@commander-js/extra-typings';
import { timestamp } from '#lib/time.ts';
import { createUser, listSuspended, verifyEarlierEmails, verifyEmail } from '#resources/identity/accounts/index.ts';
import { changePassword, hashPassword } from '#resources/platform/oauth/index.ts';
import { counted, installationCommand, onInstallation, print } from '../command.ts';
import { userNamed } from '../lookup.ts';
import { UsageError } from '../usage-error.ts';

const create = installationCommand('create', 'Create a user.', 'hearth user create ada --name "Ada Lovelace" --site-admin')
  .argument('<login>', 'letters, digits and single hyphens')
  .option('--name <name>', 'full name')
  .option('--email <address>', 'e-mail address, which counts as verified')
  .option('--site-admin', 'make the user a site administrator')
  .action((login, { name, email, siteAdmin }, command) =>
    onInstallation(command, async ({ change, now }) => {
      const user = await change((scope) => createUser(scope, { login, name, email, siteAdmin: siteAdmin ?? false, now }));
      print(command, { id: user.id, login: user.login, site_admin: user.site_admin }, [
        `Created the user ${user.login}`,
        `Make a token for it: ./hearth token create --user ${user.login} --kind classic --scope repo --quiet`,
      ]);
    }),
  );

const password = installationCommand(
  'password',
  'Set the password of a user, for signing in on the web to authorize apps. It is read from standard input.',
  'printf %s "$PASSWORD" | hearth user password ada',
)
  .argument('<login>')
  .action((login, _options, command) =>
    onInstallation(command, async ({ db, change }) => {
      const user = await userNamed(db, login);
      const hash = await hashPassword((await text(process.stdin)).replace(/\r?\n$/, ''));
      await change((scope) => changePassword(scope, user.id, hash));
      print(command, { login: user.login }, `${user.login} has a new password`);
    }),
  );

const verifyAddress = installationCommand(
  'verify-email',
  'Record that an e-mail address belongs to a user, whom commits with it are shown as. With --all: of all users, the ' +
    'addresses that they had before Hearth told verified addresses from others.',
  'hearth user verify-email ada ada@example.com\n  hearth user verify-email --all --domain example.com',
)
  .argument('[login]')
  .argument('[address]', 'one that the user has added, or another')
  .option('--all', 'all addresses from before that upgrade, but for those that several users state')
  .option('--domain <domain>', 'with --all: only addresses at this domain')
  .option('--dry-run', 'with --all: only count them')
  .action(async (login, email, options, command) => {
    if (options.all) return verifyAll(command, options);
    if (login === undefined || email === undefined) throw new UsageError('Name a login and an address, or give --all');
    await onInstallation(command, async ({ db, change, now }) => {
      const user = await userNamed(db, login);
      await change((scope) => verifyEmail(scope, { user, email, now }));
      print(command, { login: user.login, email }, `${email} is an address of ${user.login}`);
    });
  });

type AllOptions = { domain?: string | undefined; dryRun?: true | undefined };

const verifyAll = (command: { optsWithGlobals(): object }, { domain, dryRun }: AllOptions): Promise<void> =>
  onInstallation(command, async ({ db, change, now }) => {
    const found = await verifyEarlierEmails(db, { domain, now, ...(dryRun ? {} : { verify: change }) });
    const verified = counted(found.verified, 'address', 'addresses');
    const ambiguous = counted(found.ambiguous, 'address', 'addresses');
    print(command, found, [
      dryRun ? `${verified} would be verified` : `Verified ${verified}`,
      ...(found.ambiguous > 0 ? [`Left out ${ambiguous} that several users state: verify each for one of them`] : []),
    ]);
  });

const suspended = installationCommand(
  'suspended',
  'List the suspended users: since when, by whom and why.',
  'hearth user suspended',
).action((_options, command) =>
  onInstallation(command, async ({ db }) => {
    const users = await listSuspended(db);
    print(
      command,
      users,
      users.map(({ login, since, by, reason }) => {
        const who = by === null ? '' : `, by ${by}`;
        return `${login}  since ${timestamp(since)}${who}: ${reason ?? 'no reason given'}`;
      }),
    );
  }),
);

export const userCommand = new Command('user')
  .description('Create users, verify their addresses, set their passwords, and list suspended ones.')
  .addCommand(create)
  .addCommand(verifyAddress)
  .addCommand(password)
  .addCommand(suspended);
