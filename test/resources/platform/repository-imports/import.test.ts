import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import type { Source } from '#resources/platform/repository-imports/source.ts';
import { git } from '#test/git/support.ts';
import { addressOf, workTree } from '#test/server/git-http/support.ts';
import type { Client } from '#test/support/client.ts';
import { fresh, type World, world } from '#test/support/world.ts';
import { imported, inFrontOf, json, sourceAt } from './support.ts';

/** A repository with history, 130 issues and 260 comments, of which some have everything. */
async function sourceRepository(here: World, visibility: 'public' | 'private' = 'private') {
  const [owner, author] = [await here.user(), await here.user()];
  const repo = await here.repo(owner, { visibility });
  await here.collaborator(repo, author, 'triage');
  const [token, client] = [await here.token(owner), await here.as(owner)];
  await git(await workTree({ 'engine.md': 'brass' }), 'push', '-q', addressOf(here, repo, token), 'main');
  const path = `/repos/${owner.login}/${repo.name}`;
  await client.patch(`${path}/labels/bug`, { color: '123456', description: 'Not as wanted' });
  await client.delete(`${path}/labels/wontfix`);
  await client.post(`${path}/milestones`, { title: 'First', due_on: '2026-05-01T00:00:00Z' });
  await client.post(`${path}/milestones`, { title: 'Second', state: 'closed', description: 'Later' });
  const whole = { title: 'Whole', body: 'A `body`', labels: ['bug'], assignees: [owner.login, author.login], milestone: 2 };
  await (await here.as(author)).post(`${path}/issues`, whole);
  const at = (minute: number) => new Date(Date.UTC(2024, 0, 1, 0, minute));
  const issues = await here.db
    .insertInto('issues')
    .values(
      Array.from({ length: 129 }, (_, i) => ({
        repository_id: repo.id,
        number: i + 3, // 2 is a gap, as a deleted issue leaves it
        title: `Issue ${i + 3}`,
        author_id: i % 2 === 0 ? owner.id : author.id,
        comments_count: 2,
        created_at: at(i),
        // Many were changed in one second, more than a page of them.
        updated_at: i < 110 ? at(200) : at(200 + i),
      })),
    )
    .returning(['id', 'number'])
    .execute();
  await here.db
    .insertInto('issue_comments')
    .values(
      [0, 1].flatMap((nth) =>
        issues.map(({ id, number }) => ({
          repository_id: repo.id,
          issue_id: id,
          author_id: nth === 0 ? owner.id : author.id,
          body: `${nth} on ${number}`,
          created_at: at(300 + nth),
          updated_at: at(400),
        })),
      ),
    )
    .execute();
  await here.db
    .updateTable('repositories')
    .set({ next_issue_number: 132, open_issues_count: 130 })
    .where('id', '=', repo.id)
    .execute();
  await client.patch(`${path}/issues/3`, { state: 'closed', state_reason: 'not_planned' });
  await client.put(`${path}/issues/4/lock`, { lock_reason: 'too heated' });
  await here.settle();
  return { owner, author, repo, token, client, path, address: `${here.url}/${owner.login}/${repo.name}` };
}

const names = (accounts: { login: string }[]): string[] => accounts.map(({ login }) => login).sort();

/** All issues and comments of a repository, without what differs in a copy. */
async function everything(client: Client, path: string) {
  const pages = async (list: string) => {
    const rows = [];
    for (let page = 1; ; page++) {
      const { body } = await client.get(`${path}${list}&per_page=100&page=${page}`);
      if (body.length === 0) return rows;
      rows.push(...body);
    }
  };
  const issues = await pages('/issues?state=all&sort=created&direction=asc');
  const comments = await pages('/issues/comments?sort=created&direction=asc');
  return {
    labels: (await pages('/labels?')).map(({ name, color, description, default: isDefault }) => [
      name,
      color,
      description,
      isDefault,
    ]),
    milestones: (await pages('/milestones?state=all')).map(
      ({ id: _id, node_id: _node, url: _url, html_url: _html, labels_url: _labels, creator, ...milestone }) => ({
        ...milestone,
        creator: creator?.login,
      }),
    ),
    issues: issues.map((issue) => ({
      ...Object.fromEntries(
        ['number', 'title', 'body', 'state', 'state_reason', 'locked', 'active_lock_reason', 'comments', 'closed_at'].map(
          (key) => [key, issue[key]],
        ),
      ),
      times: [issue.created_at, issue.updated_at],
      people: [issue.user?.login, issue.closed_by?.login],
      assignees: names(issue.assignees),
      labels: issue.labels.map(({ name }: { name: string }) => name),
      milestone: issue.milestone?.number,
    })),
    comments: comments.map(({ body, user, issue_url, created_at, updated_at }) => [
      Number(issue_url.split('/').at(-1)),
      body,
      user?.login,
      created_at,
      updated_at,
    ]),
  };
}

