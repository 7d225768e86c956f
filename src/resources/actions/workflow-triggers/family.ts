import { type Family, family } from '#resources/family.ts';
import { webhookEventsOf } from '#resources/platform/webhooks/index.ts';
import { runSchedules } from './schedules.ts';
import { startRuns } from './start.ts';

/** What starts runs of workflows: the events of all other families. */
export const workflowTriggers = (others: readonly Family[]) =>
  family({ name: 'workflow-triggers', subscriptions: [startRuns(webhookEventsOf(others))], jobs: [runSchedules] });
