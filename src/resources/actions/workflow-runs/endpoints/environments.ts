// Deployments of runs that wait for an environment, and their reviews.
import { Type } from 'typebox';
import { readsActions } from '#access/policies.ts';
import type { Policy } from '#access/policy.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { Deployment, loadDeployments, presentDeployments } from '#resources/actions/deployments/index.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { presentApprovals, presentPending } from '../approval/present.ts';
import { reviewAsApp, reviewRun } from '../approval/reviews.ts';
import { workflowRun } from '../path-resources.ts';
import { EnvironmentApproval, NewCustomDeploymentReview, NewDeploymentReview, PendingDeployment } from '../schemas.ts';

/** Reviewers only need to read the repository. The rules check who is a reviewer. */
const reviews = { scopes: ['repo'], role: 'read', permission: 'deployments:write' } as const satisfies Policy;
const reviewsAsApp = { permission: 'deployments:write', credentials: ['installation'] } as const satisfies Policy;

export const listPendingDeployments = endpoint({
  id: 'actions/get-pending-deployments-for-run',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/pending_deployments',
  resources: [workflowRun],
  summary: 'Get pending deployments for a workflow run',
  access: readsActions,
  replies: { 200: Type.Array(PendingDeployment) },
  async handle({ scope, at }) {
    return presentPending(scope, at.repo, at.workflowRun);
  },
});

export const reviewPendingDeployments = endpoint({
  id: 'actions/review-pending-deployments-for-run',
  method: 'POST',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/pending_deployments',
  resources: [workflowRun],
  summary: 'Review pending deployments for a workflow run',
  access: reviews,
  body: NewDeploymentReview,
  example: { environment_ids: [1], state: 'approved', comment: 'The plan looks right' },
  refuses: [422],
  replies: { 200: Type.Array(Deployment) },
  async handle({ scope, db, change, at, action, body, links }) {
    const jobs = await change((scope) => reviewRun(scope, action, at.workflowRun.id, body));
    const rows = await loadDeployments(
      db,
      jobs.flatMap(({ deployment_id }) => deployment_id ?? []),
    );
    return presentDeployments(scope, repositoryUrlsOf(links, at.repo), [...rows.values()]);
  },
});

export const listRunApprovals = endpoint({
  id: 'actions/get-reviews-for-run',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/approvals',
  resources: [workflowRun],
  summary: 'Get the review history for a workflow run',
  access: readsActions,
  replies: { 200: Type.Array(EnvironmentApproval) },
  async handle({ scope, at, links }) {
    return presentApprovals(scope, repositoryUrlsOf(links, at.repo), at.workflowRun);
  },
});

export const reviewCustomRules = endpoint({
  id: 'actions/review-custom-gates-for-run',
  method: 'POST',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/deployment_protection_rule',
  resources: [workflowRun],
  summary: 'Review custom deployment protection rules for a workflow run',
  access: reviewsAsApp,
  body: NewCustomDeploymentReview,
  example: { environment_name: 'production', state: 'approved', comment: 'All metrics are in their ranges' },
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, at, action, body }) {
    await change((scope) => reviewAsApp(scope, action, at.workflowRun.id, body));
  },
});
