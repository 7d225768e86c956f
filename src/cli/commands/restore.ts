import { resolve } from 'node:path';
import { restoreBackup } from '#backup/restore.ts';
import { counted, installationCommand, installationConfigOf, print } from '../command.ts';
import { hasSecretKey, hostKeysOf } from '../data-folder.ts';
import { withInstallation } from '../installation.ts';
import { progressBar } from '../progress.ts';

export const restoreCommand = installationCommand(
  'restore',
  'Fill an empty installation from a backup. Put the secret key in place first (file secret-key, or HEARTH_SECRET_KEY).',
  'hearth restore /backups/2026-12-01 --data /srv/hearth',
)
  .argument('<folder>', 'what `hearth backup` wrote')
  .action(async (folder, _options, command) => {
    const config = installationConfigOf(command);
    const hasKey = config.secretKey !== undefined || (await hasSecretKey(config.data));
    await withInstallation(config, async ({ address }, { services }) => {
      const bar = await progressBar();
      const parts = {
        address,
        git: services.git,
        objects: services.objects,
        hostKeys: hostKeysOf(config.data),
        folder: resolve(folder),
        onProgress: bar.show,
      };
      const { created_at, repositories } = await restoreBackup(parts).finally(() => bar.end());
      print(command, { created_at, repositories: repositories.length }, [
        `Restored ${counted(repositories.length, 'repository', 'repositories')} and all data as of ${created_at}`,
      ]);
      if (!hasKey)
        process.stderr.write(
          'There was no secret key, so a new one was made: secrets of webhooks and registries from the backup can not be read\n',
        );
    });
  });
