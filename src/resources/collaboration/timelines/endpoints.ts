import { Type } from 'typebox';
import { readsIssuesOrPulls } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { issue, textMedia } from '#resources/collaboration/issues/index.ts';
import { TimelineEntry, TimelineQuery } from './schemas.ts';
import { listTimeline } from './timeline.ts';

export const listTimelineOfIssue = endpoint({
  id: 'issues/list-events-for-timeline',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/timeline',
  resources: [issue],
  summary: 'List timeline events for an issue',
  access: readsIssuesOrPulls,
  query: TimelineQuery,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(TimelineEntry) },
  async handle({ scope, at, query, page }) {
    const excluded = query.exclude === undefined ? [] : query.exclude.split(',').map((event) => event.trim());
    return listTimeline(scope, at.issue, excluded, page);
  },
});
