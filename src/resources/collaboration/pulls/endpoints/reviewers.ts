// Requests for reviews of a pull request, from people and teams.
import { changesPulls, readsPulls } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pull } from '../path-resources.ts';
import { presentPull } from '../present.ts';
import { presentRequests } from '../present-reviewers.ts';
import { removeReviewers, requestReviewers } from '../reviewers.ts';
import { NewReviewers, PullRequest, ReviewersToRemove, ReviewRequests } from '../schemas.ts';

const path = '/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers';
const asksForReviews = { ...changesPulls, role: 'triage' } as const;

export const listRequestedReviewers = endpoint({
  id: 'pulls/list-requested-reviewers',
  method: 'GET',
  path,
  resources: [pull],
  summary: 'Get all requested reviewers for a pull request',
  access: readsPulls,
  replies: { 200: ReviewRequests },
  async handle({ scope, at }) {
    return presentRequests(scope, at.pull.id);
  },
});

export const addRequestedReviewers = endpoint({
  id: 'pulls/request-reviewers',
  method: 'POST',
  path,
  resources: [pull],
  summary: 'Request reviewers for a pull request',
  access: asksForReviews,
  body: NewReviewers,
  example: { reviewers: ['grace'], team_reviewers: ['owners'] },
  replies: { 201: PullRequest },
  async handle({ scope, change, body, action }) {
    const row = await change((scope, { pull }) => requestReviewers(scope, action, pull, body));
    return presentPull(scope, row);
  },
});

export const removeRequestedReviewers = endpoint({
  id: 'pulls/remove-requested-reviewers',
  method: 'DELETE',
  path,
  resources: [pull],
  summary: 'Remove requested reviewers from a pull request',
  access: asksForReviews,
  body: ReviewersToRemove,
  example: { reviewers: ['grace'], team_reviewers: ['owners'] },
  replies: { 200: PullRequest },
  async handle({ scope, change, body, action }) {
    const row = await change((scope, { pull }) => removeReviewers(scope, action, pull, body));
    return presentPull(scope, row);
  },
});
