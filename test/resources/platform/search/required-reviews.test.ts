// `review:required`: the open pull requests that rules keep from being merged for want of reviews, as rules, reviews and people
// change.

import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { mustMoveRefs } from '#resources/code/pushes/index.ts';
import { evaluateMissing } from '#resources/collaboration/reviews/lacking-reviews-jobs.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { mergeSetting, reviewed } from '#test/resources/collaboration/reviews/merge-setting.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();

type Place = { client: Awaited<ReturnType<typeof w.as>>; owner: Account; repo: { name: string } };

/** What a query finds in a repository, once the background work is done: the numbers, in their order. */
async function found({ client, owner }: Place, q: string, name: string): Promise<number[]> {
  await w.settle();
  const { status, body } = await client.get(
    `/search/issues?per_page=100&q=${encodeURIComponent(`${q} repo:${owner.login}/${name}`)}`,
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body.items.map(({ number }: { number: number }) => number).toSorted((a: number, b: number) => a - b);
}

async function setting(...args: Parameters<typeof mergeSetting> extends [unknown, ...infer Rest] ? Rest : never) {
  const place = await mergeSetting(w, ...args);
  return { ...place, found: (q: string) => found(place, q, place.repo.name) };
}

const required = 'review:required';

test('a ruleset requires reviews for as long as it is in force', async () => {
  const { client, base, rule, bring, found } = await setting();
  const { number } = await bring({ 'a.txt': 'a\n' });
  expect(await found(required)).toEqual([]);
  const id = await rule({ required_approving_review_count: 1 });
  expect(await found(required)).toEqual([number]);
  expect(await found(`-${required} is:pr`)).toEqual([]);
  const later = await bring({ 'b.txt': 'b\n' });
  expect(await found(required)).toEqual([number, later.number]);
  for (const enforcement of ['disabled', 'active', 'evaluate', 'active'] as const) {
    expect((await client.put(`${base}/rulesets/${id}`, { enforcement })).status).toBe(200);
    expect(await found(required), enforcement).toEqual(enforcement === 'active' ? [number, later.number] : []);
  }
  expect((await client.delete(`${base}/rulesets/${id}`)).status).toBe(204);
  expect(await found(required)).toEqual([]);
});

test('a rule that wants no review requires none', async () => {
  const { rule, bring, found } = await setting();
  await bring({ 'a.txt': 'a\n' });
  await rule({});
  expect(await found(required)).toEqual([]);
});

test('reviews: approved, dismissed, by a reader, and changes that are wanted', async () => {
  const { client, person, rule, bring, found } = await setting();
  await rule({ required_approving_review_count: 1 });
  const [writer, other, reader] = [await person('write'), await person('write'), await person('read')];
  const pull = await bring({ 'a.txt': 'a\n' });
  const states = async () => {
    const totals: number[] = [];
    for (const state of ['required', 'approved', 'changes_requested', 'none'])
      totals.push((await found(`review:${state}`)).length);
    return totals;
  };
  expect(await states()).toEqual([1, 0, 0, 1]);
  await pull.review(reader, 'APPROVE');
  expect(await states()).toEqual([1, 1, 0, 0]);
  const approval = await pull.review(writer, 'APPROVE');
  expect(await states()).toEqual([0, 1, 0, 0]);
  await pull.review(other, 'REQUEST_CHANGES');
  expect(await states()).toEqual([0, 0, 1, 0]);
  const last = await pull.review(other, 'APPROVE');
  expect(await states()).toEqual([0, 1, 0, 0]);
  const dismiss = async (id: number) =>
    expect((await client.put(`${pull.path}/reviews/${id}/dismissals`, { message: 'Not so fast' })).status).toBe(200);
  await dismiss(approval);
  expect(await states()).toEqual([0, 1, 0, 0]);
  await dismiss(last);
  expect(await states()).toEqual([1, 1, 0, 0]);
});

test('approvals that a push made stale', async () => {
  const { commit, person, rule, bring, found } = await setting();
  await rule({ required_approving_review_count: 1, dismiss_stale_reviews_on_push: true });
  const writer = await person('write');
  const pull = await bring({ 'a.txt': 'a\n' });
  await pull.review(writer, 'APPROVE');
  expect(await found(required)).toEqual([]);
  await commit(pull.branch, { 'a.txt': 'another\n' });
  expect(await found(required)).toEqual([pull.number]);
});

test('another base, closed and opened again, and merged', async () => {
  const { client, base, commit, person, rule, bring, found } = await setting();
  await commit('next', { 'n.txt': 'n\n' });
  await rule({ required_approving_review_count: 1 });
  const { path, number, merge, review } = await bring({ 'a.txt': 'a\n' });
  for (const [change, expected] of [
    [{ base: 'next' }, []],
    [{ base: 'main' }, [number]],
    [{ state: 'closed' }, []],
    [{ state: 'open' }, [number]],
  ] as const) {
    expect((await client.patch(path, change)).status).toBe(200);
    expect(await found(required), JSON.stringify(change)).toEqual(expected);
  }
  await review(await person('write'), 'APPROVE');
  expect(await merge()).toBeUndefined();
  expect(await found(required)).toEqual([]);
  // The base of another gets a name that no pattern of the ruleset matches.
  const other = await bring({ 'b.txt': 'b\n' });
  expect(await found(required)).toEqual([other.number]);
  expect((await client.post(`${base}/branches/main/rename`, { new_name: 'trunk' })).status).toBe(201);
  expect(await found(required)).toEqual([]);
});

test('a base that is not the default branch gets another name', async () => {
  const { client, base, commit, rule, bring, found } = await setting();
  await commit('next', { 'n.txt': 'n\n' });
  const more = {
    conditions: { ref_name: { include: ['refs/heads/v*'], exclude: [] } },
    bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'always' }],
  };
  await rule({ required_approving_review_count: 1 }, more);
  const { number, path } = await bring({ 'a.txt': 'a\n' });
  await client.patch(path, { base: 'next' });
  expect(await found(required)).toEqual([]);
  expect((await client.post(`${base}/branches/next/rename`, { new_name: 'v2' })).status).toBe(201);
  expect(await found(required)).toEqual([number]);
  expect((await client.get(path)).body.base.ref).toBe('v2');
});

