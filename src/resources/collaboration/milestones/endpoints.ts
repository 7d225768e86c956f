import { Type } from 'typebox';
import { maintainsIssuesOrPulls, readsIssuesOrPulls } from '#access/policies.ts';
import type { Repo } from '#access/viewer.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import type { Scope } from '#endpoint/scope.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { Nothing, OneOf, withDefault } from '#lib/shape.ts';
import { milestone } from './path-resources.ts';
import { presentMilestones } from './present.ts';
import { changeMilestone, createMilestone, deleteMilestone } from './rules.ts';
import { Milestone, MilestoneChange, NewMilestone } from './schemas.ts';
import { listMilestones, type MilestoneRow } from './store.ts';

const presentOne = async (scope: Scope, repo: Repo, row: MilestoneRow): Promise<Milestone> =>
  firstOrNotFound(await presentMilestones(scope, repo, [row]));

export const listRepoMilestones = endpoint({
  id: 'issues/list-milestones',
  method: 'GET',
  path: '/repos/{owner}/{repo}/milestones',
  summary: 'List milestones',
  access: readsIssuesOrPulls,
  query: Type.Object({
    state: withDefault(OneOf(['open', 'closed', 'all']), 'open'),
    sort: withDefault(OneOf(['due_on', 'completeness']), 'due_on'),
    direction: withDefault(OneOf(['asc', 'desc']), 'asc'),
  }),
  paging: pages(),
  replies: { 200: Type.Array(Milestone) },
  async handle({ scope, db, at, query: { state, sort, direction }, page }) {
    const found = await listMilestones(db, at.repo.id, { state, order: { sort, direction } }, page);
    return mapRows(found, (rows) => presentMilestones(scope, at.repo, rows));
  },
});

export const getMilestone = endpoint({
  id: 'issues/get-milestone',
  method: 'GET',
  path: '/repos/{owner}/{repo}/milestones/{milestone_number}',
  resources: [milestone],
  summary: 'Get a milestone',
  access: readsIssuesOrPulls,
  replies: { 200: Milestone },
  async handle({ scope, at }) {
    return presentOne(scope, at.repo, at.milestone);
  },
});

export const createRepoMilestone = endpoint({
  id: 'issues/create-milestone',
  method: 'POST',
  path: '/repos/{owner}/{repo}/milestones',
  summary: 'Create a milestone',
  access: maintainsIssuesOrPulls,
  body: NewMilestone,
  example: { title: 'v1.0', due_on: '2027-01-01T00:00:00Z' },
  replies: { 201: Milestone },
  async handle({ scope, change, at, body, action }) {
    const row = await change((scope) => createMilestone(scope, action, body));
    return presentOne(scope, at.repo, row);
  },
});

export const updateRepoMilestone = endpoint({
  id: 'issues/update-milestone',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/milestones/{milestone_number}',
  resources: [milestone],
  summary: 'Update a milestone',
  access: maintainsIssuesOrPulls,
  body: MilestoneChange,
  example: { state: 'closed' },
  replies: { 200: Milestone },
  async handle({ scope, change, at, body, action }) {
    const row = await change((scope, { milestone }) => changeMilestone(scope, action, milestone, body));
    return presentOne(scope, at.repo, row);
  },
});

export const deleteRepoMilestone = endpoint({
  id: 'issues/delete-milestone',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/milestones/{milestone_number}',
  resources: [milestone],
  summary: 'Delete a milestone',
  access: maintainsIssuesOrPulls,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { milestone }) => deleteMilestone(scope, action, milestone));
  },
});
