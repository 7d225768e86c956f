import { expect, test } from 'vitest';
import type { RepositoryRow } from '#access/viewer.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRefOids } from '#git/refs/refs.ts';
import { commit } from '#test/git/support.ts';
import { diskOf, point } from '#test/resources/code/commits/setting.ts';
import { packed } from '#test/resources/security/code-scanning/setting.ts';
import { commitFiles as push } from '#test/support/commit.ts';
import { inGoodTime, longestTurn } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';
import { commitFiles, treeBomb } from './support/bombs.ts';

// Each interpreter of users' texts at its bound (`interpreters` in the manifests), while somebody else is answered.

const w = await world();
const owner = await w.user();
const quiet = await w.repo(owner);
const other = await w.as(await w.user());
const kibi = 1024;

/** A repository with these files on its default branch; the jobs of their push are due. */
async function repositoryOf(
  files: Readonly<Record<string, string>>,
): Promise<{ repo: RepositoryRow; path: string; token: string }> {
  const repo = await w.repo(owner);
  await push(w, repo, files);
  return { repo, path: `/repos/${owner.login}/${repo.name}`, token: await w.token(owner) };
}

type Attack = {
  /** Milliseconds that one turn may compute: more than a step takes, since other work of the server is in it. */
  readonly turn?: number;
  /** Prepares it, and returns what is measured. */
  prepare(): Promise<() => Promise<void>>;
};

const settles = async (): Promise<void> => w.settle();

async function getAll(path: string, times: number): Promise<void> {
  await Promise.all(
    Array.from({ length: times }, async () => {
      const reply = await fetch(`${w.url}/api/v3${path}`);
      expect(reply.status).toBe(200);
      for await (const _ of reply.body ?? []);
    }),
  );
}

const manifest = (path: string, text: string): Attack => ({
  async prepare() {
    await repositoryOf({ [path]: text });
    return settles;
  },
});

