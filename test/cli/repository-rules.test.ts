import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, scratch } from '#test/git/support.ts';
import { download, exported } from '#test/resources/platform/migrations/support.ts';
import { fresh, world } from '#test/support/world.ts';
import { installation, serve, temporaryFolder } from './support.ts';

test("rules of an organization don't refuse an operator's commands, which say what they violate", async () => {
  const { data, env, run } = await installation();
  await run('user', 'create', 'ada');
  await run('org', 'create', 'acme', '--owner', 'ada');
  const server = await serve(data, [], env);
  const created = await run('token', 'create', '--user', 'ada', '--kind', 'classic', '--scope', 'admin:org', '--quiet');
  const token = created.out.trim();
  const api = async (method: string, path: string, body?: object): Promise<Record<string, unknown>[]> => {
    const init = { method, headers: { authorization: `Bearer ${token}` }, ...(body && { body: JSON.stringify(body) }) };
    return JSON.parse(await (await fetch(`${server.url}/api/v3${path}`, init)).text());
  };
  const parameters = { operator: 'starts_with', pattern: 'team-' };
  await api('POST', '/orgs/acme/rulesets', {
    name: 'Names',
    target: 'repository',
    enforcement: 'active',
    conditions: { repository_name: { include: ['~ALL'] } },
    rules: [{ type: 'repository_name', parameters }],
  });
  const told = (name: string) => [
    `Bypassed rule violations for acme/${name}:`,
    `- Names of repositories must start with "team-": ${name} (repository_name, ruleset "Names")`,
  ];
  const made = await run('repo', 'create', 'acme/engine', '--as', 'ada');
  expect([made.code, made.out.trim().split('\n')]).toEqual([0, [...told('engine'), 'Created acme/engine']]);
  expect((await run('repo', 'create', 'acme/team-engine', '--as', 'ada')).out).toBe('Created acme/team-engine\n');
  expect((await run('repo', 'create', 'ada/engine')).out).toBe('Created ada/engine\n');
  const json = await run('repo', 'create', 'acme/pump', '--as', 'ada', '--json');
  expect(JSON.parse(json.out)).toMatchObject({ full_name: 'acme/pump', bypassed_rules: told('pump') });

  const folder = await scratch();
  await git(folder, 'init', '-q', '-b', 'main', '.');
  const imported = await run('import', folder, 'acme/mill', '--as', 'ada');
  expect(imported.out.trim().split('\n').slice(0, 2)).toEqual(told('mill'));

  const here = await world();
  const eve = await here.user('eve');
  const elsewhere = await here.org(eve, fresh('org'));
  await here.repo(elsewhere, { name: 'valve', by: eve });
  const base = `/orgs/${elsewhere.login}/migrations`;
  const id = await exported(here, eve, { repositories: [`${elsewhere.login}/valve`] }, base);
  const file = join(await temporaryFolder(), 'archive.tar.gz');
  await writeFile(file, await download(here, eve, id, base));
  const moved = await run('migration', 'import', file, '--into', 'acme', '--json');
  expect(JSON.parse(moved.out)).toMatchObject({ repositories: ['acme/valve'], bypassed_rules: told('valve') });

  const withIssues = await run('import', `${here.url}/${elsewhere.login}/valve`, 'acme/cam', '--as', 'ada', '--with-issues');
  expect(withIssues.out.trim().split('\n').slice(0, 2)).toEqual(told('cam'));

  const suites = await api('GET', '/orgs/acme/rulesets/rule-suites');
  expect(suites.map((suite) => [suite.repository_name, suite.result, suite.actor_name])).toEqual([
    ['cam', 'bypass', 'ada'],
    ['valve', 'bypass', 'eve'],
    ['mill', 'bypass', 'ada'],
    ['pump', 'bypass', 'ada'],
    ['team-engine', 'pass', 'ada'],
    ['engine', 'bypass', 'ada'],
  ]);
  const explained = await run('explain', '--token', token, 'REPO', 'acme/engine');
  expect(explained.out.trim().split('\n')).toEqual([
    'rules about acme/engine',
    'asked by ada, credential: classic_pat',
    '  no   repository_name, ruleset "Names": ' +
      'Names of repositories must start with "team-": engine (the ruleset applies by its name)',
  ]);
  const wanted = await run('explain', '--token', token, 'REPO', 'acme/team-new', 'public');
  expect(wanted.out.trim().split('\n').at(0)).toBe('rules about the creation of acme/team-new');
  expect((await run('explain', 'REPO', 'acme/none', 'open')).code).toBe(1);
});
