import { Command, Option } from '@commander-js/extra-typings';
import { orgRoles } from '#access/roles.ts';
import { addMember } from '#resources/members/index.ts';
import { createOrganization } from '#resources/organizations/index.ts';
import { rotateRegistryKey } from '#resources/private-registries/index.ts';
import { installationCommand, onInstallation, print } from '../command.ts';
import { orgNamed, userNamed } from '../lookup.ts';

const create = installationCommand('create', 'Create an organization.', 'hearth org create acme --owner ada')
  .argument('<login>', 'letters, digits and single hyphens')
  .requiredOption('--owner <user>', 'its first owner')
  .option('--name <name>', 'name to show')
  .action((login, { owner, name }, command) =>
    onInstallation(command, async ({ db, change, now }) => {
      const first = await userNamed(db, owner);
      const org = await change((tx) => createOrganization(tx, { login, name, owner: first, now }));
      print(command, { id: org.id, login: org.login, owner: first.login }, `Created the organization ${org.login}`);
    }),
  );

const add = installationCommand(
  'add-member',
  'Make a user a member of an organization, or change their role in it.',
  'hearth org add-member acme grace --role owner',
)
  .argument('<org>')
  .argument('<user>')
  .addOption(new Option('--role <role>').choices(orgRoles).default('member' as const))
  .action((login, user, { role }, command) =>
    onInstallation(command, async ({ db, change, now }) => {
      const [org, member] = [await orgNamed(db, login), await userNamed(db, user)];
      await change((tx) => addMember(tx, { organization: org.id, user: member.id, role, now }));
      print(command, { organization: org.login, user: member.login, role }, `${member.login} is ${role} of ${org.login}`);
    }),
  );

const rotate = installationCommand(
  'rotate-registry-key',
  'Replace the key that clients encrypt secrets of private registries with.',
  'hearth org rotate-registry-key acme',
)
  .argument('<org>')
  .action((login, _, command) =>
    onInstallation(command, async ({ hearth, db, change, now }) => {
      const org = await orgNamed(db, login);
      const key = await change((tx) => rotateRegistryKey(tx, { org, secrets: hearth.services.secrets, now, by: undefined }));
      print(command, { organization: org.login, key_id: String(key.id) }, `${org.login} has the key ${key.id} now`);
    }),
  );

export const orgCommand = new Command('org')
  .description('Create organizations, add members, replace keys.')
  .addCommand(create)
  .addCommand(add)
  .addCommand(rotate);
