// What is pushed is a workflow at once: no request waits for the event of the push, which is delivered by `settle` here.
import { expect, test } from 'vitest';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const file = (name: string) => `name: ${name}\non: workflow_dispatch\njobs:\n  a: {runs-on: x, steps: [{run: x}]}\n`;
const path = '.github/workflows/ci.yml';

async function setting() {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility: 'public' });
  const base = `/repos/${ada.login}/${repo.name}/actions`;
  const client = await w.as(ada);
  const named = async () =>
    (await client.get(`${base}/workflows`)).body.workflows.map(({ name, state }: { name: string; state: string }) => [
      name,
      state,
    ]);
  return { ada, repo, base, client, named };
}

test('a workflow is dispatched by its name at once after its push', async () => {
  const { repo, base, client } = await setting();
  expect((await client.post(`${base}/workflows/ci.yml/dispatches`, { ref: 'main' })).status).toBe(404);
  await commitFiles(w, repo, { [path]: file('One') });
  expect((await client.post(`${base}/workflows/ci.yml/dispatches`, { ref: 'main' })).status).toBe(204);
  expect((await client.get(`${base}/runs`)).body.workflow_runs).toMatchObject([{ name: 'One', event: 'workflow_dispatch' }]);
  expect((await client.post(`${base}/workflows/other.yml/dispatches`, { ref: 'main' })).status).toBe(404);
});

test('workflows are listed at once after a push, also changed and deleted ones, and the event adds nothing', async () => {
  const { repo, base, client, named } = await setting();
  await commitFiles(w, repo, { [path]: file('One') });
  expect(await named()).toEqual([['One', 'active']]);
  const { body: found } = await (await w.as(undefined)).get(`${base}/workflows/ci.yml`);
  expect(found).toMatchObject({ name: 'One', path });
  await commitFiles(w, repo, { [path]: file('Two'), '.github/workflows/more.yml': file('More') });
  expect(await named()).toEqual([
    ['Two', 'active'],
    ['More', 'active'],
  ]);
  const contents = `${base.replace(/\/actions$/, '')}/contents/${path}`;
  const { sha } = (await client.get(contents)).body;
  await client.delete(contents, { message: 'Remove', sha });
  expect(await named()).toEqual([
    ['Two', 'deleted'],
    ['More', 'active'],
  ]);
  await w.settle();
  expect(await named()).toHaveLength(2);
});

test('a workflow whose file returns, or says something else, is so at once by its name and its id', async () => {
  const { repo, base, client } = await setting();
  await commitFiles(w, repo, { [path]: file('One') });
  await w.settle();
  const { body: first } = await client.get(`${base}/workflows/ci.yml`);
  const dispatch = async () => (await client.post(`${base}/workflows/ci.yml/dispatches`, { ref: 'main' })).status;
  const told = () =>
    Promise.all(
      ['ci.yml', first.id].map(async (word) => {
        const { name, state } = (await client.get(`${base}/workflows/${word}`)).body;
        return [name, state];
      }),
    );
  await commitFiles(w, repo, { 'README.md': 'Hi' });
  expect(await dispatch()).toBe(422);
  await w.settle();
  expect(await told()).toEqual([
    ['One', 'deleted'],
    ['One', 'deleted'],
  ]);
  await commitFiles(w, repo, { [path]: file('One') });
  expect(await dispatch()).toBe(204);
  await commitFiles(w, repo, { [path]: file('Two') });
  expect(await told()).toEqual([
    ['Two', 'active'],
    ['Two', 'active'],
  ]);
  await commitFiles(w, repo, { 'README.md': 'Hi' });
  expect((await client.put(`${base}/workflows/ci.yml/enable`)).status).toBe(422);
  await commitFiles(w, repo, { [path]: file('Three') });
  expect((await client.put(`${base}/workflows/ci.yml/disable`)).status).toBe(204);
  expect(await told()).toEqual([
    ['Three', 'disabled_manually'],
    ['Three', 'disabled_manually'],
  ]);
});
