import { expect, test } from 'vitest';
import { readNotesSettings } from '#resources/collaboration/releases/notes-settings.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';
import { setting } from './support.ts';

const here = await world();

test('a published release makes its tag, once, by a recorded push', async () => {
  const { client, base, path, first } = await setting(here);
  const created = await client.post(path, { tag_name: 'v1.0', name: 'One', body: 'It *works*' });
  expect(created).toMatchObject({
    status: 201,
    body: {
      tag_name: 'v1.0',
      target_commitish: 'main',
      name: 'One',
      body: 'It *works*',
      draft: false,
      prerelease: false,
      immutable: false,
      assets: [],
      published_at: '2026-01-01T00:00:00Z',
      reactions: { total_count: 0 },
    },
  });
  expect(created.body.upload_url).toMatch(/\/releases\/\d+\/assets\{\?name,label\}$/);
  expect(created.headers.location).toBe(created.body.url);
  expect(await client.get(`${base}/git/ref/tags/v1.0`)).toMatchObject({ status: 200, body: { object: { sha: first } } });
  const kinds = await here.db.selectFrom('events').select('kind').orderBy('id').execute();
  expect(kinds.slice(-5).map(({ kind }) => kind)).toEqual([
    'create',
    'push',
    'release.created',
    'release.published',
    'release.released',
  ]);
  const { body } = created;
  expect(await client.get(`${path}/${body.id}`)).toMatchObject({ status: 200, body });
  expect(await client.get(`${path}/tags/v1.0`)).toMatchObject({ status: 200, body });
  expect(await client.get(`${path}/latest`)).toMatchObject({ status: 200, body });
  expect(await client.get(path)).toMatchObject({ status: 200, body: [body] });
  const html = await client.get(`${path}/${body.id}`, { headers: { accept: 'application/vnd.service.html+json' } });
  expect(html.body.body_html).toContain('<em>works</em>');
  expect(html.body.body).toBeUndefined();
});

test('a tag that is there stays where it is', async () => {
  const { client, base, path, repo, first } = await setting(here);
  await client.post(`${base}/git/refs`, { ref: 'refs/tags/deep/v1', sha: first });
  await commitFiles(here, repo, { 'b.txt': 'b' });
  expect((await client.post(path, { tag_name: 'deep/v1', target_commitish: 'main' })).status).toBe(201);
  expect((await client.get(`${base}/git/ref/tags/deep/v1`)).body.object.sha).toBe(first);
  expect((await client.get(`${path}/tags/deep/v1`)).status).toBe(200);
});

test('drafts are seen by those who may write, and by a credential that may', async () => {
  const { client, path, repo, owner } = await setting(here);
  const { body } = await client.post(path, { tag_name: 'v1', draft: true });
  expect(body).toMatchObject({ draft: true, published_at: null, tarball_url: null });
  const [reader, writer] = [await here.user(), await here.user()];
  await here.collaborator(repo, reader, 'triage');
  await here.collaborator(repo, writer, 'write');
  const mayRead = await here.fineGrained(owner, owner, { contents: 'read' }, [repo]);
  const mayWrite = await here.fineGrained(owner, owner, { contents: 'write' }, [repo]);
  const scopeless = await here.token(owner, []);
  for (const [who, sees] of [
    [undefined, false],
    [reader, false],
    [mayRead, false],
    [scopeless, false],
    [writer, true],
    [mayWrite, true],
  ] as const) {
    const asking = await here.as(who);
    expect((await asking.get(path)).body.length).toBe(sees ? 1 : 0);
    expect((await asking.get(`${path}/${body.id}`)).status).toBe(sees ? 200 : 404);
    expect((await asking.get(`${path}/tags/v1`)).status).toBe(404);
  }
});

test('a draft makes no tag until it is published, and unpublishing it leaves the tag', async () => {
  const { client, base, path, first, repo } = await setting(here);
  const { body } = await client.post(path, { tag_name: 'v1', target_commitish: first, draft: true });
  expect((await client.get(`${base}/git/ref/tags/v1`)).status).toBe(404);
  await commitFiles(here, repo, { 'b.txt': 'b' });
  const published = await client.patch(`${path}/${body.id}`, { draft: false });
  expect(published).toMatchObject({ status: 200, body: { draft: false, published_at: expect.any(String) } });
  expect((await client.get(`${base}/git/ref/tags/v1`)).body.object.sha).toBe(first);
  expect((await client.get(`${path}/latest`)).body.id).toBe(body.id);
  const unpublished = await client.patch(`${path}/${body.id}`, { draft: true });
  expect(unpublished).toMatchObject({ status: 200, body: { draft: true, published_at: null } });
  expect((await client.get(`${path}/latest`)).status).toBe(404);
  expect((await client.get(`${base}/git/ref/tags/v1`)).status).toBe(200);
});

