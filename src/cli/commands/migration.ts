import { resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { importArchive } from '#resources/platform/migrations/index.ts';
import { bypassedRules } from '../bypassed-rules.ts';
import { counted, installationCommand, onInstallation, print } from '../command.ts';
import { progressBar } from '../progress.ts';

const importOfArchive = installationCommand(
  'import',
  'Read an archive that a migration has exported: repositories with Git data, issues and all that belongs to them, ' +
    'and their people.',
  'hearth migration import 0b989ba4-242f-11e5-81e1-c7b6966d2516.tar.gz',
)
  .argument('<archive>', 'a tar.gz, as GET /user/migrations/{id}/archive or /orgs/{org}/migrations/{id}/archive gives it')
  .option('--into <organization>', "an organization here that gets what belongs to the archive's")
  .action((archive, { into }, command) =>
    onInstallation(command, async ({ change, hearth: { services } }) => {
      const bar = await progressBar();
      const bypassed = bypassedRules();
      const { repositories, accounts } = await importArchive({
        file: resolve(archive),
        git: services.git,
        objects: services.objects,
        change,
        limits: services.resourceLimits,
        into,
        onBypass: bypassed.add,
        onProgress: bar.show,
      }).finally(() => bar.end());
      print(command, { repositories, accounts, ...bypassed.fields() }, [
        ...bypassed.lines,
        ...repositories.map((name) => `Imported ${name}`),
        `Imported ${counted(repositories.length, 'repository', 'repositories')} and ${counted(accounts, 'new account')}`,
      ]);
    }),
  );

export const migrationCommand = new Command('migration')
  .description('Read archives of migrations, which move data between servers.')
  .addCommand(importOfArchive);
