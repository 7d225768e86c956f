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
