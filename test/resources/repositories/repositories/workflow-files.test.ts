// Workflows run with the secrets of their organization, so that to bring them there takes the right to write them.
import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();

const workflow = { '.github/workflows/ci.yml': 'on: push\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n' };

/** An organization of somebody who has a public template of their own. */
async function setting(files: Record<string, string>) {
  const person = await w.user();
  const org = await w.org(person);
  const source = await w.repo(person);
  await commitFiles(w, source, files);
  const path = `/repos/${person.login}/${source.name}`;
  expect((await (await w.as(person)).patch(path, { is_template: true })).status).toBe(200);
  return { person, org, path };
}

type Way = (path: string, owner: string) => [path: string, body: object];
const template: Way = (path, owner) => [`${path}/generate`, { owner, name: fresh('made'), private: true }];
const ways: [string, Way][] = [
  ['a template', template],
  ['a fork', (path, organization) => [`${path}/forks`, { organization }]],
  ['a transfer', (path, new_owner) => [`${path}/transfer`, { new_owner }]],
];

test.each(ways)('%s brings no workflow into an organization by a token without the scope', async (_, way) => {
  const { person, org, path } = await setting(workflow);
  const without = await w.as(await w.token(person, ['repo']));
  await w.unchanged(['repositories', 'events'], async () =>
    expect(await without.post(...way(path, org.login))).toMatchObject({
      status: 403,
      body: {
        message:
          'refusing to allow a Personal Access Token to create or update workflow `.github/workflows` without `workflow` scope',
      },
    }),
  );
  const granted = await w.as(await w.token(person, ['repo', 'workflow']));
  expect((await granted.post(...way(path, org.login))).status).toBeLessThan(300);
});

test.each(ways)('%s without workflows needs no more than before', async (_, way) => {
  const { person, org, path } = await setting({ 'a.txt': 'a' });
  const without = await w.as(await w.token(person, ['repo']));
  expect((await without.post(...way(path, org.login))).status).toBeLessThan(300);
});

test('an app needs the permission where the copy goes; what is of the same organization goes nowhere else', async () => {
  const { person, org, path } = await setting(workflow);
  const permissions = { administration: 'write', contents: 'write', metadata: 'read' };
  const weak = await w.as((await installApp(w, { on: org, permissions })).token);
  const own = await w.repo(org, { by: person });
  await commitFiles(w, own, workflow);
  const ownPath = `/repos/${org.login}/${own.name}`;
  await (await w.as(person)).patch(ownPath, { is_template: true });
  expect((await weak.post(...template(path, org.login))).status).toBe(403);
  expect((await weak.post(...template(ownPath, org.login))).status).toBe(201);
});
