// All that belongs to pull requests, issues and releases moves to another organization, and the API tells the same of it there.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { areObjectsKept, keepObjects } from '#resources/collaboration/releases/archive-store.ts';
import { createTeam, setTeamRole } from '#resources/identity/teams/index.ts';
import { addFiles, FilesChanged } from '#resources/platform/migrations/archive/releases.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { uploadTo } from '#test/resources/collaboration/releases/support.ts';
import { changed, lines } from '#test/resources/collaboration/reviews/setting.ts';
import { world } from '#test/support/world.ts';
import { archiveOf, download, exported, importInto, repacked, unpack } from './support.ts';

const w = await world();

const later = () => {
  w.clock.now = new Date(w.clock.now.getTime() + 60_000);
};

/** A repository of an organization with all that an archive holds of pull requests, issues and releases. */
async function full() {
  const setting = await pullSetting(w, { ownedBy: 'organization' });
  const { ada, owner, client, base, commit, open, tested, first, repo } = setting;
  const [bob, carl] = [await w.user(), await w.user()];
  for (const person of [bob, carl]) {
    await w.member(owner, person);
    await w.collaborator(repo, person, 'write');
  }
  const [asBob, asCarl] = [await w.as(bob), await w.as(carl)];
  const ok = async (reply: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await reply;
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
    later();
    // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies by name
    return body as any;
  };
  await w.change(async (scope) => {
    const team = await createTeam(scope, {
      org: owner,
      wanted: { name: 'Pumps', privacy: 'closed' },
      by: ada.id,
      now: w.clock.now,
    });
    await setTeamRole(scope, { team, repository: repo, role: 'write', by: ada.id, now: w.clock.now });
  });

  const issues = [];
  for (const title of ['Whole', 'Part', 'Other part', 'Same again'])
    issues.push(await ok(client.post(`${base}/issues`, { title })));
  const [, part, other] = issues;
  for (const { id } of [part, other]) await ok(client.post(`${base}/issues/1/sub_issues`, { sub_issue_id: id }));
  await ok(client.patch(`${base}/issues/1/sub_issues/priority`, { sub_issue_id: other.id, before_id: part.id }));
  for (const { id } of [other, issues[3]]) await ok(client.post(`${base}/issues/2/dependencies/blocked_by`, { issue_id: id }));
  const duplicate = { state: 'closed', state_reason: 'duplicate', duplicate_issue_id: issues[0].id };
  await ok(client.patch(`${base}/issues/4`, duplicate));
  await ok(asBob.post(`${base}/issues/3/comments`, { body: 'See #1' }));

  const before = lines(30);
  const under = await commit('main', { 'engine.txt': before });
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: under });
  const after = changed(before, { 5: 'five', 20: 'twenty\nand more' });
  const head = await commit('topic', { 'engine.txt': after, 'new.txt': 'one\ntwo\n' });
  const number = await open('topic', { draft: true });
  await w.settle();
  const pull = `${base}/pulls/${number}`;
  await ok(client.post(`${pull}/requested_reviewers`, { reviewers: [bob.login, carl.login], team_reviewers: ['pumps'] }));
  await ok(client.delete(`${pull}/requested_reviewers`, { reviewers: [carl.login], team_reviewers: [] }));
  await ok(client.post(`${pull}/requested_reviewers`, { reviewers: [carl.login] }));
  const comments = [
    { path: 'engine.txt', line: 5, body: 'Five?' },
    { path: 'engine.txt', line: 21, start_line: 19, body: 'A range' },
  ];
  await ok(asBob.post(`${pull}/reviews`, { event: 'REQUEST_CHANGES', body: 'Not yet', comments }));
  const { body: begun } = await asBob.get(`${pull}/comments`);
  await ok(client.post(`${pull}/comments/${begun[0].id}/replies`, { body: 'Why not?' }));
  await ok(asCarl.post(`${pull}/comments/${begun[0].id}/replies`, { body: 'Indeed' }));
  await ok(asCarl.post(`${base}/pulls/comments/${begun[0].id}/reactions`, { content: 'eyes' }));
  await ok(asCarl.post(`${pull}/comments`, { body: 'All of it', commit_id: head, path: 'new.txt', subject_type: 'file' }));
  await ok(asCarl.post(`${pull}/comments`, { body: 'Left', commit_id: head, path: 'engine.txt', line: 20, side: 'LEFT' }));
  await ok(asBob.put(`${base}/pulls/comments/${begun[1].id}/resolution`));
  const approval = await ok(asBob.post(`${pull}/reviews`, { event: 'APPROVE' }));
  await ok(client.put(`${pull}/reviews/${approval.id}/dismissals`, { message: 'It has changed' }));
  await ok(client.post(`${pull}/requested_reviewers`, { reviewers: [carl.login] }));
  await ok(asCarl.post(`${pull}/reviews`, { body: 'Nobody has seen this' }));
  await commit('topic', { 'engine.txt': changed(after, { 5: 'fifth', 1: null }) });
  await w.settle();

  await commit('gasket', { 'gasket.txt': 'g\n' });
  const merged = await open('gasket', { body: 'Closes #3' });
  await tested(merged);
  await ok(client.put(`${base}/pulls/${merged}/merge`, {}));
  await w.settle();

  const noted = await ok(
    asBob.post(`${base}/commits/${first}/comments`, { body: 'First!', path: 'a.txt', position: 1, line: 1 }),
  );
  await ok(asCarl.post(`${base}/comments/${noted.id}/reactions`, { content: 'rocket' }));
  await ok(asBob.post(`${base}/commits/${under}/comments`, { body: 'Long' }));

  const release = await ok(client.post(`${base}/releases`, { tag_name: 'v1', name: 'One', body: 'The first' }));
  const upload = async (id: number, name: string, body: string, who: Account = ada) => {
    const { status } = await uploadTo(w, who, `${base}/releases/${id}/assets?name=${name}&label=A%20file`, body, 'text/x-engine');
    expect(status).toBe(201);
  };
  await upload(release.id, 'engine.txt', 'steam'.repeat(100_000));
  await upload(release.id, 'readme.md', 'Read me', bob);
  await ok(asBob.post(`${base}/releases/${release.id}/reactions`, { content: 'hooray' }));
  await ok(client.post(`${base}/releases`, { tag_name: 'v2-beta', prerelease: true }));
  const draft = await ok(client.post(`${base}/releases`, { tag_name: 'v1', draft: true, target_commitish: 'topic' }));
  await upload(draft.id, 'draft.bin', 'unfinished');
  await client.put(`${base}/immutable-releases`);
  await ok(client.post(`${base}/releases`, { tag_name: 'v0', target_commitish: first, make_latest: 'false' }));
  await w.settle();
  return { ...setting, bob, carl, number, merged, first, under, name: `${owner.login}/${repo.name}` };
}

