import { family } from '#resources/family.ts';
import { notifyOfBudgets } from './budgets.ts';
import { notifyOfCheckSuites } from './check-suites.ts';
import { notifyOfCommitComments } from './commit-comments.ts';
import { notifyOfDependencyAlerts } from './dependency-alerts.ts';
import * as inboxEndpoints from './endpoints/inbox.ts';
import * as threadsEndpoints from './endpoints/threads.ts';
import { notificationEvents } from './events.ts';
import { fanOutIssueEvents, notifyAcceptedInvitation, touchAffectedInboxes } from './jobs.ts';
import * as limits from './limits.ts';
import { markInBackground } from './mark-job.ts';
import { notifyMentionedInCommits } from './pushed-commits.ts';
import { notifyOfReleases } from './releases.ts';
import { notifyOfReports } from './repository-advisories.ts';
import * as schemas from './schemas.ts';
import { notifyOfSecretAlerts } from './secret-alerts.ts';

export const notifications = family({
  name: 'notifications',
  effect: "Threads in the caller's inbox become read or done, or are followed or muted.",
  page: 'notifications.md',
  limits,
  schemas,
  endpoints: [inboxEndpoints, threadsEndpoints],
  events: notificationEvents,
  subscriptions: [
    fanOutIssueEvents,
    notifyMentionedInCommits,
    notifyOfCommitComments,
    notifyOfReleases,
    notifyOfCheckSuites,
    notifyOfSecretAlerts,
    notifyOfDependencyAlerts,
    notifyOfReports,
    notifyOfBudgets,
    notifyAcceptedInvitation,
    touchAffectedInboxes,
  ],
  jobs: [markInBackground],
});
