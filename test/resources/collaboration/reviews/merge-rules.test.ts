// The rule `pull_request` and the resolution of conversations, as a merge and `mergeable_state` tell them.
import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { world } from '#test/support/world.ts';
import { mergeSetting, type Person, reviewed } from './merge-setting.ts';

const w = await world();

type Setting = Awaited<ReturnType<typeof mergeSetting>>;
type Pull = Awaited<ReturnType<Setting['bring']>>;

/** Why a pull request is blocked, or `clean`: by its state first, and then by a merge. */
async function verdict({ state, merge }: Pull): Promise<string | undefined> {
  const before = await state();
  const refusal = await merge();
  expect([before, refusal === undefined], refusal).toEqual(refusal === undefined ? ['clean', true] : ['blocked', false]);
  return refusal;
}

type Who = 'writer' | 'other' | 'reader' | 'triager' | 'author';
type Step = readonly [Who, 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT'] | readonly ['dismiss', number];

const lacking = (count: number): RegExp =>
  count === 1 ? /At least 1 approving review is required/ : new RegExp(`At least ${count} approving reviews are required`);
const wanted = /Changes were requested/;

const counts: readonly (readonly [string, number, readonly Step[], RegExp | undefined])[] = [
  ['none are wanted', 0, [], undefined],
  ['none are wanted, and changes are', 0, [['writer', 'REQUEST_CHANGES']], undefined],
  ['one is lacking', 1, [], lacking(1)],
  ['a comment is none', 1, [['writer', 'COMMENT']], lacking(1)],
  ['the author comments', 1, [['author', 'COMMENT']], lacking(1)],
  ['a reader approves', 1, [['reader', 'APPROVE']], lacking(1)],
  ['who triages approves', 1, [['triager', 'APPROVE']], lacking(1)],
  ['one approves', 1, [['writer', 'APPROVE']], undefined],
  [
    'of two, one approves twice',
    2,
    [
      ['writer', 'APPROVE'],
      ['writer', 'APPROVE'],
    ],
    lacking(2),
  ],
  [
    'of two, a reader approves',
    2,
    [
      ['writer', 'APPROVE'],
      ['reader', 'APPROVE'],
    ],
    lacking(2),
  ],
  [
    'two approve',
    2,
    [
      ['writer', 'APPROVE'],
      ['other', 'APPROVE'],
    ],
    undefined,
  ],
  [
    'an approval is dismissed',
    1,
    [
      ['writer', 'APPROVE'],
      ['dismiss', 0],
    ],
    lacking(1),
  ],
  [
    'changes are wanted',
    1,
    [
      ['writer', 'APPROVE'],
      ['other', 'REQUEST_CHANGES'],
    ],
    wanted,
  ],
  [
    'a reader wants changes',
    1,
    [
      ['writer', 'APPROVE'],
      ['reader', 'REQUEST_CHANGES'],
    ],
    undefined,
  ],
  [
    'a wish is dismissed',
    1,
    [
      ['writer', 'APPROVE'],
      ['other', 'REQUEST_CHANGES'],
      ['dismiss', 1],
    ],
    undefined,
  ],
  [
    'a wish becomes an approval',
    1,
    [
      ['writer', 'REQUEST_CHANGES'],
      ['writer', 'APPROVE'],
    ],
    undefined,
  ],
  [
    'a wish outlives a comment',
    1,
    [
      ['writer', 'APPROVE'],
      ['other', 'REQUEST_CHANGES'],
      ['other', 'COMMENT'],
    ],
    wanted,
  ],
  [
    'an approval becomes a wish',
    1,
    [
      ['other', 'APPROVE'],
      ['writer', 'APPROVE'],
      ['writer', 'REQUEST_CHANGES'],
    ],
    wanted,
  ],
];

test.each(['ruleset', 'protection'] as const)('approvals of those who may write are counted, by a %s', async (kind) => {
  const setting = await mergeSetting(w);
  const { person, rule, bring, client, base, ada } = setting;
  const people: Record<Who, Person> = {
    writer: await person('write'),
    other: await person('write'),
    reader: await person('read'),
    triager: await person('triage'),
    author: { account: ada, api: client },
  };
  const ruleset = kind === 'ruleset' ? await rule({}) : undefined;
  for (const [at, [name, count, steps, refusal]] of counts.entries()) {
    const parameters = { ...reviewed, required_approving_review_count: count };
    const answer =
      ruleset === undefined
        ? await client.put(`${base}/branches/main/protection`, {
            required_status_checks: null,
            enforce_admins: true,
            required_pull_request_reviews: { required_approving_review_count: count },
            restrictions: null,
          })
        : await client.put(`${base}/rulesets/${ruleset}`, { rules: [{ type: 'pull_request', parameters }] });
    expect(answer.status, name).toBe(200);
    const pull = await bring({ [`file-${at}.txt`]: name });
    const ids: number[] = [];
    for (const [who, what] of steps) {
      if (who === 'dismiss') await client.put(`${pull.path}/reviews/${ids[what]}/dismissals`, { message: 'No.' });
      else ids.push(await pull.review(people[who], what));
    }
    const told = await verdict(pull);
    if (refusal) expect(told, name).toMatch(refusal);
    else expect(told, name).toBeUndefined();
  }
  const own = await bring({ 'own.txt': 'x' });
  expect((await client.post(`${own.path}/reviews`, { event: 'APPROVE' })).status).toBe(422);
  // A former writer's approval counts no more.
  await own.review(people.writer, 'APPROVE');
  expect(await own.state()).toBe('clean');
  await client.delete(`${base}/collaborators/${people.writer.account.login}`);
  expect(await verdict(own)).toMatch(lacking(1));
});

test('the last push is approved by somebody else than who pushed it', async () => {
  const { person, rule, bring, moveTo } = await mergeSetting(w);
  const [bob, carl] = [await person('write'), await person('write')];
  await rule({ required_approving_review_count: 1, require_last_push_approval: true });
  const pull = await bring({ 'b.txt': 'b' });
  await moveTo(bob.account, pull.branch, { files: { 'c.txt': 'c' }, parents: [pull.head], message: 'Of Bob' });
  await pull.review(bob, 'APPROVE');
  expect(await verdict(pull)).toMatch(/The last push must be approved by somebody other than who pushed it/);
  await pull.review(carl, 'APPROVE', { commit_id: pull.head });
  expect(await verdict(pull)).toMatch(/The last push must be approved/);
  await pull.review(carl, 'APPROVE');
  expect(await verdict(pull)).toBeUndefined();
});

test('who opens a pull request is not who pushed what somebody else had pushed', async () => {
  const { person, rule, commit, base, moveTo, first, client, repo } = await mergeSetting(w);
  const [bob, carl, dora] = [await person('write'), await person('write'), await person('write')];
  await rule({ required_approving_review_count: 1, require_last_push_approval: true });
  await moveTo(bob.account, 'of-bob', { files: { 'b.txt': 'b' }, parents: [first], message: 'Of Bob' });
  const open = async (head: string) => {
    const { status, body } = await client.post(`${base}/pulls`, { title: head, head, base: 'main' });
    expect(status).toBe(201);
    await w.settle();
    return { path: `${base}/pulls/${body.number}` };
  };
  const approve = async ({ path }: { path: string }, by: typeof bob) =>
    expect((await by.api.post(`${path}/reviews`, { event: 'APPROVE' })).status).toBe(200);
  const merge = async ({ path }: { path: string }) => (await client.put(`${path}/merge`, {})).body.message;
  const ofBob = await open('of-bob');
  await approve(ofBob, bob);
  expect(await merge(ofBob)).toMatch(/The last push must be approved by somebody other than who pushed it/);
  await approve(ofBob, carl);
  expect(await merge(ofBob)).toBe('Pull Request successfully merged');

  // A deploy key: anybody may have it.
  await commit('by-key', { 'key.txt': 'key' });
  await w.db.updateTable('events').set({ actor_id: null }).where('repository_id', '=', repo.id).execute();
  const byKey = await open('by-key');
  await approve(byKey, carl);
  expect(await merge(byKey)).toMatch(/must be approved by two people/);
  await approve(byKey, dora);
  expect(await merge(byKey)).toBe('Pull Request successfully merged');
});

test("who makes a pull request of somebody else's issue does not approve it", async () => {
  const { person, rule, commit, base } = await mergeSetting(w);
  const [stranger, bob, carl] = [await person(), await person('write'), await person('write')];
  await rule({ required_approving_review_count: 1 });
  const { body: issue } = await stranger.api.post(`${base}/issues`, { title: 'A bug' });
  await commit('of-bob', { 'b.txt': 'b' });
  const path = `${base}/pulls/${issue.number}`;
  const opened = await bob.api.post(`${base}/pulls`, { issue: issue.number, head: 'of-bob', base: 'main' });
  expect(opened).toMatchObject({ status: 201, body: { user: { login: stranger.account.login } } });
  for (const event of ['APPROVE', 'REQUEST_CHANGES'])
    expect((await bob.api.post(`${path}/reviews`, { event, body: 'x' })).status).toBe(422);
  // One that was stored before the check was made doesn't count either.
  await carl.api.post(`${path}/reviews`, { event: 'APPROVE' });
  const authored = (by: typeof bob) =>
    w.db.updateTable('reviews').set({ author_id: by.account.id }).where('body', '=', '').where('state', '=', 'APPROVED');
  await authored(bob).where('author_id', '=', carl.account.id).execute();
  expect((await bob.api.put(`${path}/merge`, {})).body.message).toMatch(lacking(1));
  await authored(carl).where('author_id', '=', bob.account.id).execute();
  expect((await bob.api.put(`${path}/merge`, {})).status).toBe(200);
});

test('what was approved for another base, with which the head has other commits in common, is approved anew', async () => {
  const { person, rule, bring, commit, client } = await mergeSetting(w);
  const bob = await person('write');
  await rule({ required_approving_review_count: 1, dismiss_stale_reviews_on_push: true });
  const pull = await bring({ 'b.txt': 'b' });
  // A base that has the change already lets it look smaller than it is for `main`.
  const sneaked = await commit(pull.branch, { 'sneaked.txt': 'in' });
  await w.settle();
  const ref = 'refs/heads/side';
  expect((await client.post(`${pull.path.replace(/pulls.*/, '')}git/refs`, { ref, sha: pull.head })).status).toBe(201);
  expect((await client.patch(pull.path, { base: 'side' })).status).toBe(200);
  await w.settle();
  w.clock.now = new Date(w.clock.now.getTime() + 1_000);
  await pull.review(bob, 'APPROVE', { commit_id: sneaked });
  w.clock.now = new Date(w.clock.now.getTime() + 1_000);
  expect((await client.patch(pull.path, { base: 'main' })).status).toBe(200);
  await w.settle();
  expect(await verdict(pull)).toMatch(lacking(1));
  w.clock.now = new Date(w.clock.now.getTime() + 1_000);
  await pull.review(bob, 'APPROVE');
  expect(await verdict(pull)).toBeUndefined();
});

test('owners of what is changed approve: people, teams and addresses, one of each list', async () => {
  const { person, rule, bring, advance, client, owner, base, ada } = await mergeSetting(w, { ownedBy: 'organization' });
  const [bob, dora, reader] = [await person('write'), await person('write'), await person('read')];
  const email = 'carl@example.com';
  const carl = await person('write', { email });
  await w.member(owner, dora.account);
  const { body: team } = await client.post(`/orgs/${owner.login}/teams`, { name: 'Owners', privacy: 'closed' });
  await client.put(`/orgs/${owner.login}/teams/${team.slug}/memberships/${dora.account.login}`, {});
  await client.put(`/orgs/${owner.login}/teams/${team.slug}/repos${base.slice('/repos'.length)}`, { permission: 'push' });
  const lines = [
    `/bob/ @${bob.account.login}`,
    `/team/ @${owner.login}/${team.slug}`,
    `/mail/ ${email}`,
    `/two/ @${bob.account.login} @${owner.login}/${team.slug}`,
    `/gone/ @nobody-${owner.login}`,
    `/reader/ @${reader.account.login}`,
    `/ada/ @${ada.login}`,
    '/nobody/',
  ];
  await advance({ CODEOWNERS: lines.map((line) => `${line}\n`).join('') });
  await rule({ require_code_owner_review: true });
  const cases: readonly (readonly [readonly string[], readonly Person[], boolean])[] = [
    [['bob'], [], false],
    [['bob'], [carl], false],
    [['bob'], [bob], true],
    [['team'], [bob], false],
    [['team'], [dora], true],
    [['mail'], [bob], false],
    [['mail'], [carl], true],
    [['two'], [carl], false],
    [['two'], [dora], true],
    [['bob', 'mail'], [bob], false],
    [['bob', 'mail'], [bob, carl], true],
    [['gone'], [], true],
    [['reader'], [], true],
    [['nobody'], [], true],
    [['nobody', 'bob'], [carl], false],
    [['elsewhere'], [], true],
    // The author is the only owner, and can't approve.
    [['ada'], [bob, carl, dora], false],
  ];
  for (const [at, [folders, approving, isFree]] of cases.entries()) {
    const pull = await bring(Object.fromEntries(folders.map((folder) => [`${folder}/${at}.txt`, 'x'])));
    for (const who of approving) await pull.review(who, 'APPROVE');
    const told = await verdict(pull);
    const name = `${folders} ${approving.length}`;
    if (isFree) expect(told, name).toBeUndefined();
    else expect(told, name).toMatch(/An approving review by a code owner is required/);
  }
});

test('teams review the files that they are named for', async () => {
  const { person, rule, bring, client, owner } = await mergeSetting(w, { ownedBy: 'organization' });
  const [bob, dora] = [await person('write'), await person('write')];
  await w.member(owner, dora.account);
  const { body: team } = await client.post(`/orgs/${owner.login}/teams`, { name: 'Docs', privacy: 'closed' });
  await client.put(`/orgs/${owner.login}/teams/${team.slug}/memberships/${dora.account.login}`, {});
  const reviewer = { id: team.id, type: 'Team' };
  await rule({ required_reviewers: [{ file_patterns: ['docs/**/*', '*.md'], minimum_approvals: 1, reviewer }] });
  const [docs, code] = [await bring({ 'docs/a/b.txt': 'x' }), await bring({ 'src/a.txt': 'x' })];
  expect(await verdict(code)).toBeUndefined();
  await docs.review(bob, 'APPROVE');
  expect(await verdict(docs)).toMatch(/At least 1 approving review is required by a team/);
  await docs.review(dora, 'APPROVE');
  expect(await verdict(docs)).toBeUndefined();
});

test('only the methods that the rule allows merge, and a draft is none', async () => {
  const { rule, bring, client } = await mergeSetting(w);
  await rule({ allowed_merge_methods: ['squash'] });
  const pull = await bring({ 'b.txt': 'b' });
  expect(await pull.state()).toBe('clean');
  expect(await pull.merge(client, 'merge')).toMatch(/Pull requests can't be merged by merge here/);
  expect(await pull.merge(client, 'rebase')).toMatch(/can't be merged by rebase/);
  await client.patch(pull.path, { draft: true });
  expect(await pull.state()).toBe('draft');
  expect(await pull.merge(client, 'squash')).toMatch(/still a draft/);
  await client.patch(pull.path, { draft: false });
  expect(await pull.merge(client, 'squash')).toBeUndefined();
});

test.each(['ruleset', 'protection'] as const)('conversations are resolved before a merge, as a %s wants it', async (kind) => {
  const { person, rule, bring, client, base } = await mergeSetting(w);
  const bob = await person('read');
  if (kind === 'ruleset') await rule({ required_review_thread_resolution: true });
  else {
    const parts = { required_status_checks: null, enforce_admins: true, required_pull_request_reviews: null, restrictions: null };
    const wanted = { ...parts, required_conversation_resolution: true };
    expect((await client.put(`${base}/branches/main/protection`, wanted)).status).toBe(200);
  }
  const pull = await bring({ 'b.txt': 'b\n' });
  const place = { body: 'Why?', commit_id: pull.head, path: 'b.txt', line: 1 };
  const { body: comment } = await bob.api.post(`${pull.path}/comments`, place);
  await bob.api.post(`${pull.path}/comments/${comment.id}/replies`, { body: 'Well?' });
  const resolution = `${base}/pulls/comments/${comment.id}/resolution`;
  expect(await verdict(pull)).toMatch(/All conversations on code must be resolved/);
  await client.put(resolution);
  expect(await pull.state()).toBe('clean');
  await client.delete(resolution);
  expect(await verdict(pull)).toMatch(/must be resolved/);
  await client.put(resolution);
  expect(await verdict(pull)).toBeUndefined();
});

test.each(['always', 'pull_request', 'exempt'] as const)(
  'who may bypass (%s) merges unreviewed, the state tells what others need',
  async (bypass_mode) => {
    const { person, rule, bring } = await mergeSetting(w);
    const bob = await person('write');
    const bypass_actors = [{ actor_id: bob.account.id, actor_type: 'User', bypass_mode }];
    await rule({ required_approving_review_count: 1 }, { bypass_actors });
    const pull = await bring({ 'b.txt': 'b' });
    expect(await verdict(pull)).toMatch(lacking(1));
    expect(await pull.merge(bob.api)).toBeUndefined();
  },
);

test('a pull request costs the same for one reviewer, file and owner as for many', async () => {
  const { person, rule, bring, advance, ada } = await mergeSetting(w);
  const reviewers = await Promise.all(Array.from({ length: 8 }, () => person('write')));
  const owned = reviewers.map(({ account }, at) => `/${at}/ @${account.login}\n`).join('');
  await advance({ CODEOWNERS: owned });
  await rule({
    required_approving_review_count: 1,
    require_code_owner_review: true,
    required_review_thread_resolution: true,
    dismiss_stale_reviews_on_push: true,
  });
  const few = await bring({ '0/a.txt': 'x' });
  const many = await bring(Object.fromEntries(reviewers.map((_, at) => [`${at}/b.txt`, 'x'])));
  const count = async ({ path }: Pull) => {
    await w.statements(ada, path);
    return w.statements(ada, path);
  };
  for (const reviewer of reviewers) await many.review(reviewer, 'APPROVE');
  for (const reviewer of reviewers.slice(0, 1)) await few.review(reviewer, 'APPROVE');
  expect([await few.state(), await many.state()]).toEqual(['clean', 'clean']);
  const ofFew = await count(few);
  expect(await count(many)).toBe(ofFew);
  expect(ofFew).toBe(14);
  const authorization = `Bearer ${await w.token(ada)}`;
  const merging = async ({ path }: Pull) => {
    const url = `/api/v3${path}`;
    await w.hearth.app.inject({ method: 'GET', url, headers: { authorization } });
    const ask = () => w.hearth.app.inject({ method: 'PUT', url: `${url}/merge`, headers: { authorization }, payload: {} });
    const { result, statements } = await countStatements(ask);
    expect(result.statusCode, result.payload).toBe(200);
    return statements.length;
  };
  expect([await merging(few), await merging(many)]).toEqual([27, 27]);
});
