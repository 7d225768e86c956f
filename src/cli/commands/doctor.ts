import { join } from 'node:path';
import { configOf, counted, installationCommand, onInstallation, print } from '../command.ts';
import { accounts } from '../doctor/accounts.ts';
import { advisories } from '../doctor/advisories.ts';
import { analysers } from '../doctor/analysers.ts';
import { budgets } from '../doctor/budgets.ts';
import { securityConfigurations } from '../doctor/configurations.ts';
import { type Diagnosis, finding } from '../doctor/diagnosis.ts';
import { contentsOfFiles, files } from '../doctor/files.ts';
import { filesFolder, folders } from '../doctor/folders.ts';
import { indexes } from '../doctor/indexes.ts';
import { refusals } from '../doctor/limits.ts';
import { clock, database, disk, programs } from '../doctor/machine.ts';
import { migrations } from '../doctor/migrations.ts';
import { websites } from '../doctor/pages.ts';
import { jobs, retryJobs } from '../doctor/queue.ts';
import { refs } from '../doctor/refs.ts';
import { newest, objects, pushes } from '../doctor/repositories.ts';
import { runners } from '../doctor/runners.ts';
import { ssh } from '../doctor/ssh.ts';
import { webhooks } from '../doctor/webhooks.ts';
import { workflowJobs } from '../doctor/workflows.ts';
import { databaseFolderOf } from '../installation.ts';
import type { Config } from '../settings.ts';

/** Folders that may be separate volumes. */
function volumesOf(config: Config): string[] {
  const database = databaseFolderOf(config);
  return [config.data, join(config.data, 'repositories'), join(config.data, 'objects'), ...(database ? [database] : [])];
}

const levelOf = ({ ok, warning }: Diagnosis): string => (!ok ? 'WRONG' : warning ? 'warn ' : 'ok   ');

export const doctorCommand = installationCommand(
  'doctor',
  'Check an installation: programs, database, clock, disk, repositories and their refs, files, jobs, workflows, ' +
    'runners, advisories, security configurations, migrations, budgets, webhooks, indexes. Ends with 1 when something is wrong.',
  'hearth doctor --deep',
)
  .option('--deep', 'read every Git object (git fsck), every file and the newest commits too; slow on large installations')
  .option('--retry', 'first give the jobs that were given up another try')
  .action(({ deep, retry }, command) =>
    onInstallation(command, async (installation) => {
      const retried = retry ? await retryJobs(installation) : 0;
      if (retry) process.stderr.write(`${counted(retried, 'job')} will be tried again\n`);
      const findings = [
        await finding('programs', programs),
        await finding('database', () => database(installation)),
        await finding('clock', () => clock(installation)),
        await finding('disk', () => disk(volumesOf(configOf(command)))),
        await finding('repositories', () => folders(installation)),
        await finding('refs', () => refs(installation)),
        await finding('pushes', () => pushes(installation, installation.now)),
        await finding('files', () => files(installation)),
        await finding('owners of files', () => filesFolder(installation)),
        await finding('jobs', () => jobs(installation)),
        await finding('workflows', () => workflowJobs(installation, installation.now)),
        await finding('runners', () => runners(installation, configOf(command))),
        await finding('analysers', () => analysers(installation, installation.now)),
        await finding('advisories', () => advisories(installation)),
        await finding('configurations', () => securityConfigurations(installation)),
        await finding('migrations', () => migrations(installation, installation.now)),
        await finding('budgets', () => budgets(installation)),
        await finding('webhooks', () => webhooks(installation)),
        await finding('ssh', () => ssh(configOf(command))),
        await finding('websites', async () => websites(configOf(command))),
        await finding('accounts', () => accounts(installation)),
        await finding('limits', () => refusals(installation, installation.now)),
        ...(await indexes(installation)),
        ...(deep
          ? [
              await finding('objects', () => objects(installation)),
              await finding('file contents', () => contentsOfFiles(installation)),
              await finding('newest commits', () => newest(installation)),
            ]
          : []),
      ];
      print(
        command,
        findings,
        findings.map((found) => `${levelOf(found)}  ${found.check.padEnd(15)} ${found.detail}`),
      );
      if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
    }),
  );
