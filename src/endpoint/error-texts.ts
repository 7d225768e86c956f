import type { Endpoint } from './endpoint.ts';

/** The operations for which the public API describes the `errors` of a 422 as texts. In all others they are objects. */
const operations: ReadonlySet<string> = new Set([
  'actions/add-custom-labels-to-self-hosted-runner-for-org',
  'actions/add-custom-labels-to-self-hosted-runner-for-repo',
  'actions/delete-self-hosted-runner-from-org',
  'actions/delete-self-hosted-runner-from-repo',
  'actions/generate-runner-jitconfig-for-org',
  'actions/generate-runner-jitconfig-for-repo',
  'actions/remove-custom-label-from-self-hosted-runner-for-org',
  'actions/remove-custom-label-from-self-hosted-runner-for-repo',
  'actions/set-custom-labels-for-self-hosted-runner-for-org',
  'actions/set-custom-labels-for-self-hosted-runner-for-repo',
  'actions/set-custom-oidc-sub-claim-for-repo',
  'apps/create-from-manifest',
  'dependabot/list-alerts-for-org',
  'dependabot/list-alerts-for-repo',
  'dependabot/update-alert',
  'issues/reprioritize-sub-issue',
  'orgs/create-issue-field',
  'orgs/delete-issue-field',
  'orgs/update-issue-field',
  'pulls/create-review',
  'pulls/delete-pending-review',
  'pulls/dismiss-review',
  'pulls/submit-review',
  'pulls/update-review',
  'repos/delete-deployment',
  'repos/replace-all-topics',
  'repos/update-branch-protection',
  'security-advisories/list-global-advisories',
]);

export const hasErrorTexts = ({ id }: Pick<Endpoint, 'id'>): boolean => operations.has(id);
