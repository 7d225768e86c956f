import { type RawBuilder, sql } from 'kysely';
import { mayReadIn } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';

/**
 * Whether the viewer, who may read the repository `r`, may read its issue or pull request `i`. Each needs a permission of its
 * own, and may be switched off.
 */
export const mayReadIssue = (viewer: Viewer): RawBuilder<boolean> => sql<boolean>`(case when i.is_pull_request
  then r.has_pull_requests and ${mayReadIn(viewer, 'pull_requests')} else r.has_issues and ${mayReadIn(viewer, 'issues')} end)`;

/** Whether the repository `r` has its issues, or its pull requests, switched on, by what the issue in the table `issue` is. */
export const isSwitchedOn = (issue: 'i' | 'issues'): RawBuilder<boolean> =>
  sql<boolean>`(case when ${sql.ref(`${issue}.is_pull_request`)} then r.has_pull_requests else r.has_issues end)`;
