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
  const assistant = { type: 'copilot_code_review' as const, parameters: { review_on_push: true } };
  const { data: reviewed } = await rest.repos.updateRepoRuleset({ ...at, ruleset_id: made.id, rules: [assistant] });
  expect(reviewed.rules).toEqual([assistant]);
  await rest.repos.deleteRepoRuleset({ ...at, ruleset_id: made.id });
  await rest.repos.deleteOrgRuleset({ org: 'acme', ruleset_id: above.id });
  expect((await rest.repos.getOrgRulesets({ org: 'acme' })).data).toEqual([]);
});

test('an unmodified Octokit makes a ruleset of each kind, and is held to it', async () => {
  const [grace, linus] = [await w.user('grace'), await w.user('linus')];
  const umbrella = await w.org(grace, 'umbrella');
  await w.member(umbrella, linus);
  const engine = await w.repo(umbrella, { name: 'service-engine', by: grace });
  await w.collaborator(engine, linus, 'admin');
  const { rest } = await clientFor(grace);
  const rules = {
    branch: [{ type: 'deletion' as const }],
    tag: [{ type: 'update' as const }],
    push: [{ type: 'max_file_size' as const, parameters: { max_file_size: 1 } }],
    // The published types have the target, and none of its rules.
    repository: [
      { type: 'repository_create' },
      { type: 'repository_delete' },
      { type: 'repository_transfer' },
      { type: 'repository_name', parameters: { operator: 'starts_with', pattern: 'service-' } },
      { type: 'repository_visibility', parameters: { allowed_visibilities: ['public'] } },
    ] as never[],
  };
  const refs = { ref_name: { include: ['~ALL'], exclude: [] } };
  const targets = ['branch', 'tag', 'push', 'repository'] as const;
  for (const target of targets) {
    const { data: made } = await rest.repos.createOrgRuleset({
      org: 'umbrella',
      name: `About ${target}`,
      target,
      enforcement: 'active',
      bypass_actors: [{ actor_type: 'OrganizationAdmin', bypass_mode: 'always' }],
      conditions: {
        ...(target === 'branch' || target === 'tag' ? refs : {}),
        repository_name: { include: ['service-*', 'tool-*'], exclude: [], protected: target === 'repository' },
      },
      rules: rules[target],
    });
    expect([made.target, made.rules]).toEqual([target, rules[target]]);
    if (target === 'repository') continue;
    const { data: own } = await rest.repos.createRepoRuleset({
      owner: 'umbrella',
      repo: 'service-engine',
      name: `Own about ${target}`,
      target,
      enforcement: 'evaluate',
      ...(target === 'push' ? {} : { conditions: refs }),
      rules: rules[target],
    });
    expect([own.target, own.source_type]).toEqual([target, 'Repository']);
  }
  const at = { owner: 'umbrella', repo: 'service-engine' };
  const { data: seen } = await rest.repos.getRepoRulesets({ ...at, targets: 'repository' });
  expect(seen).toMatchObject([{ name: 'About repository', target: 'repository', source_type: 'Organization' }]);

  const { rest: member } = await clientFor(linus);
  const refusals = await Promise.allSettled([
    member.repos.createInOrg({ org: 'umbrella', name: 'tool-pump' }),
    member.repos.delete(at),
    member.repos.transfer({ ...at, new_owner: 'linus' }),
    member.repos.update({ ...at, name: 'engine' }),
    member.repos.update({ ...at, private: true }),
  ]);
  const reasons = refusals.map((one) => (one.status === 'rejected' ? one.reason : undefined));
  const broken = (message?: string) => message?.match(/\((\w+), ruleset "About repository"\)/g)?.length;
  expect(reasons.map((reason) => [reason?.status, broken(reason?.response.data.message)])).toEqual([
    [403, 2],
    [403, 1],
    [403, 1],
    [403, 2],
    [403, 1],
  ]);
  expect((await rest.repos.createInOrg({ org: 'umbrella', name: 'tool-pump' })).status).toBe(201);
  const { data: suites } = await rest.repos.getOrgRuleSuites({ org: 'umbrella', repository_name: 'tool-pump' });
  expect(suites.map(({ result, actor_name }) => [result, actor_name])).toEqual([
    ['bypass', 'grace'],
    ['fail', 'linus'],
  ]);
  const { data: suite } = await rest.repos.getOrgRuleSuite({ org: 'umbrella', rule_suite_id: suites[1]?.id ?? 0 });
  expect(suite.rule_evaluations?.map(({ rule_type, result }) => [rule_type, result])).toEqual([
    ['repository_create', 'fail'],
    ['repository_name', 'fail'],
    ['repository_visibility', 'pass'],
  ]);
});
