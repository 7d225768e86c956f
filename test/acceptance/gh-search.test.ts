import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '#test/support/certificate.ts';
import { world } from '#test/support/world.ts';

const execute = promisify(execFile);
const has = (program: string, ...args: string[]): Promise<boolean> =>
  execute(program, args).then(
    () => true,
    () => false,
  );
// gh asks by TLS alone; where it and openssl are installed, it is asked.
const isThere = (await has('gh', '--version')) && (await has('openssl', 'version'));
// The gh 2.46 of Debian 13 searches code, the 2.23 of Debian 12 does not yet.
const searchesCode = isThere && (await execute('gh', ['search', '--help'])).stdout.includes('code:');
const folder = await mkdtemp(join(tmpdir(), 'hearth-gh-search-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const tls = isThere ? await makeCertificate(folder) : undefined;
const { user, org, repo, token, settle, url } = await world({ vocabulary: 'github', tls });
let secret = '';

const gh = async (...args: string[]): Promise<string> => {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GH_HOST: `localhost:${new URL(url).port}`,
    GH_ENTERPRISE_TOKEN: secret,
    SSL_CERT_FILE: join(folder, 'cert.pem'),
  };
  return (await execute('gh', args, { env })).stdout;
};

beforeAll(async () => {
  const ada = await user('ada');
  await repo(await org(ada, 'acme'), { name: 'engine', visibility: 'private', by: ada });
  secret = await token(ada);
  if (!isThere) return;
  const issues = '/repos/acme/engine/issues';
  await gh('api', issues, '-f', 'title=The pump stalls', '-f', 'body=After an hour of rain', '-f', 'labels[]=bug');
  await gh('api', `${issues}/1/comments`, '-f', 'body=A valve is stuck');
  await gh('api', issues, '-f', 'title=Paint the pump', '-f', 'body=Green');
  await gh('api', '-X', 'PATCH', `${issues}/2`, '-f', 'state=closed');
  await gh('api', '-X', 'PATCH', '/repos/acme/engine', '-f', 'description=Pumps water');
  await gh('api', '-X', 'PUT', '/repos/acme/engine/topics', '-f', 'names[]=hydraulics');
  const put = (path: string, text: string) =>
    gh('api', '-X', 'PUT', `/repos/acme/engine/contents/${path}`, '-f', `message=Add ${path}`, '-f', `content=${btoa(text)}`);
  await put('src/pump.ts', 'export const pumpSpeed = 7;\n');
  await put('docs/pump.md', 'How fast the pump runs\n');
  await settle();
});

const searchIssues = async (...args: string[]): Promise<string[]> => {
  const fields = 'title,state,number,repository,labels,commentsCount,isPullRequest';
  const found: { title: string; repository: { nameWithOwner: string }; isPullRequest: boolean }[] = JSON.parse(
    await gh('search', 'issues', ...args, '--json', fields),
  );
  expect(found.every(({ repository, isPullRequest }) => repository.nameWithOwner === 'acme/engine' && !isPullRequest)).toBe(true);
  return found.map(({ title }) => title);
};

describe.skipIf(!isThere)('gh search issues', () => {
  test('words, qualifiers by options, sorts', async () => {
    expect(await searchIssues('pump')).toHaveLength(2);
    expect(await searchIssues('pump', '--label', 'bug', '--repo', 'acme/engine')).toEqual(['The pump stalls']);
    expect(await searchIssues('pump', '--state', 'closed', '--author', 'ada')).toEqual(['Paint the pump']);
    expect(await searchIssues('valve', '--match', 'comments')).toEqual(['The pump stalls']);
    expect(await searchIssues('--owner', 'acme', '--sort', 'comments', '--order', 'asc')).toEqual([
      'Paint the pump',
      'The pump stalls',
    ]);
    expect(await searchIssues('pump', '--comments', '>0')).toEqual(['The pump stalls']);
  });
});

describe.skipIf(!isThere)('gh search prs', () => {
  test('there are none yet', async () => {
    expect(JSON.parse(await gh('search', 'prs', 'pump', '--repo', 'acme/engine', '--json', 'title,isDraft,state'))).toEqual([]);
  });
});

describe.skipIf(!isThere)('gh search repos', () => {
  test('words, qualifiers by options, sorts', async () => {
    const search = async (...args: string[]): Promise<object[]> =>
      JSON.parse(await gh('search', 'repos', ...args, '--json', 'fullName,description,visibility,isPrivate,owner,language,url'));
    const engine = { fullName: 'acme/engine', description: 'Pumps water', visibility: 'private', isPrivate: true };
    expect(await search('engine')).toMatchObject([{ ...engine, owner: { login: 'acme' } }]);
    expect(await search('water', '--match', 'description', '--owner', 'acme', '--visibility', 'private')).toHaveLength(1);
    expect(await search('--topic', 'hydraulics', '--number-topics', '1', '--include-forks', 'true')).toMatchObject([engine]);
    expect(await search('engine', '--archived', '--sort', 'stars', '--order', 'asc')).toEqual([]);
    expect(await search('engine', '--language', 'typescript', '--created', '>2000-01-01')).toHaveLength(1);
    await expect(gh('search', 'repos', 'engine', '--repo', 'acme/none')).rejects.toThrow(/unknown flag/);
    await expect(gh('search', 'repos', 'repo:acme/none')).rejects.toThrow(/cannot be searched: they do not exist/);
  });
});

describe.skipIf(!searchesCode)('gh search code', () => {
  test('words and qualifiers by options, with what matched', async () => {
    const search = async (...args: string[]): Promise<{ path: string }[]> =>
      JSON.parse(await gh('search', 'code', ...args, '--json', 'path,repository,sha,textMatches,url'));
    expect((await search('pump', '--repo', 'acme/engine')).map(({ path }) => path).sort()).toEqual([
      'docs/pump.md',
      'src/pump.ts',
    ]);
    expect(await search('pump', '--extension', 'md', '--filename', 'pump', '--match', 'file')).toMatchObject([
      { path: 'docs/pump.md', repository: { nameWithOwner: 'acme/engine' } },
    ]);
    expect(await search('pump', 'speed', '--owner', 'acme', '--language', 'typescript', '--size', '>1')).toHaveLength(1);
    expect(await gh('search', 'code', 'pump runs')).toContain('How fast the pump runs');
  });
});

// What `gh search code` sends, by a gh that has no such command.
describe.skipIf(!isThere)('gh api /search/code', () => {
  test('as gh searches code', async () => {
    const search = async (q: string): Promise<{ path: string; text_matches: object[] }[]> => {
      const accept = 'Accept: application/vnd.github.text-match+json';
      const args = ['-X', 'GET', '-H', accept, '-f', 'page=1', '-f', 'per_page=30', '-f', `q=${q}`];
      return JSON.parse(await gh('api', 'search/code', ...args)).items;
    };
    expect((await search('pump repo:acme/engine')).map(({ path }) => path).sort()).toEqual(['docs/pump.md', 'src/pump.ts']);
    expect(await search('pump extension:md filename:pump in:file')).toMatchObject([
      { path: 'docs/pump.md', repository: { full_name: 'acme/engine' }, text_matches: [{ property: 'content' }] },
    ]);
    expect(await search('pump speed language:typescript size:>1 user:acme')).toMatchObject([{ path: 'src/pump.ts' }]);
    const [runs] = await search('"pump runs"');
    expect(runs?.text_matches).toMatchObject([
      { fragment: 'How fast the pump runs\n', matches: [{ text: 'pump runs', indices: [13, 22] }] },
    ]);
  });
});
