import { Command } from '@commander-js/extra-typings';
import { rotateIdentityKey } from '#resources/actions/identity-tokens/index.ts';
import { installationCommand, onInstallation, print } from '../command.ts';

const rotate = installationCommand(
  'rotate',
  'Replace the key that signs identity tokens of jobs. Tokens that it has signed stay good.',
  'hearth identity-key rotate',
).action((_options, command) =>
  onInstallation(command, async ({ hearth, change, now }) => {
    const kid = await change((scope) => rotateIdentityKey(scope, { secrets: hearth.services.secrets, now }));
    print(command, { key_id: kid }, `Identity tokens are signed with the key ${kid} now`);
  }),
);

export const identityKeyCommand = new Command('identity-key')
  .description('Manage the key that signs identity tokens of jobs.')
  .addCommand(rotate);