test('the latest release is the one that was made so, or else the newest; never a prerelease or a draft', async () => {
  const { client, path, repo } = await setting(here);
  const latest = async () => (await client.get(`${path}/latest`)).body?.tag_name;
  const publish = (tag_name: string, more = {}) => client.post(path, { tag_name, ...more });
  await publish('v1', { prerelease: true });
  expect(await latest()).toBeUndefined();
  await publish('v2');
  await publish('v3', { make_latest: 'false' });
  expect(await latest()).toBe('v2');
  await commitFiles(here, repo, { 'c.txt': 'c' });
  const { body: v4 } = await publish('v4', { make_latest: 'legacy' });
  expect(await latest()).toBe('v4');
  const { body: v2 } = await client.get(`${path}/tags/v2`);
  await client.patch(`${path}/${v2.id}`, { make_latest: 'true' });
  expect(await latest()).toBe('v2');
  await client.patch(`${path}/${v2.id}`, { prerelease: true });
  expect(await latest()).toBe('v4');
  await client.delete(`${path}/${v4.id}`);
  expect(await latest()).toBeUndefined();
});

test('of several releases of one commit, the highest version is the latest, where none was made so', async () => {
  const { client, path } = await setting(here);
  const latest = async () => (await client.get(`${path}/latest`)).body.tag_name;
  const publish = async (tag_name: string) =>
    expect((await client.post(path, { tag_name, make_latest: 'legacy' })).status).toBe(201);
  for (const [tag, expected] of [
    ['nightly', 'nightly'],
    ['v1.9.1', 'v1.9.1'],
    ['v1.10', 'v1.10'],
    ['v1.9.2', 'v1.10'],
    ['release-2', 'release-2'],
    ['weekly', 'release-2'],
    [`v1.${'9'.repeat(60)}`, 'release-2'],
  ] as const) {
    await publish(tag);
    expect(await latest(), tag).toBe(expected);
  }
});

test.each([
  [{ tag_name: 'a b' }, { field: 'tag_name', code: 'invalid' }],
  [{ tag_name: '../x' }, { field: 'tag_name', code: 'invalid' }],
  [{ tag_name: 'HEAD' }, { field: 'tag_name', code: 'invalid' }],
  [{}, { field: 'tag_name', code: 'missing_field' }],
  [{ tag_name: 'v1' }, { field: 'tag_name', code: 'already_exists' }],
  [
    { tag_name: 'v2', target_commitish: 'nowhere' },
    { field: 'target_commitish', code: 'invalid' },
  ],
  [
    { tag_name: 'v2', discussion_category_name: 'News' },
    { field: 'discussion_category_name', code: 'invalid' },
  ],
  [{ tag_name: 'v2', body: 'x'.repeat(125_001) }, { field: 'body' }],
  [{ tag_name: 'v2', make_latest: 'maybe' }, { field: 'make_latest' }],
])('a wrong value is refused, and changes nothing: %#', async (wanted, error) => {
  const { client, path, base } = await setting(here);
  await client.post(path, { tag_name: 'v1' });
  await here.unchanged(['releases', 'events', 'ref_changes'], async () => {
    const refused = await client.post(path, wanted);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ resource: 'Release', ...error }] } });
  });
  expect((await client.get(`${base}/tags`)).body.length).toBe(1);
});

test('an empty repository has nothing to publish', async () => {
  const owner = await here.user();
  const repo = await here.repo(owner);
  const refused = await (await here.as(owner)).post(`/repos/${owner.login}/${repo.name}/releases`, { tag_name: 'v1' });
  expect(refused).toMatchObject({ status: 422, body: { message: 'Repository is empty.' } });
});

test('of releases with the same tag that are published at once, one is', async () => {
  const { client, path } = await setting(here);
  const drafts = await Promise.all([1, 2, 3].map(() => client.post(path, { tag_name: 'v1', draft: true })));
  const replies = await Promise.all(drafts.map(({ body }) => client.patch(`${path}/${body.id}`, { draft: false })));
  const statuses = replies.map(({ status }) => status).sort();
  expect(statuses[0]).toBe(200);
  expect(statuses.slice(1).every((status) => status === 422 || status === 409)).toBe(true);
  expect((await client.get(path)).body.filter(({ draft }: { draft: boolean }) => !draft).length).toBe(1);
});

