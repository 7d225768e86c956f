import { Command } from '@commander-js/extra-typings';
import { runDueJobs } from '#jobs/worker.ts';
import { openHearth } from '#server/hearth.ts';
import { commonSettings, configOf, withSettings } from '../command.ts';
import { logOf, openInstallation } from '../installation.ts';
import { workHere } from '../serving.ts';
import type { Config } from '../settings.ts';
import { startUnlessStopped, stopSignal, withinDrainTime } from '../stop-signal.ts';

export const workCommand = withSettings(new Command('work'), [
  ...commonSettings,
  'url',
  'connections',
  'vocabulary',
  'webhookAllow',
  'webhookRetries',
  'webhookKeep',
])
  .description('Run background jobs (webhooks, indexing, clean-up) for servers that run with --jobs off.')
  .option('--once', 'run the jobs that are due, then end')
  .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://hearth@db/hearth hearth work --data /srv/hearth')
  .action(async ({ once }, command) => {
    const config = configOf(command);
    await (once ? workOnce(config) : work(config));
  });

/** A signal stops it immediately. Its jobs are released to other workers and to the next start. */
async function workOnce(config: Config): Promise<void> {
  const installation = await openInstallation(config, 'command');
  try {
    await using hearth = await openHearth({ ...installation.settings, work: 'jobs' });
    await runDueJobs(hearth.worker);
  } finally {
    await installation.close();
  }
}

async function work(config: Config): Promise<void> {
  const stopped = stopSignal();
  const { installation, worker } = await startUnlessStopped(start(config), stopped);
  process.stderr.write('Hearth does background jobs\n');
  await stopped;
  await withinDrainTime(worker.stop, installation.close);
}

async function start(config: Config) {
  const installation = await openInstallation(config, 'command');
  try {
    return { installation, worker: await workHere({ ...installation.settings, log: logOf(config) }) };
  } catch (error) {
    await installation.close();
    throw error;
  }
}
