import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { defaultSetupEvents } from './events.ts';
import { analyseChanges, analyseWeekly, applyRequested } from './jobs.ts';
import * as schemas from './schemas.ts';

/** Default setups of code scanning and code quality: the server runs analysers for repositories without workflow files. */
export const defaultSetups = family({
  name: 'default-setups',
  effect: 'The server analyses a repository by itself, without a workflow file, or stops doing so.',
  page: 'code-scanning.md',
  schemas,
  endpoints: [endpoints],
  events: defaultSetupEvents,
  subscriptions: [analyseChanges, applyRequested],
  jobs: [analyseWeekly],
});
