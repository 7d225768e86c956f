import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { mergeSetting } from './merge-setting.ts';

const w = await world();

const stale = { required_approving_review_count: 1, dismiss_stale_reviews_on_push: true };
const twelve = Array.from({ length: 12 }, (_, at) => `${at}\n`).join('');

test('a push with other changes dismisses approvals, and wishes for changes stay', async () => {
  const setting = await mergeSetting(w);
  const { person, rule, bring, commit, client, base, ada } = setting;
  const [bob, carl, eve] = [await person('write'), await person('write'), await person('read')];
  await rule(stale);
  const { path, branch, number, review, states, state, merge } = await bring({ 'b.txt': 'b' });
  const approval = await review(bob, 'APPROVE');
  await review(eve, 'APPROVE');
  const wish = await review(carl, 'REQUEST_CHANGES');
  await client.put(`${path}/reviews/${wish}/dismissals`, { message: 'No.' });
  expect(await state()).toBe('clean');
  await review(carl, 'REQUEST_CHANGES');
  const head = await commit(branch, { 'b.txt': 'c' });
  await w.settle();
  expect(await states()).toEqual(['DISMISSED', 'DISMISSED', 'DISMISSED', 'CHANGES_REQUESTED']);
  expect(await state()).toBe('blocked');
  const { body: events } = await client.get(`${base}/issues/${number}/timeline?per_page=100`);
  const dismissals = events.filter(({ event }: { event: string }) => event === 'review_dismissed');
  expect(dismissals.slice(1)).toMatchObject([
    {
      actor: { login: ada.login },
      dismissed_review: { review_id: approval, state: 'approved', dismissal_message: null, dismissal_commit_id: head },
    },
    { dismissed_review: { state: 'approved' } },
  ]);
  expect(dismissals).toHaveLength(3);
  const kinds = w.db.selectFrom('events').select(['kind']).where('kind', '=', 'pull_request_review.dismissed');
  expect(await kinds.execute()).toHaveLength(3);
  await review(carl, 'APPROVE');
  expect(await state()).toBe('clean');
  expect(await merge()).toBeUndefined();
});

test('approvals stay where no rule in force wants them dismissed, or another branch is meant', async () => {
  const { person, rule, bring, commit, client, base } = await mergeSetting(w);
  const bob = await person('write');
  await rule({ required_approving_review_count: 1 });
  await rule(stale, { enforcement: 'evaluate' });
  await rule(stale, { conditions: { ref_name: { include: ['refs/heads/other'], exclude: [] } } });
  const { branch, review, states, state, merge } = await bring({ 'b.txt': 'b' });
  await review(bob, 'APPROVE');
  await commit(branch, { 'b.txt': 'c' });
  await w.settle();
  expect(await states()).toEqual(['APPROVED']);
  expect(await state()).toBe('clean');
  // From now on, approvals of other changes don't count; what was pushed before dismisses none.
  const id = await rule(stale);
  expect([await state(), await states()]).toEqual(['blocked', ['APPROVED']]);
  await client.delete(`${base}/rulesets/${id}`);
  expect(await merge()).toBeUndefined();
});

test('branch protection dismisses stale approvals, too', async () => {
  const { person, bring, commit, client, base } = await mergeSetting(w);
  const bob = await person('write');
  const reviews = { dismiss_stale_reviews: true, required_approving_review_count: 1 };
  const protection = {
    required_status_checks: null,
    enforce_admins: true,
    required_pull_request_reviews: reviews,
    restrictions: null,
  };
  expect((await client.put(`${base}/branches/main/protection`, protection)).status).toBe(200);
  const { branch, review, states, merge } = await bring({ 'b.txt': 'b' });
  await review(bob, 'APPROVE');
  await commit(branch, { 'b.txt': 'c' });
  await w.settle();
  expect(await states()).toEqual(['DISMISSED']);
  expect(await merge()).toMatch(/At least 1 approving review is required/);
});

