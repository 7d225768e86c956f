import { resolve } from 'node:path';
import { sql } from 'kysely';
import { writeBackup } from '#backup/write.ts';
import { configOf, counted, installationCommand, print } from '../command.ts';
import { hostKeysOf } from '../data-folder.ts';
import { withInstallation } from '../installation.ts';
import { progressBar } from '../progress.ts';

export const backupCommand = installationCommand(
  'backup',
  'Copy the whole installation into an empty folder, while it runs. The secret key is not copied: keep it elsewhere.',
  'hearth backup /backups/2026-12-01',
)
  .argument('<folder>', 'an empty folder, or one that does not exist yet')
  .option('--no-files', 'leave out the files of releases, where their bucket has copies elsewhere')
  .action((folder, { files }, command) => {
    const { data } = configOf(command);
    return withInstallation(configOf(command), async ({ address }, { services, database }) => {
      const bar = await progressBar();
      const parts = {
        address,
        git: services.git,
        objects: services.objects,
        withFiles: files,
        hostKeys: hostKeysOf(data),
        folder: resolve(folder),
        now: new Date(),
        onProgress: bar.show,
      };
      const { tables, repositories } = await writeBackup(parts).finally(() => bar.end());
      await sql`update installation set last_backup_at = ${parts.now}`.execute(database.db);
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      print(command, { folder: parts.folder, repositories: repositories.length, rows }, [
        `Wrote ${counted(repositories.length, 'repository', 'repositories')} and ${counted(rows, 'row')} to ${parts.folder}`,
      ]);
    });
  });
