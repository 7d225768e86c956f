import { Command } from '@commander-js/extra-typings';
import { createUser } from '#resources/accounts/index.ts';
import { installationCommand, onInstallation, print } from '../command.ts';

const create = installationCommand('create', 'Create a user.', 'hearth user create ada --name "Ada Lovelace" --site-admin')
  .argument('<login>', 'letters, digits and single hyphens')
  .option('--name <name>', 'full name')
  .option('--email <address>', 'address for commits and mail')
  .option('--site-admin', 'make the user a site administrator')
  .action((login, { name, email, siteAdmin }, command) =>
    onInstallation(command, async ({ change, now }) => {
      const user = await change((tx) => createUser(tx, { login, name, email, siteAdmin: siteAdmin ?? false, now }));
      print(command, { id: user.id, login: user.login, site_admin: user.site_admin }, [
        `Created the user ${user.login}`,
        `A token to work with: hearth token create --user ${user.login} --kind classic --scope repo --quiet`,
      ]);
    }),
  );

export const userCommand = new Command('user').description('Create users.').addCommand(create);
