import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { branchPolicy, environment, protectionRule } from '#resources/actions/environments/path-resources.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';
import { gatekeeper } from './setting.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    environment,
    async ({ client }, base) => {
      const name = fresh('environment');
      const deployment_branch_policy = { protected_branches: false, custom_branch_policies: true };
      await client.put(`${base}/environments/${name}`, { deployment_branch_policy });
      return { environment_name: name };
    },
  ],
  [
    branchPolicy,
    async ({ client }, base) => {
      const { body } = await client.post(`${base}/deployment-branch-policies`, { name: fresh('release') });
      return { branch_policy_id: String(body.id) };
    },
  ],
  [
    protectionRule,
    async ({ client, world, org }, base) => {
      const { app } = await gatekeeper(world, org);
      const { body } = await client.post(`${base}/deployment_protection_rules`, { integration_id: app });
      return { protection_rule_id: String(body.id) };
    },
  ],
]);
