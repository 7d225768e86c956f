/**
 * Refusal statuses that are missing in the public description of their operations, with a reason for each. The list can only
 * shrink.
 */
export const undocumentedStatuses: readonly { status: number; operationIds: readonly string[]; reason: string }[] = [
  {
    status: 409,
    operationIds: [
      'actions/create-environment-variable',
      'actions/create-org-variable',
      'actions/create-repo-variable',
      'actions/update-environment-variable',
      'actions/update-org-variable',
      'actions/update-repo-variable',
    ],
    reason: 'the public API answers so where a name is taken, and its description lacks it',
  },
  {
    status: 409,
    operationIds: [
      'actions/add-repo-access-to-self-hosted-runner-group-in-org',
      'actions/remove-repo-access-to-self-hosted-runner-group-in-org',
      'actions/set-repo-access-to-self-hosted-runner-group-in-org',
      'actions/disable-selected-repository-github-actions-organization',
      'actions/enable-selected-repository-github-actions-organization',
      'actions/set-selected-repos-for-org-secret',
      'dependabot/set-selected-repos-for-org-secret',
      'actions/set-selected-repositories-enabled-github-actions-organization',
      'actions/set-selected-repositories-self-hosted-runners-organization',
      'orgs/disable-selected-repository-immutable-releases-organization',
      'orgs/enable-selected-repository-immutable-releases-organization',
      'orgs/set-immutable-releases-settings-repositories',
    ],
    reason: "the list means nothing while the setting isn't `selected`; the description has 409 in the same case of secrets",
  },
  {
    status: 409,
    operationIds: [
      'actions/get-allowed-actions-organization',
      'actions/get-allowed-actions-repository',
      'actions/set-allowed-actions-organization',
      'actions/set-allowed-actions-repository',
      'actions/set-github-actions-permissions-repository',
    ],
    reason:
      'the organization, or another setting, stands in the way; the description knows no refusal of these operations at all',
  },
  {
    status: 409,
    operationIds: [
      'checks/list-for-ref',
      'checks/list-suites-for-ref',
      'dependency-graph/diff-range',
      'pulls/create-review',
      'pulls/create-review-comment',
      'repos/compare-commits-with-basehead',
      'repos/create-commit-comment',
      'repos/create-release',
      'repos/get-combined-status-for-ref',
      'repos/list-comments-for-commit',
      'repos/list-commit-statuses-for-ref',
      'repos/list-contributors',
      'repos/rename-branch',
      'repos/update',
      'repos/update-release',
      'actions/create-workflow-dispatch',
      'pulls/update-branch',
    ],
    reason: 'an empty repository has no commits, or a ref moves at the same time; the description has 409 for both elsewhere',
  },
  {
    status: 410,
    operationIds: [
      'actions/download-job-logs-for-workflow-run',
      'actions/download-workflow-run-attempt-logs',
      'actions/download-workflow-run-logs',
    ],
    reason: 'the logs have expired, as the public API answers',
  },
];
