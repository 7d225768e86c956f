import { Command } from '@commander-js/extra-typings';
import { keyFingerprint } from '#lib/secrets.ts';
import { installationCommand, installationConfigOf, print } from '../command.ts';
import { openInstallation } from '../installation.ts';

const replace = installationCommand(
  'replace',
  'Go on with the secret key that is there, or with a new one, after the former one was lost. Secrets of webhooks, ' +
    'registries and workflows that were stored under it can no longer be read: set them again.',
  'hearth secret-key replace --data /srv/hearth',
).action(async (_options, command) => {
  const installation = await openInstallation(installationConfigOf(command), 'command', { replaceKey: true });
  await installation.close();
  const fingerprint = keyFingerprint(installation.settings.secretKey);
  print(command, { fingerprint }, `The secret key is now ${fingerprint}. Set the previously stored secrets again.`);
});

export const secretKeyCommand = new Command('secret-key')
  .description('The key that encrypts stored secrets.')
  .addCommand(replace);
