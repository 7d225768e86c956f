import { family } from '#resources/family.ts';
import * as assigneesEndpoints from './endpoints/assignees.ts';
import * as commentsEndpoints from './endpoints/comments.ts';
import * as countsEndpoints from './endpoints/counts.ts';
import * as eventsEndpoints from './endpoints/events.ts';
import * as fieldValuesEndpoints from './endpoints/field-values.ts';
import * as issuesEndpoints from './endpoints/issues.ts';
import * as labelsEndpoints from './endpoints/labels.ts';
import * as listsEndpoints from './endpoints/lists.ts';
import * as milestoneLabelsEndpoints from './endpoints/milestone-labels.ts';
import * as pageListsEndpoints from './endpoints/page-lists.ts';
import * as reactionsEndpoints from './endpoints/reactions.ts';
import { issueEvents } from './events.ts';
import { unassignLost } from './jobs.ts';
import * as limits from './limits.ts';
import { readPushedCommits } from './references/pushed-commits.ts';
import * as schemas from './schemas.ts';
import { Issue, IssueComment } from './schemas.ts';
import { indexChanged, indexChangedSilently, indexImported, indexMissing, indexRenamed } from './search-jobs.ts';
import { readUnreadTexts } from './texts/unread-texts.ts';

export const issues = family({
  name: 'issues',
  effect: 'Issues and comments are written, changed, closed, labelled and assigned, and people are notified.',
  page: 'issue-events.md',
  limits,
  schemas,
  endpoints: [
    eventsEndpoints,
    listsEndpoints,
    issuesEndpoints,
    commentsEndpoints,
    labelsEndpoints,
    milestoneLabelsEndpoints,
    assigneesEndpoints,
    reactionsEndpoints,
    fieldValuesEndpoints,
  ],
  pageEndpoints: [countsEndpoints, pageListsEndpoints],
  events: issueEvents,
  payloadParts: { issue: Issue, comment: IssueComment },
  subscriptions: [indexChanged, indexRenamed, unassignLost, readPushedCommits],
  jobs: [indexMissing, indexImported, indexChangedSilently, readUnreadTexts],
});
