import { expect, test } from 'vitest';
import { scopes } from '#access/scopes.ts';
import type { Account, Viewer } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { linksOf } from '#endpoint/links.ts';
import { openScope } from '#endpoint/scope.ts';
import { asId } from '#lib/id.ts';
import { getContent } from '#resources/code/contents/endpoints/files.ts';
import { listIssueComments } from '#resources/collaboration/issues/endpoints/comments.ts';
import { createIssue, getRepoIssue } from '#resources/collaboration/issues/endpoints/issues.ts';
import { listRepoIssues } from '#resources/collaboration/issues/endpoints/lists.ts';
import { type RunContext, run } from '#server/run.ts';
import { world } from '#test/support/world.ts';

const w = await world();

/** What endpoints run with for a viewer, as a page has it. */
function contextFor(viewer: Viewer): RunContext {
  const { services } = w.hearth;
  const scope = openScope({ db: w.db, links: linksOf(w.url), viewer, now: w.clock.now, git: services.git });
  return { scope, services, caller: { key: 'test', kind: 'signed_in' }, address: '127.0.0.1' };
}

/** An account with a token that has all scopes. */
const session = (account: Account): Viewer => ({
  account,
  grant: { kind: 'classic_pat', tokenId: asId<'tokens'>(1), scopes },
});

async function setting() {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility: 'private' });
  const words = { owner: ada.login, repo: repo.name };
  const client = await w.as(ada);
  await client.post(`/repos/${ada.login}/${repo.name}/issues`, { title: 'The pump leaks', body: 'It *does*' });
  await client.post(`/repos/${ada.login}/${repo.name}/issues/1/comments`, { body: 'Since Monday' });
  await w.settle();
  return { ada, repo, words, issue: { ...words, issue_number: 1 }, client };
}

test('an endpoint runs within the process as a request does, with the types of its reply', async () => {
  const { ada, words, issue, client } = await setting();
  const context = contextFor(session(ada));
  const { status, body } = await run(getRepoIssue, context, issue);
  const requested = await client.get(`/repos/${words.owner}/${words.repo}/issues/1`);
  expect({ status, title: body.title, number: body.number }).toEqual({ status: 200, title: 'The pump leaks', number: 1 });
  expect(JSON.parse(JSON.stringify(body))).toEqual(requested.body);

  const list = await run(listRepoIssues, context, words, { query: { state: 'all', per_page: 1 } });
  expect(list.body.map(({ title }) => title)).toEqual(['The pump leaks']);
  expect(list.list).toMatchObject({ total: 1 });
});

test('a change runs in a transaction, and what was read before it is read again', async () => {
  const { ada, words } = await setting();
  const context = contextFor(session(ada));
  const before = await run(listRepoIssues, context, words);
  const made = await run(createIssue, context, words, { body: { title: 'Another' } });
  expect(made).toMatchObject({ status: 201, body: { number: 2, title: 'Another' } });
  const after = await run(listRepoIssues, context, words);
  expect([before.body.length, after.body.length]).toEqual([1, 2]);
});

test("an issue of one's own repository is read without the fields of organizations and the roles of authors", async () => {
  const { ada, issue } = await setting();
  const further = /issue_field_values|memberships m where/;
  const own = await countStatements(() => run(getRepoIssue, contextFor(session(ada)), issue));
  expect(own.result.body).toMatchObject({ author_association: 'OWNER', issue_field_values: [] });
  expect(own.statements.filter((text) => text.includes('issue_labels'))).toHaveLength(1);
  expect(own.statements.filter((text) => text.includes('issue_labels') && further.test(text))).toEqual([]);
});

test('each endpoint of a scope decides about access for itself, and the repository is found once', async () => {
  const { ada, words, issue } = await setting();
  const context = contextFor(session(ada));
  const first = await countStatements(() => run(getRepoIssue, context, issue));
  const second = await countStatements(() => run(getRepoIssue, context, issue));
  const comments = await countStatements(() => run(listIssueComments, context, issue));
  expect(first.statements.filter((text) => /from repositories r join accounts o/.test(text))).toHaveLength(1);
  for (const { statements } of [second, comments])
    expect(statements.filter((text) => /from repositories r join accounts o/.test(text))).toEqual([]);

  const stranger = contextFor(session(await w.user()));
  const refused = { kind: 'not_found' };
  await expect(run(getRepoIssue, stranger, issue)).rejects.toMatchObject(refused);
  await expect(run(listIssueComments, stranger, issue)).rejects.toMatchObject(refused);
  // The scope of somebody who may read issues alone has the repository, and refuses its files.
  const reader = contextFor({
    account: ada,
    grant: {
      kind: 'fine_grained_pat',
      tokenId: asId<'tokens'>(1),
      ownerId: ada.id,
      selection: 'all',
      permissions: { issues: 'read' },
    },
  });
  await run(getRepoIssue, reader, issue);
  await expect(run(getContent, reader, { ...words, path: 'README.md' })).rejects.toMatchObject({ kind: 'forbidden' });
});

test('what is given is validated as a request is', async () => {
  const { ada, words } = await setting();
  const context = contextFor(session(ada));
  await expect(run(listRepoIssues, context, words, { query: { state: 'odd' as never } })).rejects.toMatchObject({
    kind: 'invalid',
  });
  await expect(run(createIssue, context, words, { body: { title: 'a', labels: 7 as never } })).rejects.toMatchObject({
    kind: 'invalid',
  });
  await expect(run(createIssue, context, words, {})).rejects.toMatchObject({ kind: 'invalid' });
  await expect(run(createIssue, context, words, { body: { title: 'a\0b' } })).rejects.toMatchObject({ kind: 'invalid' });
});

test('texts come in the media type that is asked for', async () => {
  const { ada, issue } = await setting();
  const { body } = await run(getRepoIssue, contextFor(session(ada)), issue, { media: 'html' });
  expect(body).toMatchObject({ body_html: expect.stringContaining('<em>does</em>') });
});
