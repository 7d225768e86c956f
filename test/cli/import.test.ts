import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git } from '#test/git/support.ts';
import { addressOf, workTree } from '#test/server/git-http/support.ts';
import { fresh, world } from '#test/support/world.ts';
import { command, complaint, installation } from './support.ts';

/** A private repository with an issue and a comment, on a server that runs. */
async function source() {
  const here = await world();
  const [ada, grace] = [await here.user(), await here.user()];
  const repo = await here.repo(ada, { visibility: 'private' });
  await here.collaborator(repo, grace, 'read');
  const [token, client] = [await here.token(ada), await here.as(ada)];
  await git(await workTree(), 'push', '-q', addressOf(here, repo, token), 'main');
  const path = `/repos/${ada.login}/${repo.name}`;
  await client.post(`${path}/issues`, { title: 'The mill jams' });
  await (await here.as(grace)).post(`${path}/issues/1/comments`, { body: 'Oil it' });
  return { here, ada, grace, token, path, address: `${here.url}/${ada.login}/${repo.name}` };
}

test('a repository moves to another installation with its issues', async () => {
  const { ada, grace, token, address } = await source();
  const { data, env, run } = await installation();
  await run('user', 'create', 'ada');
  const [tokenFile, mapFile] = [join(data, 'token'), join(data, 'people')];
  await writeFile(tokenFile, `${token}\n`);
  await writeFile(mapFile, `# theirs=ours\n\n${ada.login.toUpperCase()} = Ada\n`);
  const options = ['--with-issues', '--token-file', tokenFile, '--map-users', mapFile];
  const { code, out, err } = await run('import', address, 'ada/engine', ...options, '--json');
  expect([code, JSON.parse(out)]).toEqual([
    0,
    { id: expect.any(Number), full_name: 'ada/engine', default_branch: 'main', issues: 1, comments: 1 },
  ]);
  expect(err).toContain('Comments');
  expect(out + err).not.toContain(token);
  expect(complaint(await run('import', address, 'ada/engine', ...options))).toBe('ada/engine is imported already');

  const inEnvironment = { ...env, HEARTH_IMPORT_TOKEN: token };
  const again = await command(['import', address, 'ada/again', '--with-issues', '--data', data], inEnvironment);
  expect(again.out).toBe('Imported ada/again (default branch main), with 1 issue and 1 comment\n');
  const gitAlone = await command(['import', `${address}.git`, 'ada/git', '--data', data], inEnvironment);
  expect(gitAlone.out).toBe('Imported ada/git (default branch main)\n');
  expect(grace.login).not.toBe('ada');
});

test('an import that can not begin says why in one line', async () => {
  const { here, address, path } = await source();
  const { data, run } = await installation();
  await run('user', 'create', 'ada');
  const file = async (text: string) => {
    const name = join(data, fresh('file'));
    await writeFile(name, text);
    return name;
  };
  const saying = async (...options: string[]) =>
    complaint(await run('import', address, 'ada/engine', '--with-issues', ...options));
  expect(await saying()).toContain(`has nothing at /api/v3${path} (it may be private and want a token)`);
  expect(await saying('--token-file', await file('wrong'))).toContain("doesn't accept the token");
  expect(await saying('--token-file', await file('two words'))).toMatch(/^The text of \S+ must be one token/);
  expect(await saying('--token-file', '/nowhere')).toContain("/nowhere can't be read");
  expect(await saying('--map-users', await file('a=nobody'))).toContain('names nobody, but there is no such user');
  expect(await saying('--map-users', await file('a b'))).toMatch(/^Line 1 of \S+ is not of the form theirs=ours$/);
  expect(await saying('--map-users', await file('a=ada\nA=ada'))).toMatch(/^Line 2 of \S+ names A again$/);
  expect(await saying('--api', 'ftp://x')).toMatch(/^--api must be an http\(s\) address/);
  expect(await saying('--api', here.url)).toContain('has nothing at');
  expect(await saying('--api', 'http://127.0.0.1:1')).toContain("127.0.0.1:1 can't be reached");
  expect(complaint(await run('import', '/a/folder', 'ada/engine', '--with-issues'))).toContain('of the form https://');
  expect(complaint(await run('import', address, 'ada/engine', '--api', here.url))).toBe(
    '--api and --map-users are for --with-issues',
  );
  const help = await run('import', '--help');
  expect(help.out).toContain('the same command goes on with it');
});