test('a rule for the default branch follows it', async () => {
  const { client, base, commit, rule, bring, found } = await setting();
  await commit('next', { 'n.txt': 'n\n' });
  await rule({ required_approving_review_count: 1 }, { conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } } });
  const { number } = await bring({ 'a.txt': 'a\n' });
  expect(await found(required)).toEqual([number]);
  await client.patch(base, { default_branch: 'next' });
  expect(await found(required)).toEqual([]);
  await client.patch(base, { default_branch: 'main' });
  expect(await found(required)).toEqual([number]);
});

test('branch protection, which goes with its branch to another name', async () => {
  const { client, base, bring, found } = await setting();
  const { number } = await bring({ 'a.txt': 'a\n' });
  const path = (branch: string) => `${base}/branches/${branch}/protection`;
  const wanted = {
    required_pull_request_reviews: { required_approving_review_count: 1 },
    required_status_checks: null,
    enforce_admins: null,
    restrictions: null,
  };
  expect((await client.put(path('main'), wanted)).status).toBe(200);
  expect(await found(required)).toEqual([number]);
  await client.post(`${base}/branches/main/rename`, { new_name: 'trunk' });
  expect(await found(required)).toEqual([number]);
  expect((await client.delete(`${path('trunk')}/required_pull_request_reviews`)).status).toBe(204);
  expect(await found(required)).toEqual([]);
  expect((await client.put(path('trunk'), wanted)).status).toBe(200);
  expect(await found(required)).toEqual([number]);
  expect((await client.delete(path('trunk'))).status).toBe(204);
  expect(await found(required)).toEqual([]);
});

test('owners of code: an approval by somebody else is not enough, and a push to the base may change who they are', async () => {
  const { advance, person, rule, bring, found } = await setting();
  const [owner, other] = [await person('write'), await person('write')];
  await advance({ CODEOWNERS: `*.c @${owner.account.login}\n` });
  await rule({ required_approving_review_count: 1, require_code_owner_review: true });
  const pull = await bring({ 'a.c': 'a\n' });
  await pull.review(other, 'APPROVE');
  expect(await found(required)).toEqual([pull.number]);
  await advance({ CODEOWNERS: `*.h @${owner.account.login}\n` });
  expect(await found(required)).toEqual([]);
  await advance({ CODEOWNERS: `*.c @${owner.account.login}\n` });
  expect(await found(required)).toEqual([pull.number]);
  await pull.review(owner, 'APPROVE');
  expect(await found(required)).toEqual([]);
});

test('reviews count for as long as their authors may write', async () => {
  const { client, base, owner, person, rule, bring, found, repo } = await setting({ ownedBy: 'organization' });
  await rule({ required_approving_review_count: 1 });
  const writer = await person('write');
  const pull = await bring({ 'a.txt': 'a\n' });
  await pull.review(writer, 'APPROVE');
  expect(await found(required)).toEqual([]);
  const role = (permission: string) => client.put(`${base}/collaborators/${writer.account.login}`, { permission });
  expect((await role('pull')).status).toBe(204);
  expect(await found(required)).toEqual([pull.number]);
  // The same person writes as a member of a team.
  const { body: team } = await client.post(`/orgs/${owner.login}/teams`, { name: fresh('Crew'), privacy: 'closed' });
  const ofTeam = `/orgs/${owner.login}/teams/${team.slug}`;
  await client.put(`${ofTeam}/repos/${owner.login}/${repo.name}`, { permission: 'push' });
  await w.member(owner, writer.account);
  expect(await found(required)).toEqual([pull.number]);
  expect((await client.put(`${ofTeam}/memberships/${writer.account.login}`, {})).status).toBe(200);
  expect(await found(required)).toEqual([]);
  await client.delete(`${ofTeam}/memberships/${writer.account.login}`);
  expect(await found(required)).toEqual([pull.number]);
  await client.put(`${ofTeam}/memberships/${writer.account.login}`, {});
  expect(await found(required)).toEqual([]);
  await client.delete(ofTeam);
  expect(await found(required)).toEqual([pull.number]);
  await client.patch(`/orgs/${owner.login}`, { default_repository_permission: 'write' });
  expect(await found(required)).toEqual([]);
});

