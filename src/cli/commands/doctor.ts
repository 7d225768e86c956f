import { configOf, counted, installationCommand, onInstallation, print } from '../command.ts';
import { contentsOfFiles, files } from '../doctor/files.ts';
import { indexes } from '../doctor/indexes.ts';
import { refusals } from '../doctor/limits.ts';
import { database, disk, programs } from '../doctor/machine.ts';
import { jobs, retryJobs } from '../doctor/queue.ts';
import { folders, newest, objects, pushes } from '../doctor/repositories.ts';
import { ssh } from '../doctor/ssh.ts';
import { workflowJobs } from '../doctor/workflows.ts';

export const doctorCommand = installationCommand(
  'doctor',
  'Check an installation: programs, database, disk, repositories, files, jobs, workflows, indexes. Ends with 1 when something is wrong.',
  'hearth doctor --deep',
)
  .option('--deep', 'read every Git object (git fsck), every file and the newest commits too; slow on large installations')
  .option('--retry', 'first give the jobs that were given up another try')
  .action(({ deep, retry }, command) =>
    onInstallation(command, async (installation) => {
      const retried = retry ? await retryJobs(installation) : 0;
      if (retry) process.stderr.write(`${counted(retried, 'job')} will be tried again\n`);
      const findings = [
        await programs(),
        await database(installation),
        await disk(configOf(command).data),
        await folders(installation),
        await pushes(installation, installation.now),
        await files(installation),
        await jobs(installation),
        await workflowJobs(installation, installation.now),
        await ssh(configOf(command)),
        await refusals(installation, installation.now),
        ...(await indexes(installation)),
        ...(deep ? [await objects(installation), await contentsOfFiles(installation), await newest(installation)] : []),
      ];
      print(
        command,
        findings,
        findings.map(({ check, ok, detail }) => `${ok ? 'ok   ' : 'WRONG'}  ${check.padEnd(14)} ${detail}`),
      );
      if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
    }),
  );