/** A source that breaks off after some pages. */
function breakingOff(source: Source, after: number): Source {
  let pages = 0;
  return {
    ...source,
    async readPage(address, shape) {
      if (pages++ === after) throw new Error('killed');
      return source.readPage(address, shape);
    },
  };
}

const asThemselves = (...accounts: Account[]) => new Map(accounts.map((account) => [account.login, account]));

test('a repository comes with everything, however often that is interrupted, and without events', async () => {
  const here = await world();
  const from = await sourceRepository(here);
  const name = fresh('copy');
  const { source } = sourceAt(here.url, { token: from.token });
  const wanted = {
    address: from.address,
    token: from.token,
    owner: { ...from.owner, role: 'owner' },
    by: from.owner,
    name,
    people: asThemselves(from.owner, from.author),
  };
  const to = `/repos/${from.owner.login}/${name}`;

  const outcomes: (string | number[])[] = [];
  for (let after = 1; after < 20 && typeof (outcomes.at(-1) ?? '') === 'string'; after++) {
    const attempt = imported(here, { ...wanted, source: breakingOff(source, after) });
    outcomes.push(await attempt.then(({ issues, comments }) => [issues, comments], String));
    if (after === 2) expect((await from.client.get(to)).body).toMatchObject({ private: true, has_issues: false });
    // Only who has a role can be assigned.
    if (after === 1) await here.collaborator(await repositoryOf(here, name), from.author, 'write');
  }
  expect(outcomes.length).toBeGreaterThan(3);
  expect(outcomes).toEqual([...outcomes.slice(1).map(() => 'Error: killed'), [130, 258]]);
  await here.settle();

  expect(await everything(from.client, to)).toEqual(await everything(from.client, from.path));
  const made = (await from.client.get(to)).body;
  expect(made).toMatchObject({ has_issues: true, open_issues_count: 129, default_branch: 'main', pushed_at: expect.any(String) });
  const { db } = here;
  const kinds = await db.selectFrom('events').select('kind').where('repository_id', '=', made.id).orderBy('id').execute();
  expect(kinds.map(({ kind }) => kind)).toEqual(['repository.created', 'repository.imported']);
  const found = await from.client.get(
    `/search/issues?q=${encodeURIComponent(`"on 17" in:comments repo:${from.owner.login}/${name}`)}`,
  );
  expect(found.body.items.map(({ number }: { number: number }) => number)).toEqual([17]);
  const code = await from.client.get(`/search/code?q=${encodeURIComponent(`brass repo:${from.owner.login}/${name}`)}`);
  expect(code.body.total_count).toBe(1);
  expect((await from.client.post(`${to}/issues`, { title: 'Next' })).body.number).toBe(132);
  await expect(imported(here, { ...wanted, source })).rejects.toThrow('is imported already');
  expect(await db.selectFrom('repository_import_items').selectAll().execute()).toEqual([]);
});

const repositoryOf = ({ db }: World, name: string) =>
  db.selectFrom('repositories').selectAll().where('name', '=', name).executeTakeFirstOrThrow();

test('without a map nobody here becomes the author of what others wrote', async () => {
  const here = await world();
  const from = await sourceRepository(here, 'public');
  const grace = await here.user();
  const name = fresh('copy');
  // The source has accounts of these logins, and so has this server.
  await imported(here, {
    address: from.address,
    owner: { ...grace, role: 'owner' },
    by: grace,
    name,
    source: sourceAt(here.url).source,
    people: new Map([[from.author.login, grace]]),
  });
  await here.settle();
  const client = await here.as(grace);
  const host = new URL(here.url).host;
  const to = `/repos/${grace.login}/${name}`;
  expect((await client.get(`${to}/issues/1`)).body).toMatchObject({
    user: { login: grace.login },
    body: 'A `body`',
    assignees: [{ login: grace.login }],
  });
  expect((await client.get(`${to}/issues/3`)).body).toMatchObject({
    user: null,
    closed_by: null,
    body: `*Originally by \`${from.owner.login}\` on ${host}*`,
  });
  expect((await client.get(`${to}/issues/4/comments`)).body).toMatchObject([
    { user: null, body: `*Originally by \`${from.owner.login}\` on ${host}*\n\n0 on 4` },
    { user: { login: grace.login }, body: '1 on 4' },
  ]);
  expect((await client.get(`/search/issues?q=author:${from.owner.login}+repo:${grace.login}/${name}`)).body.total_count).toBe(0);
});

