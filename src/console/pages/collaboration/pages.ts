import type { Page } from '#console/page.ts';
import { pullChecksPage } from './checks.ts';
import { issuePage } from './issue.ts';
import { issuesPage, pullsPage } from './lists.ts';
import { milestonePage, milestonesPage } from './milestones.ts';
import { ownIssuesPage, ownPullsPage } from './own.ts';
import { pullPage } from './pull.ts';

export const collaborationPages: readonly Page[] = [
  issuesPage,
  pullsPage,
  issuePage,
  pullPage,
  pullChecksPage,
  milestonesPage,
  milestonePage,
  ownIssuesPage,
  ownPullsPage,
];
