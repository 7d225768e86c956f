import { expect, test } from 'vitest';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';
import { download, exported, importInto, repacked, unpack } from './support.ts';

const w = await world();

const reviews = {
  required_approving_review_count: 2,
  dismiss_stale_reviews: true,
  require_code_owner_reviews: true,
  require_last_push_approval: false,
};
const rule = {
  type: 'required_status_checks',
  parameters: { strict_required_status_checks_policy: true, required_status_checks: [{ context: 'build' }] },
};

/** A rule that no archive has, since it names another repository by its id. */
const requiring = (repository_id: number) => ({
  type: 'workflows',
  parameters: { workflows: [{ repository_id, path: '.github/workflows/ci.yml' }] },
});

/** A repository of an organization with a protected branch, rulesets and settings, and its archive. */
async function setting() {
  const at = await pullSetting(w, { ownedBy: 'organization' });
  const { client, base, owner, ada, repo } = at;
  const bob = await w.user();
  await w.member(owner, bob);
  await w.collaborator(repo, bob, 'write');
  const ok = async (reply: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await reply;
    expect(status, JSON.stringify(body)).toBeLessThan(300);
  };
  await ok(
    client.put(`${base}/branches/main/protection`, {
      required_status_checks: { strict: true, contexts: ['build'] },
      required_pull_request_reviews: { ...reviews, dismissal_restrictions: { users: [bob.login] } },
      restrictions: { users: [bob.login], teams: [] },
      enforce_admins: true,
      required_linear_history: true,
    }),
  );
  await ok(client.post(`${base}/branches/main/protection/required_signatures`));
  await ok(
    client.post(`${base}/rulesets`, {
      name: 'Checks',
      target: 'branch',
      enforcement: 'active',
      conditions: { ref_name: { include: ['~ALL'], exclude: ['refs/heads/tmp/*'] } },
      rules: [rule, { type: 'non_fast_forward' }, requiring(repo.id)],
      bypass_actors: [
        { actor_type: 'User', actor_id: bob.id, bypass_mode: 'always' },
        { actor_type: 'RepositoryRole', actor_id: 5, bypass_mode: 'pull_request' },
        { actor_type: 'OrganizationAdmin', actor_id: 1, bypass_mode: 'always' },
      ],
    }),
  );
  await ok(
    client.post(`${base}/rulesets`, { name: 'Tags', target: 'tag', enforcement: 'disabled', rules: [{ type: 'deletion' }] }),
  );
  await ok(client.patch(base, { pull_request_creation_policy: 'collaborators_only', web_commit_signoff_required: true }));
  const migrations = `/orgs/${owner.login}/migrations`;
  const id = await exported(w, ada, { repositories: [`${owner.login}/${repo.name}`] }, migrations);
  return { ...at, bob, archive: await download(w, ada, id, migrations) };
}

test('protected branches, rulesets and settings of a repository move with it', async () => {
  const { ada, bob, client, repo, archive } = await setting();
  const target = await w.org(ada);
  await w.member(target, bob);
  await importInto(w, archive, { into: target.login });
  const base = `/repos/${target.login}/${repo.name}`;
  const { body: protection } = await client.get(`${base}/branches/main/protection`);
  expect(protection).toMatchObject({
    required_status_checks: { strict: true, contexts: ['build'] },
    required_pull_request_reviews: { ...reviews, dismissal_restrictions: { users: [{ login: bob.login }] } },
    restrictions: { users: [{ login: bob.login }] },
    enforce_admins: { enabled: true },
    required_linear_history: { enabled: true },
    required_signatures: { enabled: true },
  });
  const { body: rulesets } = await client.get(`${base}/rulesets`);
  expect(rulesets.map(({ name, enforcement }: { name: string; enforcement: string }) => [name, enforcement])).toEqual([
    ['Checks', 'active'],
    ['Tags', 'disabled'],
  ]);
  expect((await client.get(`${base}/rulesets/${rulesets[0].id}`)).body).toMatchObject({
    target: 'branch',
    conditions: { ref_name: { include: ['~ALL'], exclude: ['refs/heads/tmp/*'] } },
    rules: [rule, { type: 'non_fast_forward' }],
    bypass_actors: [
      { actor_type: 'User', actor_id: bob.id, bypass_mode: 'always' },
      { actor_type: 'RepositoryRole', actor_id: 5, bypass_mode: 'pull_request' },
      { actor_type: 'OrganizationAdmin', actor_id: 1, bypass_mode: 'always' },
    ],
  });
  expect((await client.get(base)).body).toMatchObject({
    pull_request_creation_policy: 'collaborators_only',
    web_commit_signoff_required: true,
  });
});

test('a rule that requires workflows is not taken from an archive', async () => {
  const { ada, client, repo, archive } = await setting();
  const unpacked = await unpack(archive);
  const rulesets = await unpacked.objects('rulesets');
  const [first, ...others] = rulesets;
  expect(first.rules).toEqual([rule, { type: 'non_fast_forward' }]);
  const changed = [{ ...first, rules: [requiring(repo.id), ...first.rules] }, ...others];
  const target = await w.org(ada);
  await importInto(w, await repacked(unpacked, { 'rulesets_000001.json': changed }), { into: target.login });
  const base = `/repos/${target.login}/${repo.name}/rulesets`;
  const { body } = await client.get(base);
  expect((await client.get(`${base}/${body[0].id}`)).body.rules).toEqual([rule, { type: 'non_fast_forward' }]);
});

test('an archive without rulesets, as of an older server, is imported; one that names a branch twice is refused', async () => {
  const { ada, client, repo, archive } = await setting();
  const unpacked = await unpack(archive);
  const [branch] = await unpacked.objects('protected_branches');
  const twice = await repacked(unpacked, { 'protected_branches_000001.json': [branch, { ...branch, url: `${branch.url}/2` }] });
  const target = await w.org(ada);
  await w.unchanged(['repositories', 'branch_protections', 'rulesets'], async () => {
    await expect(importInto(w, twice, { into: target.login })).rejects.toThrow('has the name of another one');
  });
  const older = await repacked({ ...unpacked, names: unpacked.names.filter((name) => !name.startsWith('rulesets_')) });
  await importInto(w, older, { into: target.login });
  expect((await client.get(`/repos/${target.login}/${repo.name}/rulesets`)).body).toEqual([]);
});
