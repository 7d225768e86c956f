import { family } from '#resources/family.ts';
import * as forks from './endpoints/forks.ts';
import * as permissions from './endpoints/permissions.ts';
import * as retention from './endpoints/retention.ts';
import * as selectedRepositories from './endpoints/selected-repositories.ts';
import * as workflows from './endpoints/workflows.ts';
import { actionsSettingsEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** Only the settings of workflows. The families that create and run workflows read the resulting policy. */
export const actionsPermissions = family({
  name: 'actions-permissions',
  effect: 'What workflows may run, use and do changes, and how long their files are kept.',
  page: 'actions-settings.md',
  limits,
  interpreters: [
    {
      reads: 'patterns of refs, paths and names in rulesets, environments, reviews and settings of actions',
      runs: 'steps',
      modules: ['action-patterns.ts'],
      bounds: [],
    },
  ],
  schemas,
  endpoints: [permissions, selectedRepositories, workflows, forks, retention],
  events: actionsSettingsEvents,
});
