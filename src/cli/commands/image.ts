import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import { publishImage } from '#resources/actions/hosted-runners/index.ts';
import { installationCommand, onInstallation, print } from '../command.ts';
import { orgNamed } from '../lookup.ts';

function gigabytes(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of gigabytes.');
  return Number(text);
}

const publish = installationCommand(
  'publish',
  'Publish what a runner holds as a version of a custom image.',
  'hearth image publish acme toolchain --runner builder --size 40',
)
  .argument('<org>')
  .argument('<image>', 'name of the image, which is created with its first version')
  .requiredOption('--runner <name>', 'runner that generates images')
  .option('--number <version>', 'version, as 2.4.0, or 2.* for the next minor version of 2; left out: the next minor version')
  .option('--size <gb>', 'size in GB, needed where the provider of runners has no machine to measure', gigabytes)
  .action((login, image, { runner, number, size }, command) =>
    onInstallation(command, async ({ db, hearth, now }) => {
      const org = await orgNamed(db, login);
      const wanted = { organization: org.id, runner, image, version: number, sizeGb: size };
      const published = await publishImage(scopeWithoutRequest({ db, services: hearth.services, now }), wanted);
      print(command, published, `Published version ${published.version} of ${published.name} (${published.size_gb} GB)`);
    }),
  );

export const imageCommand = new Command('image').description('Publish custom images of hosted runners.').addCommand(publish);
