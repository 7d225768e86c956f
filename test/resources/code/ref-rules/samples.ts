import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { orgRuleSuite, repoRuleSuite } from '#resources/code/ref-rules/path-resources.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

/** A branch that is made where a rule is tried out says something about it. */
const suite: Sample = async ({ client, org, repo }, base) => {
  const at = `/repos/${org.login}/${repo.name}`;
  const { commit } = await addFile(client, at);
  await client.post(`${at}/rulesets`, {
    name: fresh('ruleset'),
    enforcement: 'evaluate',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
    rules: [{ type: 'creation' }],
  });
  await client.post(`${at}/git/refs`, { ref: `refs/heads/${fresh('branch')}`, sha: commit });
  const { body } = await client.get(`${base}/rulesets/rule-suites`);
  return { rule_suite_id: String(body[0].id) };
};

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [orgRuleSuite, suite],
  [repoRuleSuite, suite],
]);
