import { family } from '#resources/family.ts';
import { followComments, runCommand } from './commands.ts';
import { followPulls, recreateConflicting, settlePull } from './follow.ts';
import { followPushes } from './follow-pushes.ts';
import * as limits from './limits.ts';
import { completePull } from './proposals.ts';
import { readConfigs } from './read-config.ts';
import { cleanUpdates, finishUpdates, followRuns } from './results.ts';
import { followAlerts } from './security.ts';
import { updateServices } from './services.ts';
import { lookForVersions, runSchedules } from './versions.ts';

/** The bot that proposes updates of dependencies by pull requests. */
export const dependencyUpdates = family({
  name: 'dependency-updates',
  limits,
  services: updateServices,
  subscriptions: [followAlerts, followRuns, followPulls, followPushes, followComments],
  jobs: [
    completePull,
    finishUpdates,
    cleanUpdates,
    settlePull,
    recreateConflicting,
    runCommand,
    readConfigs,
    runSchedules,
    lookForVersions,
  ],
});