type Full = Awaited<ReturnType<typeof full>>;

/** What the API tells of a repository: all lists whole. Ids are told by the order of what has them. */
async function told({ ada, number, merged, first, under, repo }: Full, owner: string) {
  const client = await w.as(ada);
  const base = `/repos/${owner}/${repo.name}`;
  const paths = [
    '/issues?state=all&direction=asc',
    ...['/issues/1/sub_issues', '/issues/2/parent', '/issues/2/dependencies/blocked_by', '/issues/3/dependencies/blocking'],
    ...[1, 2, 3, 4, number, merged].flatMap((one) => [
      `/issues/${one}/timeline`,
      `/issues/${one}/events`,
      `/issues/${one}/comments`,
    ]),
    '/issues/events',
    '/pulls?state=all&direction=asc',
    ...[number, merged].flatMap((one) => [
      `/pulls/${one}`,
      `/pulls/${one}/reviews`,
      `/pulls/${one}/comments`,
      `/pulls/${one}/requested_reviewers`,
      `/pulls/${one}/files`,
      `/pulls/${one}/commits`,
    ]),
    '/pulls/comments',
    '/comments',
    `/commits/${first}/comments`,
    `/commits/${under}/comments`,
    `/commits/${under}/pulls`,
    '/releases',
    '/releases/latest',
    '/releases/tags/v0',
  ];
  const ids = new Map<string, number>();
  const idAs = (kind: string, id: number) => {
    const key = `${kind} ${id}`;
    ids.set(key, ids.get(key) ?? ids.size);
    return `${kind} ${ids.get(key)}`;
  };
  const kindOf: Record<string, string> = { pull_request_review_id: 'review', in_reply_to_id: 'comment', review_id: 'review' };
  const plain = (text: string) =>
    JSON.parse(text, function (this: object, key, value) {
      if (key === 'node_id') return 'node';
      if (key === 'id' && 'diff_hunk' in this) return idAs('comment', value);
      if (key === 'id' && 'submitted_at' in this) return idAs('review', value);
      if (kindOf[key] !== undefined) return idAs(kindOf[key], value);
      if (key === 'id' || key.endsWith('_id')) return typeof value === 'number' ? 'id' : value;
      if (key === 'repo' || key === 'repository') return value?.full_name ?? null;
      if (typeof value !== 'string') return value;
      return value
        .replaceAll(owner, 'OWNER')
        .replace(/(#discussion_r|#pullrequestreview-|#issuecomment-|#commitcomment-|untagged-|\/u\/)\d+/, '$1ID')
        .replace(/(comments|events|assets|releases|reviews|repositories|organizations|teams)\/\d+/g, '$1/ID');
    });
  const lists: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await client.get(base + path);
    expect([path, status]).toEqual([path, 200]);
    lists[path] = plain(JSON.stringify(body));
  }
  return lists;
}

let stage: Promise<{ full: Full; archive: Buffer }> | undefined;

/** It takes a while to make, and tests leave it as it is. */
function once() {
  stage ??= (async () => {
    const made = await full();
    const base = `/orgs/${made.owner.login}/migrations`;
    const id = await exported(w, made.ada, { repositories: [made.name] }, base);
    const archive = await download(w, made.ada, id, base);
    return { full: made, archive };
  })();
  return stage;
}

/** The conversations of an owner's repositories that were resolved, of which no reply tells. */
const resolvedIn = (login: string) =>
  w.db
    .selectFrom('review_comments as c')
    .innerJoin('repositories as r', 'r.id', 'c.repository_id')
    .innerJoin('accounts as a', 'a.id', 'r.owner_id')
    .select(['c.body', 'c.resolved_at', 'c.resolved_by'])
    .where('a.login', '=', login)
    .where('c.resolved_at', 'is not', null)
    .execute();

test('what the API tells of it is the same in another organization, but for ids and addresses', async () => {
  const { full: made, archive } = await once();
  const { ada, bob, carl, repo } = made;
  const target = await w.org(ada);
  for (const person of [bob, carl]) await w.member(target, person);
  expect(await importInto(w, archive, { into: target.login })).toMatchObject({ repositories: [`${target.login}/${repo.name}`] });
  await w.settle();
  for (const person of [bob, carl]) {
    const [copy] = await w.db.selectFrom('repositories').selectAll().where('owner_id', '=', target.id).execute();
    if (copy) await w.collaborator(copy, person, 'write');
  }
  const [before, after] = [await told(made, made.owner.login), await told(made, target.login)];
  for (const path of Object.keys(before)) expect([path, after[path]]).toEqual([path, before[path]]);
  expect(await resolvedIn(target.login)).toEqual(await resolvedIn(made.owner.login));
});

test('the bytes of files of releases are downloaded as they were, and fixed tags stay fixed', async () => {
  const { full: made, archive } = await once();
  const target = await w.org(made.ada);
  await importInto(w, archive, { into: target.login });
  const client = await w.as(made.ada);
  const base = `/repos/${target.login}/${made.repo.name}`;
  const { body: releases } = await client.get(`${base}/releases`);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies by name
  const assets = releases.flatMap((one: any) => one.assets);
  expect(assets.map(({ name, label }: { name: string; label: string }) => [name, label])).toEqual(
    expect.arrayContaining([
      ['engine.txt', 'A file'],
      ['readme.md', 'A file'],
      ['draft.bin', 'A file'],
    ]),
  );
  const engine = assets.find(({ name }: { name: string }) => name === 'engine.txt');
  const sent = await fetch(engine.url, {
    headers: { authorization: `Bearer ${await w.token(made.ada)}`, accept: 'application/octet-stream' },
  });
  expect((await sent.text()) === 'steam'.repeat(100_000)).toBe(true);
  expect((await client.delete(`${base}/git/refs/tags/v0`)).status).toBe(422);
  const fixed = releases.find(({ tag_name }: { tag_name: string }) => tag_name === 'v0');
  expect((await client.patch(`${base}/releases/${fixed.id}`, { body: 'Other' })).status).toBe(422);
});

test('objects name each other by addresses, and nothing is told that only its author sees', async () => {
  const { full: made, archive } = await once();
  const unpacked = await unpack(archive);
  const url = `${w.url}/${made.name}`;
  const pull = `${url}/pull/${made.number}`;
  const reviews = await unpacked.objects('pull_request_reviews');
  expect(reviews.map(({ state, body }) => [state, body])).toEqual([
    [30, 'Not yet'],
    [1, ''],
    [1, ''],
    [1, ''],
    [1, ''],
    [50, ''],
  ]);
  expect(reviews[0]).toMatchObject({ pull_request: pull, url: expect.stringMatching(`^${pull}#pullrequestreview-`) });
  const comments = await unpacked.objects('review_comments');
  expect(comments[0]).toMatchObject({ pull_request_review: reviews[0].url, in_reply_to: null, original_line: 5, line: null });
  expect(comments[2]).toMatchObject({ in_reply_to: comments[0].url });
  expect(JSON.stringify([reviews, comments])).not.toContain('Nobody has seen this');
  const [issue] = await unpacked.objects('issues');
  expect(issue.sub_issues.map((one: { issue: string }) => one.issue)).toEqual([`${url}/issues/3`, `${url}/issues/2`]);
  const [record] = await unpacked.objects('pull_requests');
  expect(record.review_requests).toEqual([`${w.url}/orgs/${made.owner.login}/teams/pumps`, `${w.url}/${made.carl.login}`]);
});

/** What an archive that is refused leaves alone. */
const nothing = ['repositories', 'issues', 'reviews', 'review_comments', 'releases', 'release_assets', 'commit_comments'];

/** The objects that lie in the store. */
async function objectsThere(): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of w.hearth.services.objects.list()) found.push(...batch.map(({ group, name }) => `${group}/${name}`));
  return found.toSorted();
}

