import { Command } from '@commander-js/extra-typings';
import { counted, installationCommand, onInstallation, print } from '../command.ts';
import { retryJobs } from '../doctor/queue.ts';

const retry = installationCommand(
  'retry',
  'Try the background jobs again that failed too often, or that were set aside because the process ended while they ran.',
  'hearth jobs retry',
).action((_options, command) =>
  onInstallation(command, async (installation) => {
    const jobs = await retryJobs(installation);
    print(command, { jobs }, `${counted(jobs, 'job')} will be tried again`);
  }),
);

export const jobsCommand = new Command('jobs').description('Look after background jobs.').addCommand(retry);
