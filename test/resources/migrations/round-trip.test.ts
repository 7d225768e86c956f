// All that belongs to pull requests, issues and releases moves to another organization, and the API tells the same of it there.
import { createHash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { createTeam, setTeamRole } from '#resources/teams/index.ts';
import { pullSetting } from '#test/resources/pulls/setting.ts';
import { uploadTo } from '#test/resources/releases/support.ts';
import { changed, lines } from '#test/resources/reviews/setting.ts';
import { world } from '#test/support/world.ts';
import { download, exported, importInto, type Unpacked, unpack } from './support.ts';

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
  await w.change(async (tx) => {
    const team = await createTeam(tx, { org: owner, wanted: { name: 'Pumps', privacy: 'closed' }, by: ada.id, now: w.clock.now });
    await setTeamRole(tx, { team, repository: repo, role: 'write', by: ada.id, now: w.clock.now });
  });

  const issues = [];
  for (const title of ['Whole', 'Part', 'Other part', 'Same again']) issues.push(await ok(client.post(`${base}/issues`, { title })));
  const [, part, other] = issues;
  for (const { id } of [part, other]) await ok(client.post(`${base}/issues/1/sub_issues`, { sub_issue_id: id }));
  await ok(client.patch(`${base}/issues/1/sub_issues/priority`, { sub_issue_id: other.id, before_id: part.id }));
  for (const { id } of [other, issues[3]])
    await ok(client.post(`${base}/issues/2/dependencies/blocked_by`, { issue_id: id }));
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
  const approval = await ok(asBob.post(`${pull}/reviews`, { event: 'APPROVE' }));
  await ok(client.put(`${pull}/reviews/${approval.id}/dismissals`, { message: 'It has changed' }));
  await ok(asCarl.post(`${pull}/reviews`, { body: 'Nobody has seen this' }));
  await commit('topic', { 'engine.txt': changed(after, { 5: 'fifth', 1: null }) });
  await w.settle();

  await commit('gasket', { 'gasket.txt': 'g\n' });
  const merged = await open('gasket', { body: 'Closes #3' });
  await tested(merged);
  await ok(client.put(`${base}/pulls/${merged}/merge`, {}));
  await w.settle();

  const noted = await ok(asBob.post(`${base}/commits/${first}/comments`, { body: 'First!', path: 'a.txt', position: 1, line: 1 }));
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
    ...[1, 2, 3, 4, number, merged].flatMap((one) => [`/issues/${one}/timeline`, `/issues/${one}/events`, `/issues/${one}/comments`]),
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
  const plain = (path: string, text: string) =>
    JSON.parse(text, (key, value) => {
      if (key === 'node_id') return 'node';
      if (key === 'id' && path.endsWith('/reviews')) return idAs('review', value);
      if (key === 'id' && /\/pulls\/(\d+\/)?comments/.test(path)) return idAs('comment', value);
      if (kindOf[key] !== undefined) return idAs(kindOf[key], value);
      if (key === 'id' || key.endsWith('_id')) return typeof value === 'number' ? 'id' : value;
      if (key === 'repo' || key === 'repository') return value?.full_name ?? null;
      if (typeof value !== 'string') return value;
      return value
        .replaceAll(owner, 'OWNER')
        .replace(/(#discussion_r|#pullrequestreview-|#issuecomment-|#commitcomment-|untagged-|\/u\/)\d+/, '$1ID')
        .replace(/(comments|events|assets|releases|reviews|repositories|organizations)\/\d+/g, '$1/ID');
    });
  const lists: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await client.get(base + path);
    expect([path, status]).toEqual([path, 200]);
    lists[path] = plain(path, JSON.stringify(body));
  }
  return lists;
}

let stage: Promise<{ full: Full; archive: Buffer; unpacked: Unpacked }> | undefined;

/** It takes a while to make, and tests leave it as it is. */
function once() {
  stage ??= (async () => {
    const made = await full();
    const base = `/orgs/${made.owner.login}/migrations`;
    const id = await exported(w, made.ada, { repositories: [made.name] }, base);
    const archive = await download(w, made.ada, id, base);
    return { full: made, archive, unpacked: await unpack(archive) };
  })();
  return stage;
}

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
});
