import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { requestCodeOwners } from '#resources/collaboration/code-owners/jobs.ts';
import { addCommit, diskOf, point } from '#test/resources/code/commits/setting.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { team } from '#test/resources/identity/teams/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();

type Role = Parameters<typeof w.collaborator>[2];

/** An organization's repository with this file of code owners on main, where `{name}` stands for the login of somebody. */
async function owning(text: string, { path = 'CODEOWNERS', roles = {} as Record<string, Role> } = {}) {
  const at = await pullSetting(w, { ownedBy: 'organization' });
  const people: Record<string, Account> = { ada: at.ada };
  for (const [name, role] of Object.entries({ grace: 'write', joan: 'write', ...roles } as Record<string, Role>)) {
    const user = await w.user();
    await w.collaborator(at.repo, user, role);
    people[name] = user;
  }
  const nameOf = (login: string) => Object.entries(people).find(([, user]) => user.login === login)?.[0] ?? login;
  const writeFile = (contents: string, where = path) =>
    at.commit('main', {
      [where]: contents.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'org' ? at.owner.login : (people[name]?.login ?? name))),
    });
  await writeFile(text);
  const requests = async (number: number) => {
    await w.settle();
    const { body } = await at.client.get(`${at.base}/pulls/${number}/requested_reviewers`);
    return [
      ...body.users.map(({ login }: { login: string }) => nameOf(login)),
      ...body.teams.map(({ slug }: { slug: string }) => slug),
    ];
  };
  return { ...at, people, requests, writeFile };
}

test('owners of what changes are asked, as the author asks, and others not', async () => {
  const { client, base, commit, open, requests, people, ada } = await owning('*.js @{grace}\ndocs/ @{joan} @{ada}\n');
  await commit('topic', { 'src/a.js': '1' });
  expect(await requests(await open('topic'))).toEqual(['grace']);
  expect((await client.get(`${base}/issues/1/events`)).body).toMatchObject([
    { event: 'review_requested', actor: { login: ada.login }, requested_reviewer: { login: people.grace?.login } },
  ]);
  await commit('guide', { 'docs/a.md': '1', 'docs/b.js': '2' });
  // The author isn't asked, although she owns it.
  expect(await requests(await open('guide'))).toEqual(['joan']);
  await commit('none', { 'c.txt': '1' });
  expect(await requests(await open('none'))).toEqual([]);
});

test('a push asks the owners of further files, and nobody again', async () => {
  const { client, base, commit, open, requests, people } = await owning('*.js @{grace}\n*.md @{joan}\n');
  await commit('topic', { 'a.js': '1' });
  const number = await open('topic');
  expect(await requests(number)).toEqual(['grace']);
  await client.delete(`${base}/pulls/${number}/requested_reviewers`, { reviewers: [people.grace?.login] });
  await commit('topic', { 'b.js': '1', 'b.md': '1' });
  expect(await requests(number)).toEqual(['joan']);
  await commit('topic', { 'c.md': '1' });
  expect(await requests(number)).toEqual(['joan']);
});

test('drafts wait until they are ready', async () => {
  const { client, base, commit, open, requests } = await owning('* @{grace}');
  await commit('topic', { 'a.js': '1' });
  const number = await open('topic', { draft: true });
  expect(await requests(number)).toEqual([]);
  await client.patch(`${base}/pulls/${number}`, { draft: false });
  expect(await requests(number)).toEqual(['grace']);
});

test('another base has other owners', async () => {
  const { client, repo, base, commit, open, requests, people, first } = await owning('* @{grace}');
  const file = { CODEOWNERS: `* @${people.joan?.login}` };
  await point(w, repo, 'refs/heads/old', await addCommit(diskOf(w, repo), { files: file, parents: [first], message: 'Old' }));
  await commit('topic', { 'a.js': '1' });
  const number = await open('topic');
  expect(await requests(number)).toEqual(['grace']);
  await client.patch(`${base}/pulls/${number}`, { base: 'old' });
  expect(await requests(number)).toEqual(['grace', 'joan']);
});

test('the first of three places counts, and only on the base', async () => {
  const { commit, open, requests, writeFile, people } = await owning('* @{grace}', { path: 'docs/CODEOWNERS' });
  await commit('one', { CODEOWNERS: `* @${people.joan?.login}` });
  expect(await requests(await open('one'))).toEqual(['grace']);
  await writeFile('* @{joan}', 'CODEOWNERS');
  await commit('two', { 'a.js': '1' });
  expect(await requests(await open('two'))).toEqual(['joan']);
  await writeFile('a.js\n', '.github/CODEOWNERS');
  await commit('three', { 'a.js': '1' });
  expect(await requests(await open('three'))).toEqual([]);
});