test('a ruleset of an organization, by the names and the properties of its repositories', async () => {
  const here = await setting({ ownedBy: 'organization' });
  const { client, owner, repo, base } = here;
  const { number } = await here.bring({ 'a.txt': 'a\n' });
  const ref_name = { include: ['refs/heads/main'], exclude: [] };
  const { body, status } = await client.post(`/orgs/${owner.login}/rulesets`, {
    name: 'Reviewed',
    enforcement: 'active',
    conditions: { ref_name, repository_name: { include: [`${repo.name.slice(0, -1)}*`], exclude: [] } },
    rules: [{ type: 'pull_request', parameters: { ...reviewed, required_approving_review_count: 1 } }],
  });
  expect(status, JSON.stringify(body)).toBe(201);
  expect(await here.found(required)).toEqual([number]);
  await client.patch(base, { name: `other-${repo.name}` });
  expect(await found(here, required, `other-${repo.name}`)).toEqual([]);
  await client.patch(`/repos/${owner.login}/other-${repo.name}`, { name: repo.name });
  expect(await here.found(required)).toEqual([number]);
  const path = `/orgs/${owner.login}/rulesets/${body.id}`;
  await client.put(`/orgs/${owner.login}/properties/schema/tier`, { value_type: 'string' });
  const tier = { repository_property: { include: [{ name: 'tier', property_values: ['1'] }], exclude: [] } };
  expect((await client.put(path, { conditions: { ref_name, ...tier } })).status).toBe(200);
  expect(await here.found(required)).toEqual([]);
  const set = (value: string | null) =>
    client.patch(`${base}/properties/values`, { properties: [{ property_name: 'tier', value }] });
  expect((await set('1')).status).toBe(204);
  expect(await here.found(required)).toEqual([number]);
  await set('2');
  expect(await here.found(required)).toEqual([]);
  await set('1');
  await client.put(path, { enforcement: 'disabled' });
  expect(await here.found(required)).toEqual([]);
  await client.put(path, { enforcement: 'active' });
  expect(await here.found(required)).toEqual([number]);
  await client.delete(path);
  expect(await here.found(required)).toEqual([]);
});

test('more pull requests than one job judges, and those of before an upgrade', async () => {
  const one = await pullSetting(w, { ownedBy: 'organization' });
  const { owner, client, ada } = one;
  const { services } = w.hearth;
  await one.commit('topic', { 'b.txt': 'b\n' });
  const names = Array.from({ length: 51 }, (_, at) => `base-${at}`);
  const changes = names.map((name) => ({ ref: `refs/heads/${name}`, from: null, to: one.first }));
  const { scope } = w.jobContext();
  await mustMoveRefs(scope, { repo: one.repo, changes, actor: ada.id, workflowFiles: { allowed: true } });
  for (const name of names) await one.open('topic', { base: name });
  const { body, status } = await client.post(`/orgs/${owner.login}/rulesets`, {
    name: 'Reviewed',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] }, repository_name: { include: ['~ALL'], exclude: [] } },
    rules: [{ type: 'pull_request', parameters: { ...reviewed, required_approving_review_count: 1 } }],
  });
  expect(status, JSON.stringify(body)).toBe(201);
  const total = async () => {
    await w.settle();
    const q = encodeURIComponent(`${required} org:${owner.login}`);
    return (await client.get(`/search/issues?q=${q}`)).body.total_count;
  };
  expect(await total()).toBe(51);
  // As an upgrade leaves them.
  await w.db.updateTable('pull_requests').set({ lacks_reviews: null }).where('repository_id', '=', one.repo.id).execute();
  expect(await total()).toBe(0);
  const job = w.jobContext({ services });
  const { statements } = await countStatements(() => evaluateMissing.run({}, job));
  expect(await total()).toBe(51);
  // Three lists; for each 50 the lock, the repository, its pull requests, two kinds of rules, and the write; and the reviews of
  // each.
  expect(statements.length).toBe(3 + 2 * 6 + 51);
});
