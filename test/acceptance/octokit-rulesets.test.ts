import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

const clientFor = async (who: Account) =>
  new Octokit({
    auth: await w.token(who),
    baseUrl: `${w.url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
  });

test('an unmodified Octokit makes, reads, changes and deletes rulesets', async () => {
  const ada = await w.user('ada');
  const acme = await w.org(ada, 'acme');
  await w.repo(acme, { name: 'engine', by: ada });
  const { rest, paginate } = await clientFor(ada);
  const at = { owner: 'acme', repo: 'engine' };
  const { data: made } = await rest.repos.createRepoRuleset({
    ...at,
    name: 'Main',
    enforcement: 'active',
    bypass_actors: [{ actor_type: 'RepositoryRole', actor_id: 5, bypass_mode: 'pull_request' }],
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [
      { type: 'non_fast_forward' },
      {
        type: 'pull_request',
        parameters: {
          allowed_merge_methods: ['squash'],
          dismiss_stale_reviews_on_push: true,
          require_code_owner_review: false,
          require_last_push_approval: false,
          required_approving_review_count: 1,
          required_review_thread_resolution: true,
        },
      },
    ],
  });
  expect([made.source_type, made.current_user_can_bypass, made.rules?.length]).toEqual(['Repository', 'pull_requests_only', 2]);
  const { data: above } = await rest.repos.createOrgRuleset({
    org: 'acme',
    name: 'Tags',
    target: 'tag',
    enforcement: 'evaluate',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] }, repository_name: { include: ['eng*'], exclude: [] } },
    rules: [{ type: 'deletion' }],
  });
  expect((await paginate(rest.repos.getRepoRulesets, at)).map(({ name }) => name)).toEqual(['Main', 'Tags']);
  const { data: own } = await rest.repos.getRepoRulesets({ ...at, includes_parents: false, targets: 'branch' });
  expect(own.map(({ id }) => id)).toEqual([made.id]);
  expect((await rest.repos.getRepoRuleset({ ...at, ruleset_id: above.id })).data).toMatchObject({ name: 'Tags', source: 'acme' });
  await rest.repos.updateRepoRuleset({ ...at, ruleset_id: made.id, enforcement: 'disabled' });
  await rest.repos.updateOrgRuleset({ org: 'acme', ruleset_id: above.id, rules: [] });
  expect((await rest.repos.getOrgRuleset({ org: 'acme', ruleset_id: above.id })).data.rules).toEqual([]);
  const { data: versions } = await rest.repos.getRepoRulesetHistory({ ...at, ruleset_id: made.id });
  const [latest, first] = versions;
  expect(versions.map(({ actor }) => actor.id)).toEqual([ada.id, ada.id]);
  const { data: version } = await rest.repos.getRepoRulesetVersion({
    ...at,
    ruleset_id: made.id,
    version_id: first?.version_id ?? 0,
  });
  expect(version.state).toMatchObject({ name: 'Main', enforcement: 'active', rules: made.rules });
  const { data: ofOrg } = await rest.orgs.getOrgRulesetHistory({ org: 'acme', ruleset_id: above.id });
  expect([latest?.version_id === first?.version_id, ofOrg.length]).toEqual([false, 2]);
  const assistant = { type: 'copilot_code_review' as const };
  await expect(rest.repos.updateRepoRuleset({ ...at, ruleset_id: made.id, rules: [assistant] })).rejects.toMatchObject({
    status: 422,
  });
  await rest.repos.deleteRepoRuleset({ ...at, ruleset_id: made.id });
  await rest.repos.deleteOrgRuleset({ org: 'acme', ruleset_id: above.id });
  expect((await rest.repos.getOrgRulesets({ org: 'acme' })).data).toEqual([]);
});
