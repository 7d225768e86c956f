import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  beyond,
  organizationSettings,
  repositorySettings,
  type Said,
} from '#resources/repositories/actions-permissions/settings.ts';

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const flag = maybe(fc.boolean());
const number = maybe(fc.integer({ min: 1, max: 300 }));
const anySaid: fc.Arbitrary<Said> = fc.record(
  {
    allowed_actions: maybe(fc.constantFrom('all', 'local_only', 'selected')),
    sha_pinning_required: flag,
    default_workflow_permissions: maybe(fc.constantFrom('read', 'write')),
    can_approve_pull_request_reviews: flag,
    artifact_and_log_retention_days: number,
    approval_policy: maybe(
      fc.constantFrom('first_time_contributors_new_to_service', 'first_time_contributors', 'all_external_contributors'),
    ),
    run_workflows_from_fork_pull_requests: flag,
    send_write_tokens_to_workflows: flag,
    send_secrets_and_variables: flag,
    require_approval_for_fork_pr_workflows: flag,
    max_cache_retention_days: number,
    max_cache_size_gb: number,
  },
  { requiredKeys: [] },
);

test('what holds for a repository is never beyond its organization, and is what it said where that isn’t beyond it', () => {
  fc.assert(
    fc.property(anySaid, anySaid, (ofOrganization, ofRepository) => {
      const organization = organizationSettings(ofOrganization);
      const inForce = repositorySettings(organization, ofRepository);
      expect(beyond(organization, inForce)).toBeUndefined();
      if (beyond(organization, ofRepository) === undefined)
        for (const [name, said] of Object.entries(ofRepository))
          if (said !== null) expect(inForce).toMatchObject({ [name]: said });
    }),
  );
});

test('a repository that says nothing has what its organization has', () => {
  fc.assert(
    fc.property(anySaid, (said) => {
      const organization = organizationSettings(said);
      expect(repositorySettings(organization, {})).toEqual(organization);
    }),
  );
});

test('without an organization, a repository has what it says', () => {
  fc.assert(
    fc.property(anySaid, (said) => {
      expect(beyond(undefined, said)).toBeUndefined();
      expect(repositorySettings(undefined, said)).toEqual(organizationSettings(said));
    }),
  );
});
