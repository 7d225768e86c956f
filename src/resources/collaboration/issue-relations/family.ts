import { Issue } from '#resources/collaboration/issues/index.ts';
import { family } from '#resources/family.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';
import * as dependencies from './endpoints/dependencies.ts';
import * as subIssues from './endpoints/sub-issues.ts';
import { relationEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const issueRelations = family({
  name: 'issue-relations',
  effect: 'An issue becomes part of another issue or waits for it, or no longer does.',
  page: 'issue-relations.md',
  limits,
  schemas,
  endpoints: [subIssues, dependencies],
  events: relationEvents,
  payloadParts: {
    sub_issue: Issue,
    sub_issue_repo: MinimalRepository,
    parent_issue: Issue,
    parent_issue_repo: MinimalRepository,
    blocked_issue: Issue,
    blocked_issue_repo: MinimalRepository,
    blocking_issue: Issue,
    blocking_issue_repo: MinimalRepository,
  },
});
