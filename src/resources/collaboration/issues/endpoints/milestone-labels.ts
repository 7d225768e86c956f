// The labels of all issues of a milestone.
import { Type } from 'typebox';
import { readsIssuesOrPulls } from '#access/policies.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { milestone } from '#resources/collaboration/milestones/index.ts';
import { Label, presentLabel } from '#resources/repositories/labels/index.ts';
import { listMilestoneLabels } from '../labels/milestone-store.ts';

export const listLabelsForMilestone = endpoint({
  id: 'issues/list-labels-for-milestone',
  method: 'GET',
  path: '/repos/{owner}/{repo}/milestones/{milestone_number}/labels',
  resources: [milestone],
  summary: 'List labels for issues in a milestone',
  access: readsIssuesOrPulls,
  paging: pages(),
  replies: { 200: Type.Array(Label) },
  async handle({ db, at, page, links }) {
    return mapEach(await listMilestoneLabels(db, at.milestone.id, page), (row) => presentLabel(links, at.repo, row));
  },
});
