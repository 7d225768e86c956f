// No way of creating, changing, transferring or deleting a repository passes by the rules of its organization.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allEndpoints } from '#resources/all.ts';
import { FullRepository, MinimalRepository } from '#resources/repositories/repositories/index.ts';
import type { Answer } from '#test/support/client.ts';
import { fresh, world } from '#test/support/world.ts';
import { type RepositoryRuleSetting, repositoryRuleSetting } from './setting.ts';

const w = await world();

/** Prepares a request while there are no rules. */
type Way = (given: RepositoryRuleSetting) => Promise<() => Promise<Answer>>;

const template = async ({ acme, owner, add }: RepositoryRuleSetting) => {
  const name = await add();
  await owner.patch(`/repos/${acme.login}/${name}`, { is_template: true });
  return `/repos/${acme.login}/${name}`;
};

/** A request to each endpoint that rules refuse if they restrict everything. */
const evaluated: Readonly<Record<string, Way>> = {
  'repos/create-in-org':
    async ({ api, acme }) =>
    () =>
      api.post(`/orgs/${acme.login}/repos`, { name: fresh('new') }),
  'repos/create-using-template': async (given) => {
    const path = await template(given);
    return () => given.api.post(`${path}/generate`, { owner: given.acme.login, name: fresh('new') });
  },
  'repos/create-fork': async (given) => {
    const path = await template(given);
    return () => given.api.post(`${path}/forks`, { organization: given.acme.login, name: fresh('new') });
  },
  'repos/transfer': async ({ api, acme, bob, add }) => {
    const name = await add();
    return () => api.post(`/repos/${acme.login}/${name}/transfer`, { new_owner: bob.login });
  },
  'repos/update': async ({ api, acme, add }) => {
    const name = await add();
    return () => api.patch(`/repos/${acme.login}/${name}`, { name: fresh('new') });
  },
  'repos/delete': async ({ api, acme, add }) => {
    const name = await add();
    return () => api.delete(`/repos/${acme.login}/${name}`);
  },
  'orgs/delete': async ({ owner, acme, add }) => {
    await add();
    return () => owner.delete(`/orgs/${acme.login}`);
  },
};

/** The other endpoints that the declarations show, each with the reason why no rule is about them. */
const exempt: Readonly<Record<string, string>> = {
  'repos/create-for-authenticated-user': 'users have no rulesets about repositories',
  'security-advisories/create-fork': 'a private fork belongs to its advisory',
  'teams/delete-legacy': 'it deletes a team',
};

test('each endpoint that replies with a new or changed repository, or deletes the root of its path, is known here', () => {
  const found = allEndpoints.filter(
    ({ method, path, replies }) =>
      method !== 'GET' &&
      (Object.values(replies).some((reply) => reply === FullRepository || reply === MinimalRepository) ||
        (method === 'DELETE' && /^\/\w+(\/\{\w+\})+$/.test(path))),
  );
  const known = [...Object.keys(evaluated), ...Object.keys(exempt)];
  expect(found.map(({ id }) => id).sort()).toEqual(known.sort());
});

const everything = [
  { type: 'repository_create' },
  { type: 'repository_delete' },
  { type: 'repository_transfer' },
  { type: 'repository_name', parameters: { operator: 'contains', pattern: 'never' } },
  { type: 'repository_visibility', parameters: { allowed_visibilities: ['internal'] } },
];

test.each(Object.entries(evaluated))('%s is refused by rules, and the refusal is recorded', async (_, way) => {
  const given = await repositoryRuleSetting(w);
  const request = await way(given);
  await given.rule(everything);
  await w.unchanged(['repositories', 'events'], async () => {
    expect(await request()).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(/^Repository rule violations found for /) },
    });
  });
  expect(await given.suites()).toMatchObject([{ result: 'fail' }]);
});

const root = new URL('../../../../src', import.meta.url).pathname;
const sources = globSync('resources/**/*.ts', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));
const filesWith = (pattern: RegExp): string[] => sources.flatMap(({ path, text }) => (pattern.test(text) ? [path] : [])).sort();

const family = 'resources/repositories/repositories';

test('only the family of repositories writes their rows, and its statements about names, owners and visibility want an approval', () => {
  expect(filesWith(/\b(insert into|delete from) repositories\b|(insertInto|deleteFrom)\('repositories'\)/)).toEqual([
    `${family}/store.ts`,
  ]);
  expect(filesWith(/\bupdate repositories\b|updateTable\('repositories'\)/)).toEqual([
    `${family}/migrating.ts`,
    `${family}/store.ts`,
  ]);
  const store = readFileSync(join(root, family, 'store.ts'), 'utf8');
  const named = (name: string) => store.slice(store.indexOf(`export const ${name} = `)).split(/\n\n/, 1)[0] ?? '';
  for (const name of ['insertRepository', 'updateRuledRepository', 'removeRepository', 'concealRepositories'])
    expect(named(name), name).toContain('_approval: RuleApproval');
  expect(named('updateRepository')).toContain("'owner_id' | 'name' | 'visibility'");
});

test('approvals come from the evaluation of rules, and exemptions from the family of repositories alone', () => {
  expect(filesWith(/\bapprovalWith\(/)).toEqual([
    'resources/code/repository-rules/evaluate.ts',
    'resources/code/repository-rules/organization-deletion.ts',
    `${family}/ruled-change.ts`,
  ]);
  expect(filesWith(/\bexemptAs\(/)).toEqual([`${family}/deletion.ts`, `${family}/rules.ts`]);
  expect(filesWith(/\bas RuleApproval\b/)).toEqual([`${family}/ruled-change.ts`]);
});

test('repositories are removed without evaluation only with their owner or advisory', () => {
  expect(filesWith(/\bremoveWithOwner\(/)).toEqual([
    'resources/platform/organization-deletion/jobs.ts',
    `${family}/deletion.ts`,
    'resources/security/repository-advisories/forks.ts',
  ]);
});
