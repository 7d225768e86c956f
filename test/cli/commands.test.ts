import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import { commandsFor, loadCommands } from '#cli/commands/all.ts';
import { git } from '#test/git/support.ts';
import { command, complaint, hearth, installation, serve, temporaryFolder } from './support.ts';

const commands = await loadCommands();

/** A repository of a part of this checkout, which may have no history itself. */
async function sources(): Promise<string> {
  const folder = await temporaryFolder();
  await cp(join(import.meta.dirname, '../../src/git'), join(folder, 'git'), { recursive: true });
  await git(folder, 'init', '--quiet', '--initial-branch=trunk');
  await git(folder, 'add', '.');
  await git(folder, 'commit', '--quiet', '-m', 'Files');
  return folder;
}

test('a new folder is furnished without a server, then served', async () => {
  const data = await temporaryFolder();
  const inFolder = (...args: string[]) => hearth([...args, '--data', data, '--json']);
  expect(JSON.parse((await inFolder('user', 'create', 'ada', '--site-admin')).out)).toMatchObject({
    login: 'ada',
    site_admin: true,
  });
  expect(JSON.parse((await inFolder('org', 'create', 'acme', '--owner', 'ada')).out)).toMatchObject({ owner: 'ada' });
  expect(JSON.parse((await inFolder('repo', 'create', 'acme/engine', '--as', 'ada')).out)).toMatchObject({
    full_name: 'acme/engine',
  });
  const imported = JSON.parse((await inFolder('import', await sources(), 'acme/hearth', '--as', 'ada')).out);
  expect(imported).toMatchObject({ full_name: 'acme/hearth', default_branch: 'trunk' });
  const indexed = JSON.parse((await inFolder('reindex')).out);
  expect(indexed.repositories).toBe(2);
  expect(indexed.files).toBeGreaterThan(50);
  const server = await serve(data);
  const found = await (await fetch(`${server.url}/api/v3/repos/acme/hearth`)).json();
  expect(found).toMatchObject({ full_name: 'acme/hearth', default_branch: imported.default_branch });
  const findings = JSON.parse((await inFolder('doctor', '--deep')).out);
  expect(findings.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
});

test('a backup is restored into an empty folder, whole', async () => {
  const [{ data, env, run }, other, parent] = [await installation(), await temporaryFolder(), await temporaryFolder()];
  await run('user', 'create', 'ada');
  await run('import', await sources(), 'ada/hearth');
  const server = await serve(data, [], env);
  const token = await run('token', 'create', '--user', 'ada', '--kind', 'classic', '--scope', 'repo', '--quiet');
  const authorization = `Bearer ${token.out.trim()}`;
  const post = async (path: string, body: string): Promise<{ id: number }> => {
    const address = `${server.url}/api/v3/repos/ada/hearth/releases${path}`;
    return JSON.parse(await (await fetch(address, { method: 'POST', headers: { authorization }, body })).text());
  };
  const release = await post('', JSON.stringify({ tag_name: 'v1' }));
  await post(`/${release.id}/assets?name=a.txt`, 'the bytes of a file');
  const folder = join(parent, 'backup');
  expect((await hearth(['backup', folder, '--data', data], env)).code).toBe(0);
  expect(complaint(await run('backup', folder))).toMatch(/is not empty/);
  const restored = await hearth(['restore', folder, '--other-key', '--data', other]);
  expect([restored.code, restored.err]).toEqual([
    0,
    expect.stringMatching(/^There is no secret key in .*: secrets in the backup can not be read$/m),
  ]);
  expect(complaint(await command(['restore', folder, '--other-key', '--data', other]))).toMatch(/accounts here already/);
  const index = JSON.parse((await command(['reindex', '--json', '--data', other])).out);
  expect(index).toEqual(JSON.parse((await run('reindex', '--json')).out));
  expect((await command(['user', 'create', 'grace', '--data', other])).code).toBe(0);
  const again = await serve(other);
  const file = await fetch(`${again.url}/ada/hearth/releases/download/v1/a.txt`, { headers: { authorization } });
  expect(await file.text()).toBe('the bytes of a file');
  expect(await again.end()).toBe(0);
  await rm(join(folder, 'manifest.json'));
  expect(complaint(await (await installation()).run('restore', folder))).toMatch(/holds no backup/);
});

test('commands say in one line what is not there', async () => {
  const { run } = await installation();
  await run('user', 'create', 'ada');
  const saying = async (...args: string[]) => complaint(await run(...args));
  expect(await saying('user', 'create', 'Ada')).toBe('login has already been taken');
  await run('user', 'create', 'grace', '--email', 'grace@example.org');
  expect(await saying('user', 'create', 'bob', '--email', 'nobody')).toBe('nobody is no e-mail address');
  expect(await saying('user', 'verify-email', 'ada', 'Grace@example.org')).toBe(
    'Grace@example.org is the address of another account',
  );
  expect((await run('user', 'verify-email', 'ada', 'ada@example.org')).out).toBe('ada@example.org is an address of ada\n');
  expect(await saying('org', 'create', 'acme', '--owner', 'bob')).toBe('There is no user bob');
  expect(await saying('repo', 'create', 'engine')).toBe('engine is not of the form owner/name');
  expect(await saying('import', '/nowhere', 'ada/x')).toMatch(/could not be fetched/);
  expect(await saying('reindex', 'ada/none')).toBe('There is no repository ada/none');
  expect(await saying('import', 'git@example.com:a/b.git', 'ada/x')).toMatch(/is neither a folder nor an http\(s\) address$/);
});

test('a command inside another one says how to get help', async () => {
  const { code, err } = await command(['user', 'create']);
  expect([code, err]).toEqual([1, "error: missing required argument 'login'\n(--help shows how)\n"]);
});

test('a command tells that it made a data folder', async () => {
  const { data, env } = await installation();
  const other = join(data, 'misspelt');
  const { code, err } = await command(['token', 'revoke', 'x', '--data', other], env);
  expect([code, err]).toEqual([1, `There was no data folder ${other}: it is a new one\nThere is no such token\n`]);
});

test('the key of an app is a new file, without which no app is made', async () => {
  const { data, run } = await installation();
  await run('user', 'create', 'ada');
  const create = (...more: string[]) => run('app', 'create', 'Bot', '--owner', 'ada', ...more);
  const key = join(data, 'bot.pem');
  expect(complaint(await create('--key', join(data, 'none/bot.pem')))).toMatch(/bot\.pem can't be written: ENOENT/);
  const refused = await create('--key', key, '--permission', 'organization_hook=read');
  expect(complaint(refused)).toBe("'organization_hook' is not a permission; docs/permissions.md lists them");
  expect((await create('--key', key, '--permission', 'organization_hooks=read')).code).toBe(0);
  const written = await readFile(key, 'utf8');
  expect(complaint(await create('--key', key))).toMatch(/bot\.pem exists already: name a new file$/);
  expect(await readFile(key, 'utf8')).toBe(written);
});

test('the key of identity tokens is replaced', async () => {
  const { run } = await installation();
  const rotate = async () => JSON.parse((await run('identity-key', 'rotate', '--json')).out).key_id;
  expect(await rotate()).not.toBe(await rotate());
});

test('explain tells the steps of a decision', async () => {
  const { run } = await installation();
  const { out } = await run('explain', 'PATCH', '/user');
  expect(out).toMatch(/PATCH \/user {2}\(users\/update-authenticated\)\nasked by nobody/);
  expect(out).toMatch(/refused: 401 Requires authentication\n$/);
  const wrong = JSON.parse((await run('explain', 'GET', '/user', '--token', 'x', '--json')).out);
  expect(wrong).toMatchObject({ allowed: false, status: 401, message: 'Bad credentials' });
  const inVendorWords = '/api/v3/orgs/acme/actions/hosted-runners/images/github-owned';
  const image = JSON.parse((await run('explain', 'GET', inVendorWords, '--json')).out);
  expect(image.endpoint.path).toBe('/orgs/{org}/actions/hosted-runners/images/service-owned');
  expect((await run('explain', 'JOB', 'acme/engine', '1')).out).toBe('does not wait: There is no job 1 in acme/engine\n');
  await run('user', 'create', 'ada');
  await run('repo', 'create', 'ada/engine');
  expect((await run('explain', 'SETUP', 'ada/engine')).out).toBe(
    'default setup of code_scanning of ada/engine\n  no   setup: it is not configured\nit is not configured\n',
  );
  expect(await run('explain', 'SETUP', 'ada/engine', 'code')).toMatchObject({
    code: 1,
    err: expect.stringContaining('comes code_scanning or code_quality'),
  });
  expect((await run('explain', 'QUEUE', 'ada/engine')).out).toBe(
    'merge queue of main of ada/engine\nno ruleset demands a merge queue for this branch\nthe queue has no entries\n',
  );
});

test('config shows each setting with its source, and no secret', async () => {
  const { out, err } = await command(['config', '--json', '--port', '8080'], {
    HEARTH_PROT: '4000',
    HEARTH_VOCABULARY: 'github',
    HEARTH_ADMIN_TOKEN: 'x'.repeat(20),
  });
  const rows: { variable: string; value: unknown; source: string }[] = JSON.parse(out);
  const row = (variable: string) => rows.find((one) => one.variable === variable);
  expect(row('HEARTH_PORT')).toMatchObject({ value: 8080, source: 'flag' });
  expect(row('HEARTH_VOCABULARY')).toMatchObject({ value: 'github', source: 'variable' });
  expect(row('HEARTH_WORKERS')).toMatchObject({ value: 1, source: 'initial value' });
  expect(row('HEARTH_ADMIN_TOKEN')).toMatchObject({ value: '(hidden)', source: 'variable' });
  expect(err).toBe('HEARTH_PROT is set, but Hearth has no such setting\n');
});

test('every command has help with an example', () => {
  const leaves = commands.flatMap((command) => (command.commands.length > 0 ? [...command.commands] : [command]));
  expect(leaves.length).toBeGreaterThan(10);
  for (const command of leaves) {
    let help = '';
    const { writeOut } = command.configureOutput(); // other files use the same commands
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    command.configureOutput({ writeOut });
    expect(help, command.name()).toMatch(/Example:\n {2}.*hearth /);
  }
});

test('what tokens and apps ask for waits until an owner approves it', async () => {
  const { run, data } = await installation();
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);
  for (const login of ['ada', 'bob']) await run('user', 'create', login);
  await run('org', 'create', 'acme', '--owner', 'ada');
  await run('org', 'add-member', 'acme', 'bob');
  expect(await json('org', 'tokens', 'acme', '--approval', 'required', '--longest', '90')).toMatchObject({
    token_approval_required: true,
    fine_grained_tokens_allowed: true,
    max_token_days: 90,
  });
  const create = ['token', 'create', '--kind', 'fine-grained', '--user', 'bob', '--owner', 'acme', '--permission', 'issues=read'];
  expect(complaint(await run(...create))).toMatch(/must end within 90 days/);
  const { token, access } = await json(...create, '--expires', '90', '--reason', 'To read');
  expect(access).toBe('pending');
  const [request] = await json('token', 'requests', 'acme');
  expect(request).toMatchObject({ user: 'bob', permissions: { issues: 'read' }, reason: 'To read' });
  const review = (as: string) => ['token', 'approve', String(request.id), '--org', 'acme', '--as', as];
  expect(complaint(await run(...review('bob')))).toMatch(/bob does not own acme/);
  expect((await run(...review('ada'))).code).toBe(0);
  expect(await json('token', 'requests', 'acme')).toEqual([]);
  expect(await json('token', 'change', token, '--permission', 'issues=write')).toMatchObject({
    permissions: { issues: 'read' },
    waits: true,
  });
  expect(complaint(await run('token', 'change', token, '--permission', 'issues=all'))).toMatch(
    /level of issues must be read or write/,
  );

  const key = join(data, 'bot.pem');
  await run('app', 'create', 'Bot', '--owner', 'ada', '--permission', 'issues=read', '--key', key, '--public');
  await run('app', 'install', 'bot', '--on', 'acme', '--as', 'ada');
  const asked = ['app', 'change', 'bot', '--permission', 'issues=write', '--event', 'push'];
  expect(await json(...asked)).toMatchObject({ permissions: { issues: 'write' }, events: ['push'] });
  expect(await json('app', 'waiting', 'acme')).toEqual([
    { app: 'bot', added: {}, upgraded: { issues: 'write' }, events: ['push'] },
  ]);
  expect(complaint(await run('app', 'accept', 'bot', '--on', 'acme', '--as', 'bob'))).toMatch(/bob does not own acme/);
  expect(await json('app', 'accept', 'bot', '--on', 'acme', '--as', 'ada')).toMatchObject({ permissions: { issues: 'write' } });
  expect(await json('app', 'waiting', 'acme')).toEqual([]);
  expect(complaint(await run('app', 'accept', 'bot', '--on', 'acme', '--as', 'ada'))).toMatch(/asks for nothing/);
});

test('tokens of both personal kinds work at the server beside which they were created, until they are revoked', async () => {
  const at = await installation();
  const server = await serve(at.data, [], { ...at.env, HEARTH_ADMIN_TOKEN: 'an-operator-chose-this-one' });
  const run = async (...args: string[]) => (await at.run(...args)).out.trim();
  await run('user', 'create', 'ada');
  await run('org', 'create', 'acme', '--owner', 'ada');
  const create = ['token', 'create', '--user', 'ada', '--quiet'];
  const classic = await run(...create, '--kind', 'classic', '--scope', 'repo', '--scope', 'admin:org');
  const permission = ['--permission', 'organization_webhooks=read', '--permission', 'members=read'];
  const fine = await run(...create, '--kind', 'fine-grained', '--owner', 'acme', '--repositories', 'all', ...permission);
  expect(classic).toMatch(/^hrp_[0-9A-Za-z]{36}$/);
  expect(fine).toMatch(/^hearth_pat_[0-9A-Za-z]{36}$/);
  const ask = (token: string, path: string) =>
    fetch(`${server.url}/api/v3${path}`, { headers: { authorization: `Bearer ${token}` } });
  const me = await ask(classic, '/user');
  expect([me.status, me.headers.get('x-oauth-scopes')]).toEqual([200, 'repo, admin:org']);
  expect((await ask(fine, '/orgs/acme/members')).headers.get('x-accepted-service-permissions')).toBe('members=read');
  expect(await (await ask('an-operator-chose-this-one', '/user')).json()).toMatchObject({
    login: 'hearth-admin',
    site_admin: true,
  });
  await run('token', 'revoke', classic);
  expect((await ask(classic, '/user')).status).toBe(401);
  const wrong = [...create, '--kind', 'classic', '--scope', 'everything'];
  expect(complaint(await at.run(...wrong))).toMatch(/^'everything' is not a scope; there are repo, .*site_admin$/);
});

test('the list of commands shows what each command says of itself', async () => {
  const shown = (list: readonly CommandUnknownOpts[]) =>
    list.map((command) => [command.createHelp().subcommandTerm(command), command.description()]);
  expect(shown(await commandsFor(undefined))).toEqual(shown(commands));
});
