import { Command } from '@commander-js/extra-typings';
import { runDueJobs } from '#jobs/worker.ts';
import { openHearth } from '#server/hearth.ts';
import { commonSettings, configOf, withSettings } from '../command.ts';
import { openInstallation } from '../installation.ts';
import { workHere } from '../serving.ts';
import { stopSignal, withinDrainTime } from '../stop-signal.ts';

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
    const stopped = stopSignal();
    const installation = await openInstallation(configOf(command), 'command');
    try {
      if (once) {
        await using hearth = await openHearth({ ...installation.settings, work: 'jobs' });
        await runDueJobs(hearth.worker);
        return;
      }
      const worker = await workHere(installation.settings);
      process.stderr.write('Hearth does background jobs\n');
      await stopped;
      await withinDrainTime(() => worker.stop());
    } finally {
      await installation.close();
    }
  });
