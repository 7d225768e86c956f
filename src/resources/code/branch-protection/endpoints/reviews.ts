// A protection's requirements for reviews of pull requests.
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { protection } from '../path-resources.ts';
import { administers, readsProtection } from '../policies.ts';
import { presentReviews } from '../present.ts';
import { changeReviews, getReviews, removeReviews } from '../rules.ts';
import { RequiredReviews, ReviewsChange } from '../schemas.ts';

const part = {
  path: '/repos/{owner}/{repo}/branches/{branch}/protection/required_pull_request_reviews',
  resources: [protection],
} as const;

export const getPullRequestReviewProtection = endpoint({
  ...part,
  id: 'repos/get-pull-request-review-protection',
  method: 'GET',
  summary: 'Get pull request review protection',
  access: readsProtection,
  replies: { 200: RequiredReviews },
  async handle({ scope, at }) {
    return presentReviews(scope, at.repo, at.protection, getReviews(at.protection));
  },
});

export const updatePullRequestReviewProtection = endpoint({
  ...part,
  id: 'repos/update-pull-request-review-protection',
  method: 'PATCH',
  summary: 'Update pull request review protection',
  access: administers,
  body: ReviewsChange,
  example: { dismiss_stale_reviews: true, required_approving_review_count: 2 },
  replies: { 200: RequiredReviews },
  async handle({ scope, change, at, body, action }) {
    const row = await change((scope, { protection }) => changeReviews(scope, action, protection, body));
    return presentReviews(scope, at.repo, row, getReviews(row));
  },
});

export const deletePullRequestReviewProtection = endpoint({
  ...part,
  id: 'repos/delete-pull-request-review-protection',
  method: 'DELETE',
  summary: 'Delete pull request review protection',
  access: administers,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { protection }) => removeReviews(scope, action, protection));
  },
});