test('pull requests leave their numbers free, and comments come that the list of all comments lacks', async () => {
  const here = await world();
  const from = await sourceRepository(here);
  const asked: string[] = [];
  const front = await inFrontOf(here.url, async ({ path }, answer) => {
    asked.push(path);
    if (path.includes('/issues/comments?') && /[?&]page=2/.test(path)) return json(422, { message: 'pagination is limited' });
    // Deleted after the list of issues was read.
    if (path.includes('/issues/129/comments')) return json(404, { message: 'Not Found' });
    const { status, headers, body } = await answer();
    if (!path.includes('/issues?')) return { status, headers, body };
    const issues = JSON.parse(body.toString());
    const changed = issues.map((issue: { number: number }) =>
      issue.number === 131 ? { ...issue, pull_request: {}, new: [1] } : issue,
    );
    return json(status, changed, headers.link === undefined ? {} : { link: headers.link });
  });
  const grace = await here.user();
  const { source } = sourceAt(front, { token: from.token });
  const { issues, comments, repository } = await imported(here, {
    address: `${front}/${from.owner.login}/${from.repo.name}.git`,
    token: from.token,
    owner: { ...grace, role: 'owner' },
    by: grace,
    name: fresh('copy'),
    source,
  });
  expect([issues, comments]).toEqual([129, 254]);
  expect(asked.some((path) => path.includes('/issues/130/comments?'))).toBe(true);
  const client = await here.as(grace);
  const to = `/repos/${grace.login}/${repository.name}`;
  expect((await client.get(`${to}/issues/131`)).status).toBe(404);
  expect((await client.get(`${to}/issues/130`)).body.comments).toBe(2);
  expect((await client.post(`${to}/issues`, { title: 'Next' })).body.number).toBe(132);
});

test('a page costs the same number of statements, whether it has one issue or many', async () => {
  const here = await world();
  const owner = await here.user();
  const client = await here.as(owner);
  const token = await here.token(owner);
  const statementsFor = async (issues: number): Promise<number> => {
    const path = `/repos/${owner.login}/${(await here.repo(owner)).name}`;
    await client.post(`${path}/milestones`, { title: 'First' });
    for (let i = 0; i < issues; i++) {
      const issue = { title: `Issue ${i}`, labels: ['bug', `l${i}`], assignees: [owner.login], milestone: 1 };
      const { body } = await client.post(`${path}/issues`, issue);
      await client.post(`${path}/issues/${body.number}/comments`, { body: 'A comment' });
    }
    const { source } = sourceAt(here.url, { token });
    const wanted = {
      owner: { ...owner, role: 'owner' },
      by: owner,
      people: asThemselves(owner),
      name: fresh('copy'),
      token,
      source,
    };
    const { result, statements } = await countStatements(() => imported(here, { ...wanted, address: here.url + path.slice(6) }));
    expect(result).toMatchObject({ issues, comments: issues });
    return statements.length;
  };
  await statementsFor(1); // notes the first use of the token
  expect(await statementsFor(12)).toBe(await statementsFor(1));
});

test('what fails before the repository is complete on disk leaves nothing behind', async () => {
  const here = await world();
  const from = await sourceRepository(here);
  const wanted = { address: from.address, owner: { ...from.owner, role: 'owner' }, by: from.owner, name: fresh('copy') };
  const { source } = sourceAt(here.url, { token: from.token });
  await here.unchanged(['repositories', 'repository_imports', 'labels', 'events'], async () => {
    const taken = imported(here, { ...wanted, name: from.repo.name, token: from.token, source });
    await expect(taken).rejects.toThrow('is there already, and is no import of');
    await expect(imported(here, { ...wanted, source: sourceAt(here.url).source })).rejects.toThrow(
      'may be private and want a token',
    );
    const wrong = sourceAt(here.url, { token: 'wrong' }).source;
    await expect(imported(here, { ...wanted, source: wrong })).rejects.toThrow("doesn't accept the token");
    // The API is readable, and Git isn't.
    await expect(imported(here, { ...wanted, source })).rejects.toThrow('The repository could not be fetched');
  });
});

test('what the source refuses midway is told, and the same command goes on', async () => {
  const here = await world();
  const owner = await here.user();
  const token = await here.token(owner);
  const repo = await here.repo(owner);
  await (await here.as(owner)).post(`/repos/${owner.login}/${repo.name}/issues`, { title: 'One' });
  let isBroken = true;
  const front = await inFrontOf(here.url, async ({ path }, answer) =>
    isBroken && path.includes('/issues?') ? json(400, { message: 'Not today' }) : answer(),
  );
  const wanted = { address: `${front}/${owner.login}/${repo.name}`, owner: { ...owner, role: 'owner' }, by: owner, token };
  const again = { ...wanted, name: fresh('copy'), source: sourceAt(front, { token }).source };
  await expect(imported(here, again)).rejects.toMatchObject({
    name: 'Refusal',
    message: expect.stringMatching(/Not today.*\. The import isn't complete: the same command goes on with it$/s),
  });
  isBroken = false;
  expect(await imported(here, again)).toMatchObject({ issues: 1 });
});