/** Add an entry for each interpreter of the table. */
const attacks: Record<string, Attack> = {
  'a manifest of 5 MiB': manifest('package.json', `{"x":[${'{},'.repeat(1_740_000)}{}]}`),
  'requirements of 5 MiB': manifest('requirements.txt', 'a==1\n'.repeat(1_048_000)),
  'a file of code owners at its bound': {
    async prepare() {
      const { path, token } = await repositoryOf({ CODEOWNERS: '**/*/*/*a*b*c*d*/*/x @eve\n'.repeat(9_999) });
      return async () => {
        const reply = await fetch(`${w.url}/api/v3${path}/codeowners/errors`, { headers: { authorization: `Bearer ${token}` } });
        expect(reply.status).toBe(200);
        await reply.arrayBuffer();
      };
    },
  },
  'filters of paths at their bound, with a push of 500 files': {
    async prepare() {
      const patterns = Array.from({ length: 900 }, (_, at) => `      - '**/a*/[a-z]+?*/**/p${at}*.t[sx]+'\n`).join('');
      const workflow = {
        '.github/workflows/a.yml': `on:\n  push:\n    paths:\n${patterns}jobs: {a: {runs-on: x, steps: [{run: x}]}}\n`,
      };
      const { repo } = await repositoryOf(workflow);
      await w.settle();
      const files = Array.from({ length: 500 }, (_, at) => [`src/a/b/aa/part/of/it/p-${at}.txt`, 'a'] as const);
      await push(w, repo, { ...workflow, ...Object.fromEntries(files) });
      return settles;
    },
  },
  'rulesets at their bounds, whose patterns are slow': {
    turn: 500,
    async prepare() {
      const { repo, path } = await repositoryOf({ 'a.txt': 'a' });
      const as = await w.as(owner);
      const include = Array.from({ length: 250 }, (_, at) => `refs/heads/*${'a'.repeat(115)}b${at}{x,y,z}`);
      const ruleset = { target: 'branch', enforcement: 'active', rules: [{ type: 'deletion' }] };
      for (let at = 0; at < 20; at++) {
        const made = await as.post(`${path}/rulesets`, {
          ...ruleset,
          name: `r${at}`,
          conditions: { ref_name: { include, exclude: [] } },
        });
        expect(made.status).toBe(201);
      }
      const name = 'a'.repeat(215);
      const { sha } = (await as.get(`${path}/git/ref/heads/${repo.default_branch}`)).body.object;
      return async () => {
        expect(await other.get(`${path}/rules/branches/${name}`)).toMatchObject({ status: 413 });
        expect(await as.post(`${path}/git/refs`, { ref: `refs/heads/${name}`, sha })).toMatchObject({ status: 413 });
      };
    },
  },
  'a ruleset whose patterns stand for as many others as they may': {
    turn: 500,
    async prepare() {
      const { path } = await repositoryOf({ 'a.txt': 'a' });
      const as = await w.as(owner);
      const patterns = Array.from({ length: 250 }, (_, at) => `refs/heads/z?${'a'.repeat(120)}${at}{${','.repeat(99)}}`);
      return async () => {
        const conditions = { ref_name: { include: patterns, exclude: patterns } };
        const ruleset = { name: 'r', target: 'branch', enforcement: 'active', rules: [{ type: 'deletion' }], conditions };
        expect(await as.post(`${path}/rulesets`, ruleset)).toMatchObject({ status: 413 });
      };
    },
  },
  'comments on the last lines of files as long as a diff shows them': {
    turn: 400,
    async prepare() {
      const { repo, path } = await repositoryOf({ 'a.txt': 'a' });
      const as = await w.as(owner);
      const files = Array.from({ length: 10 }, (_, at) => [`f${at}.txt`, `${'\n'.repeat(400_000)}${at}`] as const);
      const { sha } = (await as.get(`${path}/git/ref/heads/${repo.default_branch}`)).body.object;
      await point(w, repo, branchRef('long'), await commitFiles(diskOf(w, repo), Object.fromEntries(files), [sha]));
      const opened = await as.post(`${path}/pulls`, { title: 'a', head: 'long', base: repo.default_branch });
      expect(opened.status).toBe(201);
      return async () => {
        const comments = Array.from({ length: 300 }, (_, at) => ({
          path: `f${at % 10}.txt`,
          body: 'a',
          line: 399_990,
          side: 'RIGHT',
        }));
        const review = { event: 'COMMENT', body: 'a', comments };
        expect(await as.post(`${path}/pulls/${opened.body.number}/reviews`, review)).toMatchObject({ status: 200 });
        await w.settle();
      };
    },
  },
  'slow patterns of directories for the dependency bot': {
    async prepare() {
      const directories = Array.from({ length: 100 }, (_, at) => `/*${'a'.repeat(118)}b${at}`);
      const files = Array.from({ length: 200 }, (_, at) => [`${'a'.repeat(236)}${at}/package.json`, '{}'] as const);
      await repositoryOf({
        '.service/dependency-bot.yml': JSON.stringify({
          version: 2,
          updates: [{ 'package-ecosystem': 'npm', directories, schedule: { interval: 'daily' } }],
        }),
        ...Object.fromEntries(files),
      });
      await w.settle();
      return settles;
    },
  },
  'a schedule at its bound, whose days never come': {
    async prepare() {
      const lines = Array.from({ length: 50 }, (_, at) => `    - cron: '${at} 0 31 4,6,9,11,2 *'\n`).join('');
      await repositoryOf({ '.github/workflows/a.yml': `on:\n  schedule:\n${lines}jobs: {a: {runs-on: x, steps: [{run: x}]}}\n` });
      return settles;
    },
  },
  'errors of code owners who are all in one long line': {
    async prepare() {
      const unknown = Array.from({ length: 1_000 }, (_, at) => `@nobody${at}`).join(' ');
      const { path } = await repositoryOf({ CODEOWNERS: `* ${unknown} # ${'c'.repeat(3_000_000)}` });
      const as = await w.as(owner);
      return async () => expect((await as.get(`${path}/codeowners/errors`)).body.errors).toHaveLength(1_000);
    },
  },
  'expressions, matrices and labels at their bounds': {
    async prepare() {
      const list = (length: number) => `[${Array.from({ length }, (_, at) => at).join(', ')}]`;
      const searched = `contains(fromJSON('[${Array(6_500).fill('""').join(',')}]'), github.event.head_commit.message)`;
      const steps = 'steps: [{run: x}]';
      await repositoryOf({
        '.github/workflows/a.yml': `on: push\nrun-name: \${{ ${searched} }}\njobs: {a: {runs-on: x, ${steps}}}\n`,
        '.github/workflows/b.yml':
          `on: push\njobs: {a: {strategy: {matrix: {x: ${list(101)}, y: ${list(101)}, ` +
          `exclude: [${Array.from({ length: 1_000 }, (_, at) => `{x: ${at}}`).join(', ')}]}}, runs-on: x, ${steps}}}\n`,
        '.github/workflows/c.yml':
          'on: push\n' + `jobs: {a: {strategy: {matrix: {x: ${list(64)}}}, runs-on: ${list(40_000)}, ${steps}}}\n`,
      });
      return settles;
    },
  },
  'settings of release notes whose aliases repeat each other': {
    async prepare() {
      const lines = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(', ')}]`);
      const { path } = await repositoryOf({ '.github/release.yml': ['a0: &a0 [x]', ...lines, 'changelog: *a12'].join('\n') });
      const as = await w.as(owner);
      return async () => expect((await as.post(`${path}/releases/generate-notes`, { tag_name: 'v1' })).status).toBe(422);
    },
  },
  'a file of submodules at its bound': {
    async prepare() {
      const { path } = await repositoryOf({ '.gitmodules': '[\n'.repeat(131_000), 'a.txt': 'a' });
      const as = await w.as(owner);
      return async () => expect((await as.get(`${path}/contents`)).status).toBe(200);
    },
  },
  'keys that are none': {
    async prepare() {
      const as = await w.as(owner);
      const armored = (bytes: Buffer) =>
        `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n` +
        '-----END PGP PUBLIC KEY BLOCK-----\n';
      return async () => {
        for (const unit of [[0xc0, 0], [0x98, 0], [0xff], [0xc6, 0xff, 0, 0, 0, 1, 4]]) {
          const bytes = Buffer.alloc(45_000, Buffer.from(unit));
          expect((await as.post('/user/gpg_keys', { armored_public_key: armored(bytes) })).status).toBe(422);
        }
        const key = `ssh-rsa ${Buffer.alloc(45_000, 0xff).toString('base64')}`;
        expect((await as.post('/user/keys', { title: 'a', key })).status).toBe(422);
      };
    },
  },
  'SARIF files whose places, bases and rules repeat each other': {
    async prepare() {
      const { repo, path } = await repositoryOf({ 'a.txt': '\n'.repeat(3_000_000) });
      const as = await w.as(owner);
      const commit_sha = (await as.get(`${path}/git/ref/heads/${repo.default_branch}`)).body.object.sha;
      const at = (uri: string, uriBaseId?: string) => [{ physicalLocation: { artifactLocation: { uri, uriBaseId } } }];
      const result = { ruleIndex: 0, message: { id: 'm', arguments: ['y'.repeat(1_000)] }, locations: at('a.js', 'BASE') };
      const results = [
        ...Array.from({ length: 3_000 }, () => result),
        { ...result, locations: at('a/'.repeat(20_000)) },
        { ...result, locations: at('a.txt') },
      ];
      const rules = [{ id: 'i'.repeat(100_000), messageStrings: { m: { text: '{0}'.repeat(30_000) } } }];
      const originalUriBaseIds = { BASE: { uri: `file:///${'x'.repeat(200_000)}/` } };
      const sarif = packed({
        version: '2.1.0',
        runs: [{ tool: { driver: { name: 'tool', rules } }, originalUriBaseIds, results }],
      });
      return async () => {
        const wanted = { commit_sha, ref: `refs/heads/${repo.default_branch}`, sarif };
        const { status, body } = await as.post(`${path}/code-scanning/sarifs`, wanted);
        expect({ status, body }).toMatchObject({ status: 202 });
        await w.settle();
        expect((await as.get(`${path}/code-scanning/sarifs/${body.id}`)).body.processing_status).toBe('complete');
      };
    },
  },
  'a SARIF file of millions of values, and one of a string that never ends': {
    async prepare() {
      const { repo, path } = await repositoryOf({ 'a.txt': 'a' });
      const as = await w.as(owner);
      const commit_sha = (await as.get(`${path}/git/ref/heads/${repo.default_branch}`)).body.object.sha;
      const file = (run: string) => packed(`{"version":"2.1.0","runs":[{${run},"results":[]}]}`);
      const files = [
        file(`"originalUriBaseIds":{${Array.from({ length: 1_000_000 }, (_, at) => `"${at}":{}`).join()}}`),
        file(`"tool":{"driver":{"name":"${'a'.repeat(17_000_000)}"}}`),
      ];
      return async () => {
        for (const sarif of files) {
          const wanted = { commit_sha, ref: `refs/heads/${repo.default_branch}`, sarif, validate: true };
          expect(await as.post(`${path}/code-scanning/sarifs`, wanted)).toMatchObject({
            status: 400,
            body: { errors: [{ field: 'sarif' }] },
          });
        }
      };
    },
  },
  'custom patterns that are slow in a file of 40 KB': {
    async prepare() {
      const { repo, path } = await repositoryOf({ 'a.txt': 'a' });
      const as = await w.as(owner);
      await as.patch(path, { security_and_analysis: { secret_scanning: { status: 'enabled' } } });
      // Nothing of a file without a byte 1 is slow.
      const patterns = Array.from({ length: 20 }, (_, at) => ({ name: `p${at}`, pattern: `\\x01k{0,${at + 1}}.{1,900}\\x02` }));
      const bare = patterns.map((one) => ({ ...one, start_delimiter: '', end_delimiter: '' }));
      const made = await as.post(`${path}/secret-scanning/custom-patterns`, { patterns: bare });
      expect(made).toMatchObject({ status: 201 });
      await w.settle();
      const token = await w.token(await w.user());
      const slow = Array.from({ length: 40_000 }, (_, at) =>
        '\x01k\x03\x04'.charAt(((at * 7_919) ^ (at >> 3) ^ (at >> 7)) % 4),
      ).join('');
      await push(w, repo, { 'slow.bin': slow, 'b.txt': token });
      return async () => {
        await w.settle();
        const alerts = await as.get(`${path}/secret-scanning/alerts`);
        expect(alerts.body).toMatchObject([{ secret: token }]);
      };
    },
  },
  'versions of a package and ranges of its advisories, all of one owner': {
    async prepare() {
      const { repo, path } = await repositoryOf({ 'a.txt': 'a' });
      const as = await w.as(owner);
      expect((await as.put(`${path}/vulnerability-alerts`)).status).toBe(204);
      const vulnerabilities = Array.from({ length: 100 }, (_, at) => ({
        package: { ecosystem: 'npm', name: 'one' },
        vulnerable_version_range: `>= 999.0.${at}`,
      }));
      const advisory = { summary: 'a', description: 'a', severity: 'low', vulnerabilities };
      const { body } = await as.post(`${path}/security-advisories`, advisory);
      await as.patch(`${path}/security-advisories/${body.advisory_id}`, { state: 'published' });
      const packages = Array.from({ length: 15_000 }, (_, at) => [`p${at}/node_modules/one`, { version: `1.0.${at}` }]);
      await push(w, repo, {
        'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries(packages) }),
      });
      return async () => {
        await w.settle();
        const comparison = `${path}/dependency-graph/compare/${repo.default_branch}~1...${repo.default_branch}`;
        expect((await as.get(comparison)).status).toBe(422);
        await getAll(`${path}/dependency-graph/sbom`, 2);
        const affects = Array.from({ length: 1_000 }, (_, at) => `one@${'1'.repeat(80)}.0.${at}`).join();
        expect((await as.get(`/advisories?affects=${affects}`)).status).toBe(422);
      };
    },
  },
  'a search of 20,000 characters': {
    async prepare() {
      return async () => {
        for (const q of ['('.repeat(8_000), 'a:'.repeat(4_000), `label:${'a,'.repeat(4_000)}`])
          expect((await other.get(`/search/issues?q=${encodeURIComponent(q)}`)).status).toBe(422);
      };
    },
  },
  'a file of 384 KiB with nothing but different words': {
    turn: 200,
    async prepare() {
      const words = Array.from({ length: 60_000 }, (_, at) => `w${at.toString(36)}`).join(' ');
      await repositoryOf({ 'a.ts': words.slice(0, 383 * kibi) });
      return settles;
    },
  },
  'a file of 384 KiB with one word that never ends': {
    async prepare() {
      await repositoryOf({ 'a.ts': `a${'_'.repeat(383 * kibi)}a数` });
      return settles;
    },
  },
  'an issue with one word that never ends': {
    async prepare() {
      const as = await w.as(owner);
      const body = `a${'_'.repeat(60_000)}a数`;
      return async () => {
        expect((await as.post(`/repos/${owner.login}/${quiet.name}/issues`, { title: 'a', body })).status).toBe(201);
        await w.settle();
      };
    },
  },
  'a message that names as much as it can': {
    async prepare() {
      const issue = (body: string) =>
        w.as(owner).then((as) => as.post(`/repos/${owner.login}/${quiet.name}/issues`, { title: 'a', body }));
      return async () => expect((await issue('fixes #1 @a '.repeat(5_000))).status).toBe(201);
    },
  },
  'a tree whose paths make a million folders': {
    async prepare() {
      const { path } = await repositoryOf({ 'a.txt': 'a' });
      const as = await w.as(owner);
      const deep = '/a'.repeat(2_040);
      const file = { mode: '100644', type: 'blob', content: 'a' };
      const tree = Array.from({ length: 500 }, (_, at) => ({ ...file, path: `${at}${deep}` }));
      return async () =>
        expect(await as.post(`${path}/git/trees`, { tree })).toMatchObject({
          status: 413,
          body: { message: expect.stringContaining('git.newFolders') },
        });
    },
  },
  'four megabytes of messages of commits in one push': {
    async prepare() {
      const { repo } = await repositoryOf({ 'a.txt': 'a' });
      await w.settle();
      const ref = branchRef(repo.default_branch);
      let tip = (await findRefOids(diskOf(w, repo), [ref])).get(ref) ?? '';
      for (let at = 0; at < 64; at++) tip = await commit(diskOf(w, repo), {}, [tip], `${'#1 @a '.repeat(10_900)}${at}`);
      await point(w, repo, ref, tip);
      return settles;
    },
  },
  // The last one, since indexing its files takes a minute in the background.
  'eight recursive trees of a bomb at once, anonymously': {
    async prepare() {
      const repo = await w.repo(owner);
      const gitRepository = diskOf(w, repo);
      const base = await commitFiles(gitRepository, { a: 'a' });
      await point(w, repo, branchRef(repo.default_branch), await treeBomb(gitRepository, base, { depth: 6, content: 'x' }));
      return () => getAll(`/repos/${owner.login}/${repo.name}/git/trees/${repo.default_branch}?recursive=1`, 8);
    },
  },
};

test.each(Object.entries(attacks))('%s: others are answered meanwhile', async (_, { prepare, turn = 400 }) => {
  const attack = await prepare();
  const { longest } = await longestTurn(async () => {
    const attacking = attack();
    await inGoodTime(1_000, async () => expect((await other.get(`/repos/${owner.login}/${quiet.name}`)).status).toBe(200));
    await attacking;
  });
  expect(longest, 'milliseconds of the longest turn').toBeLessThan(turn);
});
