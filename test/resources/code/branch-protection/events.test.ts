import { expect, test } from 'vitest';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { heard, listening, parts } from '#test/resources/platform/webhooks/listening.ts';
import { everything, nothing } from './bodies.ts';

test('hooks hear of protections that are made, changed and deleted', async () => {
  const { here, owner, org, client, target } = await listening();
  const repo = await here.repo(org, { by: owner });
  const path = `/repos/${org.login}/${repo.name}`;
  await addFile(client, path);
  const base = `${path}/branches/main/protection`;
  await heard(here, target);

  await client.put(base, everything);
  const { 'branch_protection_rule.created': created } = await heard(here, target);
  expect(created).toMatchObject({
    ...parts(org, owner),
    repository: { id: repo.id },
    rule: {
      repository_id: repo.id,
      name: 'main',
      admin_enforced: true,
      required_status_checks: ['build'],
      required_status_checks_enforcement_level: 'everyone',
      strict_required_status_checks_policy: true,
      pull_request_reviews_enforcement_level: 'everyone',
      required_approving_review_count: 1,
      authorized_actors_only: true,
      authorized_actor_names: [],
      signature_requirement_enforcement_level: 'off',
      allow_deletions_enforcement_level: 'off',
    },
  });

  await client.put(base, everything);
  expect(await heard(here, target)).toEqual({});

  await client.post(`${base}/restrictions/users`, [owner.login]);
  const { 'branch_protection_rule.edited': edited } = await heard(here, target);
  expect(edited).toMatchObject({
    rule: { id: created.rule.id, authorized_actor_names: [owner.login] },
    changes: { authorized_actor_names: { from: [] } },
  });

  await client.put(base, { ...nothing, lock_branch: true, allow_deletions: true });
  const { 'branch_protection_rule.edited': whole } = await heard(here, target);
  expect(whole.rule).toMatchObject({
    lock_branch_enforcement_level: 'non_admins',
    allow_deletions_enforcement_level: 'everyone',
    required_status_checks_enforcement_level: 'off',
  });
  expect(whole.changes).toMatchObject({
    admin_enforced: { from: true },
    authorized_actors_only: { from: true },
    authorized_actor_names: { from: [owner.login] },
    lock_branch_enforcement_level: { from: 'off' },
    required_status_checks: { from: ['build'] },
  });

  await client.delete(base);
  const { 'branch_protection_rule.deleted': deleted } = await heard(here, target);
  expect(deleted.rule).toMatchObject({ id: created.rule.id, name: 'main', lock_branch_enforcement_level: 'non_admins' });
});

test('the payload of a status says which branches are protected', async () => {
  const { here, owner, org, client, target } = await listening();
  const repo = await here.repo(org, { by: owner });
  const path = `/repos/${org.login}/${repo.name}`;
  const { commit } = await addFile(client, path);
  await client.post(`${path}/git/refs`, { ref: 'refs/heads/other', sha: commit });
  await client.put(`${path}/branches/main/protection`, nothing);
  await heard(here, target);
  await client.post(`${path}/statuses/${commit}`, { state: 'success' });
  const { status } = await heard(here, target);
  expect(status.branches).toMatchObject([
    { name: 'main', protected: true },
    { name: 'other', protected: false },
  ]);
  expect((await client.get(`${path}/commits/${commit}/branches-where-head`)).body).toMatchObject(
    status.branches.map(({ name, protected: isProtected }: { name: string; protected: boolean }) => ({
      name,
      protected: isProtected,
    })),
  );
});
