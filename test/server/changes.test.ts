// What the scope of a change knows, and what that of the request knows after it.
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { writesIssues } from '#access/policies.ts';
import { scopes } from '#access/scopes.ts';
import type { Viewer } from '#access/viewer.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { linksOf } from '#endpoint/links.ts';
import { openScope } from '#endpoint/scope.ts';
import { asId } from '#lib/id.ts';
import { issue } from '#resources/collaboration/issues/index.ts';
import { issueNumbers } from '#resources/collaboration/issues/store.ts';
import { namedRepositories, updateRepository } from '#resources/repositories/repositories/index.ts';
import { run } from '#server/run.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const Titles = Type.Array(Type.Union([Type.String(), Type.Null()]));

/** A request of somebody with an issue, by an endpoint that is none of the API's. */
async function setting() {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  await client.post(`/repos/${ada.login}/${repo.name}/issues`, { title: 'before' });
  const viewer: Viewer = { account: ada, grant: { kind: 'classic_pat', tokenId: asId<'tokens'>(1), scopes } };
  const { services } = w.hearth;
  const scope = openScope({ db: w.db, links: linksOf(w.url), viewer, now: w.clock.now, git: services.git });
  const context = { scope, services, caller: { key: 'test', kind: 'signed_in' } as const, address: '127.0.0.1' };
  return { repo, context, words: { owner: ada.login, repo: repo.name, issue_number: 1 } };
}

const declared = {
  id: 'test/change',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/test',
  resources: [issue],
  summary: 'Test a change',
  access: writesIssues,
  replies: { 200: Titles },
} as const;

test('a row that a change locks is read again, and its scope knows it so', async () => {
  const { context, words } = await setting();
  const locking = endpoint({
    ...declared,
    async handle({ scope, at, change }) {
      expect(scope.load.loaded(issueNumbers, at.issue.id)).toBe(at.issue);
      await w.db.updateTable('issues').set({ title: 'meanwhile' }).where('id', '=', at.issue.id).execute();
      const title = await change(async (scope, { issue }) => {
        expect(scope.load.loaded(issueNumbers, issue.id)).toBe(issue);
        return issue.title;
      });
      return [at.issue.title, title];
    },
  });
  expect((await run(locking, context, words)).body).toEqual(['before', 'meanwhile']);
});

test('after a change the scope of the request gives nothing that it loaded before', async () => {
  const { repo, context, words } = await setting();
  const other = await w.repo(repo.owner);
  const forgetting = endpoint({
    ...declared,
    async handle({ scope, change }) {
      const describe = async () => (await scope.load(namedRepositories, other.id))?.description ?? null;
      const before = await describe();
      await change(async ({ tx }) => updateRepository(tx, other.id, { description: 'changed' }));
      return [before, await describe()];
    },
  });
  expect((await run(forgetting, context, words)).body).toEqual([null, 'changed']);
});

test('a change that fails leaves nothing, neither in the database nor in the scope', async () => {
  const { repo, context, words } = await setting();
  const failing = endpoint({
    ...declared,
    async handle({ scope, change }) {
      await scope.load(namedRepositories, repo.id);
      const failed = await change(async (scope) => {
        await updateRepository(scope.tx, repo.id, { description: 'undone' });
        expect((await scope.load(namedRepositories, repo.id))?.description).toBe('undone');
        throw new Error('the end of it');
      }).catch((error: Error) => error.message);
      return [failed, (await scope.load(namedRepositories, repo.id))?.description ?? null];
    },
  });
  expect((await run(failing, context, words)).body).toEqual(['the end of it', null]);
});
