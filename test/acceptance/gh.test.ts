import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainKey } from '#test/lib/openpgp/keys.ts';
import { makeCertificate } from '#test/support/certificate.ts';
import { sshKey } from '#test/support/ssh-key.ts';
import { world } from '#test/support/world.ts';

const execute = promisify(execFile);
const has = (program: string, ...args: string[]): Promise<boolean> =>
  execute(program, args).then(
    () => true,
    () => false,
  );
// gh asks by TLS alone; where it and openssl are installed, it is asked.
const gh = (await has('gh', '--version')) && (await has('openssl', 'version'));

const folder = await mkdtemp(join(tmpdir(), 'hearth-gh-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const tls = gh ? await makeCertificate(folder) : undefined;
const { user, org, token, settle, url } = await world({ vocabulary: 'github', tls });
const address = new URL(url);
let secret = '';
beforeAll(async () => {
  const ada = await user('ada');
  await org(ada, 'acme');
  secret = await token(ada);
});

describe.skipIf(!gh)('gh', () => {
  const runAs = async (who: string, ...args: string[]): Promise<string> => {
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      GH_HOST: `localhost:${address.port}`,
      GH_ENTERPRISE_TOKEN: who,
      SSL_CERT_FILE: join(folder, 'cert.pem'),
    };
    return (await execute('gh', args, { env })).stdout;
  };
  const run = (...args: string[]): Promise<string> => runAs(secret, ...args);
  const api = async (...args: string[]) => JSON.parse(await run('api', ...args));

  test('creates a repository, commits a file, opens an issue, comments and pages through lists', async () => {
    expect((await api('/orgs/acme/repos', '-f', 'name=by-gh')).full_name).toBe('acme/by-gh');
    const content = Buffer.from('hello\n').toString('base64');
    const put = await api(
      '-X',
      'PUT',
      '/repos/acme/by-gh/contents/hello.txt',
      '-f',
      'message=Say hello',
      '-f',
      `content=${content}`,
    );
    expect(put.commit.message).toBe('Say hello');
    for (const title of ['one', 'two', 'three']) await api('/repos/acme/by-gh/issues', '-f', `title=${title}`);
    expect((await api('/repos/acme/by-gh/issues/1/comments', '-f', 'body=Yes')).body).toBe('Yes');
    const titles = await run('api', '--paginate', '/repos/acme/by-gh/issues?per_page=1&direction=asc', '--jq', '.[].title');
    expect(titles.trim().split('\n')).toEqual(['one', 'two', 'three']);
  });
  test('takes a change from a fork to a merged pull request, with a review of a line and a status', async () => {
    const bob = await token(await user('bob'));
    const asBob = async (...args: string[]) => JSON.parse(await runAs(bob, 'api', ...args));
    await api('/orgs/acme/repos', '-f', 'name=engine', '-F', 'auto_init=true');
    await api('/repos/acme/engine/issues', '-f', 'title=It is too loud');
    await asBob('-X', 'POST', '/repos/acme/engine/forks');
    await settle();
    const main = await asBob('/repos/bob/engine/git/ref/heads/main');
    await asBob('/repos/bob/engine/git/refs', '-f', 'ref=refs/heads/quieter', '-f', `sha=${main.object.sha}`);
    const file = ['-X', 'PUT', '/repos/bob/engine/contents/muffler.txt', '-f', 'branch=quieter', '-f', 'message=Add a muffler'];
    await asBob(...file, '-f', `content=${Buffer.from('one\ntwo\n').toString('base64')}`);
    const fields = ['-f', 'title=A quieter engine', '-f', 'head=bob:quieter', '-f', 'base=main', '-f', 'body=Fixes #1'];
    const opened = await asBob('/repos/acme/engine/pulls', ...fields);
    await settle();
    const pull = `/repos/acme/engine/pulls/${opened.number}`;
    expect(await api(pull)).toMatchObject({ mergeable: true, mergeable_state: 'clean', head: { label: 'bob:quieter' } });
    const { sha } = opened.head;
    await api(`/repos/acme/engine/statuses/${sha}`, '-f', 'state=failure', '-f', 'context=build');
    expect(await api(pull)).toMatchObject({ mergeable_state: 'unstable' });
    const place = ['-f', `commit_id=${sha}`, '-f', 'path=muffler.txt', '-F', 'line=2', '-f', 'side=RIGHT'];
    expect(await api(`${pull}/comments`, '-f', 'body=Three?', ...place)).toMatchObject({ line: 2, body: 'Three?' });
    await api(`/repos/acme/engine/statuses/${sha}`, '-f', 'state=success', '-f', 'context=build');
    expect(await api(`${pull}/reviews`, '-f', 'event=APPROVE')).toMatchObject({ state: 'APPROVED' });
    expect(await api('-X', 'PUT', `${pull}/merge`, '-f', 'merge_method=squash', '-f', `sha=${sha}`)).toMatchObject({
      merged: true,
    });
    expect(await run('api', '/repos/acme/engine/issues/1', '--jq', '.state')).toBe('closed\n');
    expect(await run('api', `/repos/acme/engine/commits/main`, '--jq', '.commit.message')).toContain('Add a muffler (#2)');
  });

  test('adds keys, lists them and deletes them', async () => {
    const [gpg, ssh] = [join(folder, 'key.asc'), join(folder, 'key.pub')];
    await writeFile(gpg, plainKey);
    await writeFile(ssh, `${sshKey(randomBytes(32))} ada@laptop\n`);
    await run('gpg-key', 'add', gpg);
    await run('ssh-key', 'add', ssh, '--title', 'laptop');
    expect(await run('gpg-key', 'list')).toMatch(/FBFA81119817EAE1/);
    expect(await run('ssh-key', 'list')).toMatch(/laptop/);
    await run('gpg-key', 'delete', 'FBFA81119817EAE1', '--yes');
    expect(await api('/user/gpg_keys')).toEqual([]);
  });

  test('dispatches, lists, shows and cancels runs of a workflow, and creates a release with a file', async () => {
    await api('/orgs/acme/repos', '-f', 'name=built');
    const workflow = 'on: workflow_dispatch\njobs:\n  test:\n    runs-on: none\n    steps:\n      - run: make\n';
    const content = Buffer.from(workflow).toString('base64');
    await api('-X', 'PUT', '/repos/acme/built/contents/.github/workflows/ci.yml', '-f', 'message=x', '-f', `content=${content}`);
    await settle();
    const there = ['--repo', `localhost:${address.port}/acme/built`];
    expect(await run('workflow', 'list', ...there)).toContain('active');
    await run('workflow', 'run', 'ci.yml', '--ref', 'main', ...there);
    await settle();
    expect(await run('run', 'list', ...there)).toContain('workflow_dispatch');
    const [{ id }] = (await api('/repos/acme/built/actions/runs')).workflow_runs;
    expect(await run('run', 'view', String(id), ...there)).toContain('Triggered via workflow_dispatch');
    await run('run', 'cancel', String(id), ...there);
    await settle();
    expect(await api(`/repos/acme/built/actions/runs/${id}`)).toMatchObject({ conclusion: 'cancelled' });
    await run('release', 'create', 'v1', join(folder, 'cert.pem'), '--notes', 'First', ...there);
    expect(await api('/repos/acme/built/releases/tags/v1')).toMatchObject({ draft: false, assets: [{ name: 'cert.pem' }] });
  });

  test('searches commits, by words and by its flags', async () => {
    await api('/orgs/acme/repos', '-f', 'name=searched');
    const write = (file: string, message: string) =>
      api('-X', 'PUT', `/repos/acme/searched/contents/${file}`, '-f', `message=${message}`, '-f', 'content=aGVsbG8K');
    for (const [file, message] of [
      ['a.txt', 'Mend the unmistakable valve'],
      ['b.txt', 'Polish the valve'],
    ] as const)
      await write(file, message);
    await settle();
    const search = async (...args: string[]) => {
      const found: { commit: { message: string }; repository: { fullName: string } }[] = JSON.parse(
        await run('search', 'commits', ...args, '--json', 'sha,commit,repository,author,committer,parents,url'),
      );
      expect(new Set(found.map(({ repository }) => repository.fullName))).toEqual(new Set(['acme/searched']));
      return found.map(({ commit }) => commit.message);
    };
    expect(await search('unmistakable')).toEqual(['Mend the unmistakable valve']);
    expect(await search('valve', '--repo', 'acme/searched', '--sort', 'author-date', '--order', 'asc')).toHaveLength(2);
    expect(
      await search('valve', '--owner', 'acme', '--author-date', '>2000-01-01', '--author', 'ada', '--limit', '1'),
    ).toHaveLength(1);
    expect(await search('polish', 'the valve', '--visibility', 'public')).toEqual(['Polish the valve']);
    await expect(run('search', 'commits', 'valve', '--repo', 'acme/none')).rejects.toThrow(
      /cannot be searched: they do not exist/,
    );
  });

  test('asks for code by the API, with text matches', async () => {
    const accept = 'Accept: application/vnd.github.v3.text-match+json';
    const { items } = await api('-X', 'GET', '/search/code', '-H', accept, '-f', 'q=hello in:file repo:acme/searched');
    expect(items.map(({ path }: { path: string }) => path).sort()).toEqual(['a.txt', 'b.txt']);
    expect(items[0].text_matches[0]).toMatchObject({ property: 'content', fragment: 'hello\n', matches: [{ indices: [0, 5] }] });
  });
});