test('readers and strangers change nothing', async () => {
  const { client, path, repo } = await setting(here);
  const { body } = await client.post(path, { tag_name: 'v1' });
  const reader = await here.user();
  await here.collaborator(repo, reader, 'triage');
  const asking = await here.as(reader);
  expect((await asking.post(path, { tag_name: 'v2' })).status).toBe(403);
  expect((await asking.patch(`${path}/${body.id}`, { name: 'x' })).status).toBe(403);
  expect((await asking.delete(`${path}/${body.id}`)).status).toBe(403);
  expect((await asking.post(`${path}/generate-notes`, { tag_name: 'v2' })).status).toBe(403);
});

test('notes are made of the commits since the release before', async () => {
  const { client, path, repo, owner } = await setting(here);
  const wanted = { tag_name: 'v2' };
  const none = await client.post(`${path}/generate-notes`, { tag_name: 'v1' });
  expect(none).toMatchObject({ status: 200, body: { name: 'v1', body: expect.stringMatching(/\/commits\/v1$/) } });
  await client.post(path, { tag_name: 'v1' });
  const oid = await commitFiles(here, repo, { 'b.txt': 'b' }, 'Add b\n\nwith a body');
  const notes = await client.post(`${path}/generate-notes`, wanted);
  expect(notes.body.body).toContain("## What's Changed\n* Add b by ");
  expect(notes.body.body).toContain(` in ${oid}`);
  expect(notes.body.body).not.toContain('with a body');
  expect(notes.body.body).toContain(`/${owner.login}/${repo.name}/compare/v1...v2`);
  const unknown = await client.post(`${path}/generate-notes`, { ...wanted, previous_tag_name: 'v0' });
  expect(unknown).toMatchObject({ status: 422, body: { errors: [{ field: 'previous_tag_name' }] } });
  const created = await client.post(path, { ...wanted, body: 'Mine', generate_release_notes: true });
  expect(created.body).toMatchObject({ name: 'v2', body: `Mine\n\n${notes.body.body}` });
});

test('notes list the pull requests that were merged since, by each method, and nothing that was only opened', async () => {
  const { client, base, commit, open, tested, ada, repo } = await pullSetting(here);
  await client.post(`${base}/releases`, { tag_name: 'v1' });
  const expected: string[] = [];
  for (const merge_method of ['merge', 'squash', 'rebase']) {
    await commit(merge_method, { [`${merge_method}-1.txt`]: '1\n' }, 'One of two');
    await commit(merge_method, { [`${merge_method}-2.txt`]: '2\n' }, 'Two of two');
    const number = await open(merge_method, { title: `By ${merge_method}` });
    await tested(number);
    expect((await client.put(`${base}/pulls/${number}/merge`, { merge_method })).status).toBe(200);
    expected.push(`* By ${merge_method} by @${ada.login} in ${here.url}/${ada.login}/${repo.name}/pull/${number}`);
  }
  await commit('open', { 'open.txt': 'o\n' });
  await tested(await open('open'));
  const { body } = await client.post(`${base}/releases/generate-notes`, { tag_name: 'v2' });
  const page = `${here.url}/${ada.login}/${repo.name}`;
  const newcomer = `* @${ada.login} made their first contribution in ${expected[0]?.split(' in ')[1]}`;
  const changed = `## What's Changed\n${expected.join('\n')}\n\n## New Contributors\n${newcomer}\n\n`;
  expect(body.body).toBe(`${changed}**Full Changelog**: ${page}/compare/v1...v2`);
  await client.delete(`${base}/releases/${(await client.get(`${base}/releases/latest`)).body.id}`);
  const first = await client.post(`${base}/releases/generate-notes`, { tag_name: 'v2' });
  expect(first.body.body).toBe(`${changed}**Full Changelog**: ${page}/commits/v2`);
});

