import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { orgRoles } from '#access/roles.ts';
import { changeIn, scopeWithoutRequest } from '#endpoint/change-in.ts';
import { rotateRegistryKey } from '#resources/actions/private-registries/index.ts';
import { addMember } from '#resources/identity/members/index.ts';
import { changeTokenDemands, createOrganization, getSettings } from '#resources/identity/organizations/index.ts';
import { installationCommand, onInstallation, print } from '../command.ts';
import { orgNamed, userNamed } from '../lookup.ts';

const create = installationCommand('create', 'Create an organization.', 'hearth org create acme --owner ada')
  .argument('<login>', 'letters, digits and single hyphens')
  .requiredOption('--owner <user>', 'its first owner')
  .option('--name <name>', 'name to show')
  .option('--for-actions', 'allow the reserved name `actions`: workflows take its repositories instead of those of the origin')
  .action((login, { owner, name, forActions }, command) =>
    onInstallation(command, async ({ db, change, now }) => {
      const first = await userNamed(db, owner);
      const org = await change((scope) =>
        createOrganization(scope, { login, name, owner: first, isForActions: forActions ?? false, now }),
      );
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
      await change((scope) => addMember(scope, { organization: org.id, user: member.id, role, now }));
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
    onInstallation(command, async ({ hearth, db, now }) => {
      const org = await orgNamed(db, login);
      const key = await changeIn(scopeWithoutRequest({ db, services: hearth.services, now }), (scope) =>
        rotateRegistryKey(scope, { org, by: undefined }),
      );
      print(command, { organization: org.login, key_id: String(key.id) }, `${org.login} has the key ${key.id} now`);
    }),
  );

function longest(text: string): number | null {
  if (text === 'none') return null;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 3650)
    throw new InvalidArgumentError('It must be a whole number of days from 1 to 3650, or none.');
  return value;
}

const tokens = installationCommand(
  'tokens',
  'Say what an organization demands of fine-grained tokens, or show it.',
  'hearth org tokens acme --approval required --longest 90',
)
  .argument('<org>')
  .addOption(
    new Option('--approval <word>', 'whether its owners must approve them').choices(['required', 'not-required'] as const),
  )
  .addOption(new Option('--fine-grained <word>', 'whether it accepts them at all').choices(['accepted', 'refused'] as const))
  .option('--longest <days|none>', 'days after which they must end', longest)
  .action((login, options, command) =>
    onInstallation(command, async ({ db, change, now }) => {
      const org = await orgNamed(db, login);
      const { approval, fineGrained, longest } = options;
      const wanted = {
        ...(approval === undefined ? {} : { token_approval_required: approval === 'required' }),
        ...(fineGrained === undefined ? {} : { fine_grained_tokens_allowed: fineGrained === 'accepted' }),
        ...(longest === undefined ? {} : { max_token_days: longest }),
      };
      const isChange = Object.keys(wanted).length > 0;
      const settings = isChange
        ? await change((scope) => changeTokenDemands(scope, { org, actor: undefined, now }, wanted))
        : await getSettings(db, org.id);
      const { token_approval_required, fine_grained_tokens_allowed, max_token_days } = settings;
      print(command, { organization: org.login, token_approval_required, fine_grained_tokens_allowed, max_token_days }, [
        `Fine-grained tokens for ${org.login}`,
        `  approval      ${token_approval_required ? 'required' : 'not required'}`,
        `  fine-grained  ${fine_grained_tokens_allowed ? 'accepted' : 'refused'}`,
        `  longest       ${max_token_days === null ? 'none' : `${max_token_days} days`}`,
      ]);
    }),
  );

export const orgCommand = new Command('org')
  .description('Create organizations, add members, replace keys, and say what is demanded of tokens.')
  .addCommand(create)
  .addCommand(add)
  .addCommand(rotate)
  .addCommand(tokens);