test('merging the base and rebasing leave approvals in force, as long as the changes are the same', async () => {
  const { person, rule, bring, advance, moveTo, tip, keeper, ada, client, base } = await mergeSetting(w);
  const bob = await person('write');
  await advance({ 'a.txt': twelve });
  await rule({ ...stale, require_last_push_approval: true });
  const { path, branch, review, states, state, merge, number } = await bring({ 'b.txt': 'b' });
  await review(bob, 'APPROVE');
  // The base changes, and is merged by the reviewer, which doesn't make the changes theirs.
  const next = await advance({ 'a.txt': twelve.replace('0\n', 'zero\n') });
  expect((await bob.api.put(`${path}/update-branch`, {})).status).toBe(202);
  await w.settle();
  expect([await states(), await state()]).toEqual([['APPROVED'], 'clean']);
  const pushed = w.db.selectFrom('pull_requests as p').innerJoin('issues as i', 'i.id', 'p.issue_id');
  const { head_pushed_by } = await pushed
    .select('head_pushed_by')
    .where('i.repository_id', '=', (await client.get(base)).body.id)
    .where('i.number', '=', number)
    .executeTakeFirstOrThrow();
  expect(head_pushed_by).toBe(ada.id);
  // A rebase, and then another message.
  await moveTo(ada, branch, { files: { 'b.txt': 'b' }, parents: [next], message: 'Rebased' });
  await moveTo(ada, branch, { files: { 'b.txt': 'b' }, parents: [next], message: 'Told otherwise' });
  expect([await states(), await state()]).toEqual([['APPROVED'], 'clean']);
  // A merge of the base that brings something else along.
  const last = await advance({ 'a.txt': twelve.replace('0\n', 'nought\n') });
  const head = await tip(branch);
  const files = { 'a.txt': twelve.replace('0\n', 'nought\n'), 'b.txt': 'b' };
  await moveTo(ada, branch, { files: { ...files, 'evil.txt': 'x' }, parents: [head, last], message: 'Merge main' });
  expect([await states(), await state()]).toEqual([['DISMISSED'], 'blocked']);
  expect(await merge()).toMatch(/At least 1 approving review is required/);
  expect(await merge(keeper.api)).toBeUndefined();
});

test('a head that brings back what its base has lost is not the one that was approved', async () => {
  const { person, rule, bring, advance, moveTo, first, ada } = await mergeSetting(w);
  const bob = await person('write');
  const withGate = await advance({ 'gate.txt': 'open' });
  await rule(stale);
  const { branch, review, states } = await bring({ 'b.txt': 'b' });
  await moveTo(ada, branch, { files: { 'b.txt': 'b' }, parents: [withGate], message: 'On top' });
  await review(bob, 'APPROVE');
  await advance({ 'gate.txt': 'shut' });
  // The same files from further down: a merge would open the gate again.
  await moveTo(ada, branch, { files: { 'b.txt': 'b', 'gate.txt': 'open' }, parents: [first], message: 'From below' });
  expect(await states()).toEqual(['DISMISSED']);
});

test('where dismissing is restricted, administrators and those who are named dismiss, others who may write do not', async () => {
  const setting = await mergeSetting(w, { ownedBy: 'organization' });
  const { person, rule, bring, client, base, owner, keeper } = setting;
  const [bob, carl, dora, admin] = [await person('write'), await person('write'), await person('write'), await person('admin')];
  await w.member(owner, dora.account);
  const { body: team } = await client.post(`/orgs/${owner.login}/teams`, { name: 'Reviewers' });
  await client.put(`/orgs/${owner.login}/teams/${team.slug}/memberships/${dora.account.login}`, {});
  const allowed_actors = [
    { type: 'User', id: carl.account.id },
    { type: 'Team', id: team.id },
  ];
  const id = await rule({ dismissal_restriction: { enabled: true, allowed_actors } });
  const { path, review } = await bring({ 'b.txt': 'b' });
  const dismiss = async ({ api }: { api: typeof client }) => {
    const approval = await review(bob, 'APPROVE');
    const { status } = await api.put(`${path}/reviews/${approval}/dismissals`, { message: 'No.' });
    expect((await client.get(`${path}/reviews/${approval}`)).body.state).toBe(status === 200 ? 'DISMISSED' : 'APPROVED');
    return status;
  };
  expect(await dismiss(bob)).toBe(403);
  for (const allowed of [carl, dora, admin, { api: client }, keeper]) expect(await dismiss(allowed)).toBe(200);
  await client.put(`${base}/rulesets/${id}`, {
    rules: [
      {
        type: 'pull_request',
        parameters: {
          dismiss_stale_reviews_on_push: false,
          require_code_owner_review: false,
          require_last_push_approval: false,
          required_approving_review_count: 0,
          required_review_thread_resolution: false,
          dismissal_restriction: { enabled: true, allowed_actors: [{ type: 'RepositoryRole', id: 4 }] },
        },
      },
    ],
  });
  expect(await dismiss(bob)).toBe(200);
  const protection = {
    required_status_checks: null,
    enforce_admins: true,
    restrictions: null,
    required_pull_request_reviews: { dismissal_restrictions: { users: [carl.account.login], teams: [], apps: [] } },
  };
  expect((await client.put(`${base}/branches/main/protection`, protection)).status).toBe(200);
  expect(await dismiss(bob)).toBe(403);
  expect(await dismiss(carl)).toBe(200);
  expect(await dismiss({ api: client })).toBe(200);
});
