import { type RawBuilder, sql } from 'kysely';
import { mayReadIn } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';

/**
 * Whether the viewer, who may read the repository `r`, may read its issue or pull request `i`. Each needs a permission of its own, and
 * issues may be turned off.
 */
export const mayReadIssue = (viewer: Viewer): RawBuilder<boolean> => sql<boolean>`(case when i.is_pull_request
  then ${mayReadIn(viewer, 'pull_requests')} else r.has_issues and ${mayReadIn(viewer, 'issues')} end)`;