test('owners by address and by team are asked, if they may write', async () => {
  const at = await owning('');
  const { client, base, owner, repo, commit, open, requests, writeFile, people } = at;
  const mary = await w.user(undefined, { email: 'mary@example.com' });
  const reader = await w.user(undefined, { email: 'reader@example.com' });
  await w.collaborator(repo, mary, 'write');
  await w.collaborator(repo, reader, 'triage');
  people.mary = mary;
  const [writes, reads, spies, elsewhere] = [
    await team(w, owner, { privacy: 'closed' }),
    await team(w, owner, { privacy: 'closed' }),
    await team(w, owner, { privacy: 'secret' }),
    await team(w, await w.org(at.ada), { privacy: 'closed' }),
  ];
  for (const [some, permission] of [
    [writes, 'push'],
    [reads, 'pull'],
    [spies, 'push'],
  ] as const)
    await client.put(`/orgs/${owner.login}/teams/${some.slug}${base}`, { permission });
  const teams = [writes, reads, spies].map(({ slug }) => `@{org}/${slug.toUpperCase()}`);
  await writeFile(
    `* Mary@Example.com reader@example.com nobody@example.com @${reader.login} @nobody-here ${teams.join(' ')} ` +
      `@x/${elsewhere.slug}`,
  );
  await commit('topic', { 'a.js': '1' });
  expect(await requests(await open('topic'))).toEqual(['mary', writes.slug]);
});

test('a file that moved has the owners of both places', async () => {
  const { commit, open, requests, client, base } = await owning('/old/ @{grace}\n/new/ @{joan}\n');
  await commit('main', { 'old/a.txt': 'one\ntwo\nthree\nfour\n' });
  const { body } = await client.get(`${base}/git/ref/heads/main`);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: body.object.sha });
  await commit('topic', { 'old/a.txt': null, 'new/a.txt': 'one\ntwo\nthree\nfour\n' });
  expect((await requests(await open('topic'))).sort()).toEqual(['grace', 'joan']);
});

test('work that is repeated asks nobody twice', async () => {
  const { client, base, commit, open, requests } = await owning('* @{grace}');
  await commit('topic', { 'a.js': '1' });
  const number = await open('topic');
  expect(await requests(number)).toEqual(['grace']);
  const event = await w.db
    .selectFrom('events')
    .selectAll()
    .where('kind', '=', 'pull_request.opened')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const again = { ...event, owner: event.owner_id, at: event.created_at } as unknown as Parameters<
    typeof requestCodeOwners.run
  >[0];
  const context = { db: w.db, change: w.change, services: w.hearth.services, now: w.clock.now } as Parameters<
    typeof requestCodeOwners.run
  >[1];
  await requestCodeOwners.run(again, context);
  expect((await client.get(`${base}/issues/${number}/events`)).body).toHaveLength(1);
});

test('what is wrong with the file is told, of owners to those who may write', async () => {
  const { client, base, people, repo, owner, ada } = await owning(
    '***/*.rb @{grace}\n*.txt docs@\n*.md @nobody-here @{grace} @{reader}\n',
    {
      roles: { reader: 'read' },
    },
  );
  const path = `${base}/codeowners/errors`;
  const line = `*.md @nobody-here @${people.grace?.login} @${people.reader?.login}`;
  const invalid = [
    { line: 1, column: 1, kind: 'Invalid pattern', suggestion: 'Did you mean **/*.rb?', path: 'CODEOWNERS' },
    { line: 2, column: 7, kind: 'Invalid owner', source: '*.txt docs@', suggestion: null },
  ];
  const { body, status } = await client.get(path);
  expect(status).toBe(200);
  expect(body.errors).toMatchObject([
    ...invalid,
    { line: 3, column: 6, kind: 'Unknown owner', source: line },
    { line: 3, column: line.lastIndexOf('@') + 1, kind: 'Unknown owner', source: line },
  ]);
  expect(body.errors[1].message).toBe('Invalid owner on line 2:\n\n  *.txt docs@\n        ^');
  const limited = await w.fineGrained(ada, owner, { issues: 'read' }, [repo]);
  for (const who of [undefined, people.reader, limited])
    expect((await (await w.as(who)).get(path)).body.errors).toMatchObject(invalid);
  expect((await client.get(`${path}?ref=nothing`)).status).toBe(404);
  expect(await w.statements(ada, path)).toBeLessThanOrEqual(5);
});

test('errors of a long line show the part of it that is wrong', async () => {
  const unknown = Array.from({ length: 1_000 }, (_, at) => `@nobody${at}`).join(' ');
  const { client, base } = await owning(`* ${unknown} # ${'c'.repeat(100_000)}`);
  const reply = await client.get(`${base}/codeowners/errors`);
  expect(reply.body.errors).toHaveLength(1_000);
  expect(JSON.stringify(reply.body).length).toBeLessThan(2_000_000);
  const [first, last] = [reply.body.errors[0], reply.body.errors.at(-1)];
  expect(first).toMatchObject({ column: 3, source: expect.stringMatching(/^\* @nobody0 @nobody1/) });
  expect(last.source).toContain('@nobody999');
  const [, line, mark] = last.message.match(/\n {2}(.*)\n( *\^)$/) ?? [];
  expect(line.slice(mark.length - 3)).toMatch(/^@nobody999 #/);
});

test('without a file there are no errors to list, and one that is too large is not used', async () => {
  const { client, base, commit, open, requests, first, writeFile, repo } = await owning('* @{grace}');
  await point(w, repo, 'refs/heads/bare', first);
  expect((await client.get(`${base}/codeowners/errors?ref=bare`)).status).toBe(404);
  expect((await client.get(`${base}/codeowners/errors`)).body).toEqual({ errors: [] });
  await writeFile(`* @{grace}\n${'#'.repeat(3 * 1024 * 1024)}`);
  expect((await client.get(`${base}/codeowners/errors`)).body.errors).toMatchObject([{ kind: 'Too large' }]);
  await commit('topic', { 'a.js': '1' });
  expect(await requests(await open('topic'))).toEqual([]);
});