test('a file of settings sorts pull requests by their labels, and leaves some out', async () => {
  const { client, base, commit, open, tested } = await pullSetting(here);
  await client.post(`${base}/releases`, { tag_name: 'v1' });
  const merge = async (head: string, labels: string[]) => {
    await commit(head, { [`${head}.txt`]: head });
    const number = await open(head, { title: head });
    if (labels.length > 0) await client.post(`${base}/issues/${number}/labels`, { labels });
    await tested(number);
    expect((await client.put(`${base}/pulls/${number}/merge`)).status).toBe(200);
  };
  const notes = async (wanted: object = {}) => client.post(`${base}/releases/generate-notes`, { tag_name: 'v2', ...wanted });
  const linesOf = (body: string) => body.split('\n').map((line) => line.replace(/ (by|in|made) .*/, ''));
  await merge('plain', []);
  await merge('louder', ['feature', 'bug']);
  await merge('quieter', ['Bug']);
  await merge('hidden', ['bug', 'chore']);
  const settings = (more: string) => `changelog:
  exclude: {labels: [chore]}
  categories:
    - {title: Repairs, labels: [bug], exclude: {labels: [feature]}}
    - {title: Never, labels: [none]}
    - {title: Features, labels: [feature]}
${more}`;
  await commit('main', { '.github/release.yml': settings('') });
  expect(linesOf((await notes()).body.body).slice(0, 8)).toEqual([
    "## What's Changed",
    '### Repairs',
    '* quieter',
    '### Features',
    '* louder',
    '### Other Changes',
    '* plain',
    '',
  ]);
  await commit('main', {
    'notes.yml': settings('    - {title: All, labels: ["*"]}'),
    'bad.yml': 'changelog: [',
    'long.yml': `${settings('    - {title: All, labels: ["*"]}')}#${'x'.repeat(16_384)}`,
    'untitled.yml': settings('    - {title: " ", labels: ["*"]}'),
  });
  const named = await notes({ configuration_file_path: 'notes.yml' });
  expect(linesOf(named.body.body).slice(5, 7)).toEqual(['### All', '* plain']);
  const refused = { status: 422, body: { errors: [{ field: 'configuration_file_path' }] } };
  for (const configuration_file_path of [
    ...['none.yml', 'bad.yml', 'long.yml', 'untitled.yml'],
    ...['../../etc/passwd', '.github', '/notes.yml', 'notes.yml/', 'notes.yml\0', 'notes.yml/x', ':notes.yml', '\ud800', '.'],
  ])
    expect(await notes({ configuration_file_path })).toMatchObject(refused);
});

test.each([
  ['', true],
  ['changelog:', true],
  ['changelog: {categories: [{title: A}]}', true],
  ['changelog: {categories: [{labels: [a]}]}', false],
  ['changelog: {categories: {a: 1}}', false],
  ['changelog: {exclude: {labels: a}}', false],
  ['- a', false],
  ['a: &a [1]\nb: [*a, *a]', false],
  ['a: b: c', false],
])('settings of notes: %j', async (text, isUsable) => {
  expect((await readNotesSettings(text)) !== undefined).toBe(isUsable);
});

test('a release has reactions', async () => {
  const { client, path } = await setting(here);
  const { body } = await client.post(path, { tag_name: 'v1' });
  const at = `${path}/${body.id}/reactions`;
  const reader = await here.as(await here.user());
  expect((await client.post(at, { content: 'rocket' })).status).toBe(201);
  expect((await client.post(at, { content: 'rocket' })).status).toBe(200);
  const other = await reader.post(at, { content: 'heart' });
  expect(other.status).toBe(201);
  expect((await client.get(`${path}/${body.id}`)).body.reactions).toMatchObject({ total_count: 2, rocket: 1, heart: 1 });
  expect((await client.get(`${at}?content=heart`)).body).toEqual([other.body]);
  expect((await client.delete(`${at}/${other.body.id}`)).status).toBe(403);
  expect((await reader.delete(`${at}/${other.body.id}`)).status).toBe(204);
  expect((await client.get(`${path}/${body.id}`)).body.reactions).toMatchObject({ total_count: 1, heart: 0 });
});

test('a list costs the same number of statements for one and for many', async () => {
  const { client, path, owner } = await setting(here);
  const { body } = await client.post(path, { tag_name: 'v0' });
  const one = await here.statements(owner, path);
  for (let n = 1; n < 12; n++) await client.post(path, { tag_name: `v${n}` });
  expect(await here.statements(owner, path)).toBe(one);
  expect(one).toBeLessThanOrEqual(4);
  expect(await here.statements(owner, `${path}/${body.id}`)).toBeLessThanOrEqual(4);
  expect(await here.statements(owner, `${path}/tags/v3`)).toBeLessThanOrEqual(3);
  expect(await here.statements(owner, `${path}/latest`)).toBeLessThanOrEqual(4);
});

test('a draft whose tag another release has is not published, and makes no tag', async () => {
  const { client, path, base } = await setting(here);
  await client.post(path, { tag_name: 'v1' });
  const { body: draft } = await client.post(path, { tag_name: 'v1', draft: true });
  await client.delete(`${base}/git/refs/tags/v1`);
  await here.unchanged(['releases', 'events', 'ref_changes'], async () => {
    const refused = await client.patch(`${path}/${draft.id}`, { draft: false });
    const errors = [{ resource: 'Release', field: 'tag_name', code: 'already_exists' }];
    expect(refused).toMatchObject({ status: 422, body: { errors } });
  });
  expect((await client.get(`${base}/tags`)).body).toEqual([]);
});
