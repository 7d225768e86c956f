import type { AnyPathResource } from '#endpoint/path-resource.ts';
import {
  organizationRuleset,
  organizationVersion,
  repositoryRuleset,
  repositoryVersion,
  rulesetAt,
} from '#resources/code/rulesets/path-resources.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

const ruleset: Sample = async ({ client }, base) => {
  const conditions = base.startsWith('/orgs/') ? { repository_name: { include: ['~ALL'] } } : {};
  const wanted = { name: fresh('ruleset'), enforcement: 'disabled', conditions };
  const { body } = await client.post(`${base}/rulesets`, wanted);
  return { ruleset_id: String(body.id) };
};

const version: Sample = async ({ client }, base) => {
  const { body } = await client.get(`${base}/history`);
  return { version_id: String(body[0].version_id) };
};

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [repositoryRuleset, ruleset],
  [rulesetAt, ruleset],
  [organizationRuleset, ruleset],
  [repositoryVersion, version],
  [organizationVersion, version],
]);
