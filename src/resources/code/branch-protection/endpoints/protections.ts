// The protection of a branch as a whole.
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { branch } from '#resources/code/branch-names/index.ts';
import { protection } from '../path-resources.ts';
import { administers, readsProtection } from '../policies.ts';
import { presentProtection } from '../present.ts';
import { deleteProtection, putProtection } from '../rules.ts';
import { NewProtection, Protection } from '../schemas.ts';

export const getBranchProtection = endpoint({
  id: 'repos/get-branch-protection',
  method: 'GET',
  path: '/repos/{owner}/{repo}/branches/{branch}/protection',
  resources: [protection],
  summary: 'Get branch protection',
  access: readsProtection,
  replies: { 200: Protection },
  async handle({ scope, at }) {
    return presentProtection(scope, at.repo, at.protection);
  },
});

export const updateBranchProtection = endpoint({
  id: 'repos/update-branch-protection',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/branches/{branch}/protection',
  resources: [branch],
  summary: 'Update branch protection',
  access: administers,
  body: NewProtection,
  example: {
    required_status_checks: { strict: true, checks: [{ context: 'build' }] },
    enforce_admins: true,
    required_pull_request_reviews: { required_approving_review_count: 2 },
    restrictions: null,
  },
  replies: { 200: Protection },
  async handle({ scope, change, at, body, action }) {
    const row = await change((scope) => putProtection(scope, action, at.branch.short, body));
    return presentProtection(scope, at.repo, row);
  },
});

export const deleteBranchProtection = endpoint({
  id: 'repos/delete-branch-protection',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/branches/{branch}/protection',
  resources: [protection],
  summary: 'Delete branch protection',
  access: administers,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, at) => deleteProtection(scope, action, at.protection));
  },
});
