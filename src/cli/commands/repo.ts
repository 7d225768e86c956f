import { Command } from '@commander-js/extra-typings';
import { createRepository } from '#resources/repositories/repositories/index.ts';
import { bypassedRules } from '../bypassed-rules.ts';
import { installationCommand, onInstallation, print } from '../command.ts';
import { accountNamed, actorFor, ownerFor, splitName } from '../lookup.ts';

const create = installationCommand('create', 'Create an empty repository.', 'hearth repo create acme/engine --private --as ada')
  .argument('<owner/name>')
  .option('--private', 'visible only to people with a role in it')
  .option('--description <text>')
  .option('--as <user>', 'who creates it; needed where the owner is an organization')
  .action((fullName, options, command) =>
    onInstallation(command, async ({ db, change, hearth, now }) => {
      const { owner: login, name } = splitName(fullName);
      const account = await accountNamed(db, login);
      const actor = await actorFor(db, account, options.as);
      const owner = await ownerFor(db, account, actor);
      const { git } = hearth.services;
      const wanted = { name, private: options.private ?? false, description: options.description };
      const by = { account: actor, grant: { kind: 'none' } } as const;
      const bypassed = bypassedRules();
      const repo = await change((scope) => createRepository(scope, { git, owner, by, wanted, onBypass: bypassed.add, now }));
      const full_name = `${account.login}/${repo.name}`;
      print(command, { id: repo.id, full_name, ...bypassed.fields() }, [...bypassed.lines, `Created ${full_name}`]);
    }),
  );

export const repoCommand = new Command('repo')
  .description('Create repositories. To import an existing one, see `hearth import`.')
  .addCommand(create);