// biome-ignore lint/suspicious/noExplicitAny: hostile objects have any shape
type Change = (objects: any[]) => unknown;
const first =
  (change: object): Change =>
  ([one, ...others]) => [{ ...one, ...change }, ...others];
/** Changes the first file of the first release that has one. */
const firstFile =
  (change: object): Change =>
  (all) =>
    all.map((one) => ({
      ...one,
      release_assets: one.release_assets.map((asset: object, at: number) => (at === 0 ? { ...asset, ...change } : asset)),
    }));
const elsewhere = 'https://x.example/y';
/** A relation to an issue. */
const dated = ({ created_at }: { created_at: string }, issue: string) => ({ issue, created_at });

test.each<[string, string, Change, RegExp]>([
  ['a review of nothing', 'pull_request_reviews', first({ pull_request: elsewhere }), /is no pull request in it/],
  ['a review of an unknown state', 'pull_request_reviews', first({ state: 0 }), /state/],
  ['a review twice', 'pull_request_reviews', ([one]) => [one, one], /is in it twice/],
  ['comments of absent reviews', 'pull_request_reviews', () => [], /is no review of/],
  [
    'a comment that begins and is its own reply',
    'review_comments',
    ([one]) => [{ ...one, in_reply_to: one.url }],
    /begins no conversation/,
  ],
  [
    'a reply that is resolved',
    'review_comments',
    (all) => all.map((one) => (one.in_reply_to === null ? one : { ...one, resolved_at: one.created_at })),
    /only the comment that begins a conversation/,
  ],
  ['a comment on no line', 'review_comments', first({ original_line: null }), /lines and sides/],
  ['a comment with half a range', 'review_comments', first({ start_side: 'LEFT' }), /lines and sides/],
  ['a line that no number is', 'review_comments', first({ line: 2 ** 40 }), /line/],
  ['a comment on a commit of no repository', 'commit_comments', first({ repository: elsewhere }), /is not in it/],
  ['a comment on a line of no file', 'commit_comments', first({ path: null, line: 1 }), /on no file/],
  [
    'an issue below itself',
    'issues',
    ([one, ...rest]) => [{ ...one, sub_issues: [{ issue: one.url, created_at: one.created_at }] }, ...rest],
    /below itself/,
  ],
  [
    'a sub-issue that is not there',
    'issues',
    ([one, ...rest]) => [{ ...one, sub_issues: [{ issue: elsewhere, created_at: one.created_at }] }, ...rest],
    /is no issue in it/,
  ],
  ['an issue below two', 'issues', (all) => all.map((one) => ({ ...one, sub_issues: all[0].sub_issues })), /below two issues/],
  [
    'an issue that blocks itself',
    'issues',
    ([one, ...rest]) => [{ ...one, blocked_by: [{ issue: one.url, created_at: one.created_at }] }, ...rest],
    /blocks itself/,
  ],
  [
    'an issue that one blocks twice',
    'issues',
    ([one, ...rest]) => [
      { ...one, blocked_by: rest.slice(0, 1).flatMap(({ url: issue }) => [dated(one, issue), dated(one, issue)]) },
      ...rest,
    ],
    /is blocked twice by one issue/,
  ],
  [
    'an issue that blocks more than 50',
    'issues',
    ([one, ...rest]) => [
      one,
      ...rest,
      ...Array.from({ length: 51 }, (_, at) => ({
        ...one,
        url: `${one.repository}/issues/${1_000 + at}`,
        sub_issues: [],
        blocked_by: [dated(one, one.url)],
      })),
    ],
    /blocks more than 50 issues/,
  ],
  ['a duplicate of nothing', 'issues', first({ duplicate_of: elsewhere }), /is a duplicate of/],
  ['an event from elsewhere', 'issue_events', first({ source: elsewhere }), /no issue of its repository/],
  [
    'the dismissal of another review',
    'issue_events',
    (all) =>
      all.map((one) =>
        one.dismissed_review ? { ...one, dismissed_review: { ...one.dismissed_review, review: elsewhere } } : one,
      ),
    /no review of its pull request/,
  ],
  ['a tag that can not be', 'releases', first({ tag_name: 'a..b' }), /a tag that can't be/],
  [
    'two releases of one tag',
    'releases',
    (all) =>
      all.map((one, at) => ({
        ...one,
        state: 'published',
        tag_name: 'v1',
        url: `${one.url}${at}`,
        published_at: one.created_at,
      })),
    /the tag of another release/,
  ],
  ['a draft that is immutable', 'releases', first({ state: 'draft', immutable: true }), /is a draft, and immutable/],
  [
    'two files of one name',
    'releases',
    (all) => all.map((one) => ({ ...one, release_assets: one.release_assets.flatMap((asset: object) => [asset, asset]) })),
    /has two files of one name/,
  ],
  ['a release that was published at no time', 'releases', first({ published_at: null }), /doesn't tell when/],
  [
    'a file that leads elsewhere',
    'releases',
    firstFile({ asset_url: 'tarball://root/releases/../../../../etc/passwd' }),
    /has no file at/,
  ],
  ['a file of the Git data', 'releases', firstFile({ asset_url: 'tarball://root/schema.json' }), /has no file at/],
  [
    'a file named twice',
    'releases',
    (all) =>
      all.map((one) => ({
        ...one,
        release_assets: one.release_assets.map((asset: object) => ({
          ...asset,
          asset_url: all.find((any) => any.release_assets.length > 0).release_assets[0].asset_url,
          size: 500_000,
        })),
      })),
    /named twice|has \d+ bytes/,
  ],
  ['a file of another size', 'releases', firstFile({ size: 3 }), /bytes, and not 3/],
  ['a file with a name that leads elsewhere', 'releases', firstFile({ name: '../x' }), /a name that no file can have/],
  ['a file with a header in its media type', 'releases', firstFile({ content_type: 'text/html\r\nX-Evil: 1' }), /no media type/],
  [
    'other bytes than the digest tells of',
    'releases',
    firstFile({ digest: `sha256:${'0'.repeat(64)}` }),
    /other bytes than its digest/,
  ],
])('an archive with %s is refused, and nothing of it stays', async (_what, kind, change, reason) => {
  const { full: made, archive } = await once();
  const unpacked = await unpack(archive);
  const { login } = await w.org(made.ada);
  const bytes = await repacked(unpacked, { [`${kind}_000001.json`]: change(await unpacked.objects(kind)) });
  const before = await objectsThere();
  await w.unchanged(nothing, async () => {
    await expect(importInto(w, bytes, { into: login })).rejects.toThrow(reason);
  });
  expect(await objectsThere()).toEqual(before);
});

test('an archive whose files are cut, missing or more than allowed is refused', async () => {
  const { full: made, archive } = await once();
  const unpacked = await unpack(archive);
  const { login } = await w.org(made.ada);
  const file = unpacked.names.find((name) => /^releases\/.*\/\d+$/.test(name)) ?? '';
  const before = await objectsThere();
  await w.unchanged(nothing, async () => {
    const cut = await repacked(unpacked, { [file]: Buffer.from('steam') });
    await expect(importInto(w, cut, { into: login })).rejects.toThrow(/has 5 bytes, and not/);
    await expect(importInto(w, await repacked(unpacked, { [file]: undefined }), { into: login })).rejects.toThrow(
      /has no file at/,
    );
    const whole = await repacked(unpacked);
    await expect(importInto(w, whole, { into: login, limits: { releases: { assets: 1 } } })).rejects.toThrow(/releases\.assets/);
    await expect(importInto(w, whole, { into: login, limits: { releases: { assetSize: 9 } } })).rejects.toThrow(
      /releases\.assetSize/,
    );
  });
  expect(await objectsThere()).toEqual(before);
});

test('without releases, there is no file of them, and the rest is imported', async () => {
  const { full: made } = await once();
  const base = `/orgs/${made.owner.login}/migrations`;
  const id = await exported(w, made.ada, { repositories: [made.name], exclude_releases: true }, base);
  const bytes = await download(w, made.ada, id, base);
  expect((await unpack(bytes)).names.filter((name) => name.startsWith('releases'))).toEqual([]);
  const target = await w.org(made.ada);
  await importInto(w, bytes, { into: target.login });
  const client = await w.as(made.ada);
  expect((await client.get(`/repos/${target.login}/${made.repo.name}/releases`)).body).toEqual([]);
  expect((await client.get(`/repos/${target.login}/${made.repo.name}/pulls/comments`)).body).toHaveLength(6);
});

test('without metadata, there are no files of releases; without Git data, reviews stay behind with their pull requests', async () => {
  const { full: made } = await once();
  const base = `/orgs/${made.owner.login}/migrations`;
  const plain = await archiveOf(w, made.ada, { repositories: [made.name], exclude_metadata: true }, base);
  expect(plain.names.filter((name) => name.startsWith('releases'))).toEqual([]);
  const id = await exported(w, made.ada, { repositories: [made.name], exclude_git_data: true }, base);
  const target = await w.org(made.ada);
  await importInto(w, await download(w, made.ada, id, base), { into: target.login });
  const client = await w.as(made.ada);
  const there = `/repos/${target.login}/${made.repo.name}`;
  expect((await client.get(`${there}/pulls/comments`)).body).toEqual([]);
  expect((await client.get(`${there}/comments`)).body).toHaveLength(2);
  expect((await client.get(`${there}/issues/1/sub_issues`)).body).toHaveLength(2);
});

/** Adds as many comments to the reviews, the commits and the releases of a repository. */
async function multiply({ repo, ada, bob }: Full, times: number): Promise<void> {
  for (const table of ['reviews', 'review_comments', 'commit_comments'] as const)
    await sql`
      insert into ${sql.table(table)} (${sql.raw(columnsOf[table])})
      select ${sql.raw(columnsOf[table])} from ${sql.table(table)}, generate_series(1, ${times})
      where id = (select max(id) from ${sql.table(table)}
        where repository_id = ${repo.id} and author_id = any (${[ada.id, bob.id]}))`.execute(w.db);
}
const columnsOf = {
  reviews: 'repository_id, issue_id, author_id, state, body, commit_sha, created_at, updated_at, submitted_at',
  review_comments: `repository_id, issue_id, review_id, author_id, submitted_at, body, path, subject_type, side,
    original_commit_sha, original_base_sha, original_position, original_line, diff_hunk, commit_sha, created_at, updated_at`,
  commit_comments: 'repository_id, commit_sha, author_id, body, created_at, updated_at',
};

test('archives of a few and of many reviews and comments are written and read by as many statements', async () => {
  const { full: made } = await once();
  const base = `/orgs/${made.owner.login}/migrations`;
  const client = await w.as(made.ada);
  const counted = async () => {
    await w.settle();
    const { body } = await client.post(base, { repositories: [made.name] });
    const { statements: written } = await countStatements(w.settle);
    const bytes = await download(w, made.ada, body.id, base);
    const { login } = await w.org(made.ada);
    const { statements: read } = await countStatements(() => importInto(w, bytes, { into: login }));
    await w.settle();
    return [written.length, read.length];
  };
  const few = await counted();
  await multiply(made, 60);
  const many = await counted();
  expect(few[0]).toBeGreaterThan(50);
  expect(many).toEqual(few);
});

test('an archive whose files were deleted meanwhile is begun anew, and one whose bytes are lost fails and says so', async () => {
  const { full: made } = await once();
  const { objects } = w.hearth.services;
  const asset = await w.db
    .selectFrom('release_assets')
    .selectAll()
    .where('uploader_id', '=', made.bob.id)
    .executeTakeFirstOrThrow();
  const deleted = addFiles(undefined as never, { db: w.db, objects }, [
    { archived: undefined as never, ids: [2_000_000 as typeof asset.id] },
  ]);
  await expect(deleted).rejects.toThrow(FilesChanged);
  await objects.remove(asset.object_key);
  const base = `/orgs/${made.owner.login}/migrations`;
  const id = await exported(w, made.ada, { repositories: [made.name] }, base);
  expect((await (await w.as(made.ada)).get(`${base}/${id}`)).body.state).toBe('failed');
  const { failure } = await w.db
    .selectFrom('migrations')
    .select('failure')
    .where('id', '=', id as never)
    .executeTakeFirstOrThrow();
  expect(failure).toMatch(/not in the store of objects/);
});

test('while files are imported, the store is not tidied', async () => {
  expect(await areObjectsKept(w.db)).toBe(false);
  await w.change(async (scope) => {
    await keepObjects(scope.tx);
    expect(await areObjectsKept(w.db)).toBe(true);
  });
  expect(await areObjectsKept(w.db)).toBe(false);
});
