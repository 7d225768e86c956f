import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Loading } from '#test/support/note-loading.ts';
import { installation, serve } from './support.ts';

const notesTaker = new URL('../support/note-loading.ts', import.meta.url).href;

/** What few requests need: each takes between one and twenty megabytes, and comes with the first request that needs it. */
const loadedByNeed = [
  '@aws-sdk/client-s3',
  '@bufbuild/protobuf',
  '@connectrpc/connect',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  '@scalar/fastify-api-reference',
  'ae-cvss-calculator',
  'cli-progress',
  'fast-xml-parser',
  'jose',
  'libsodium-wrappers',
  'linguist-languages',
  'pg-copy-streams',
  'postcss',
  'sanitize-html',
  'smol-toml',
  'spdx-license-list',
  'ssh2',
  'tar-stream',
  'yaml',
  'yauzl',
];

/** The files that were loaded, with the sources of a bundle's files in their place. */
async function sourcesOf(files: Loading['files']): Promise<Loading['files']> {
  const sources = files.map(async (file) => {
    if (!file.path.includes('/.cache/hearth/')) return [file];
    const map: { sources: string[] } = JSON.parse(await readFile(`${file.path}.map`, 'utf8').catch(() => '{ "sources": [] }'));
    const paths = map.sources.map((path) => resolve(dirname(file.path), path));
    return Promise.all(paths.map(async (path) => ({ path, bytes: (await stat(path)).size })));
  });
  return (await Promise.all(sources)).flat();
}

async function readNotes(notes: string): Promise<Loading> {
  const { files, builtin }: Loading = JSON.parse(await readFile(notes, 'utf8'));
  return { files: await sourcesOf(files), builtin };
}

test('a server that was asked for nothing special has loaded no library that few requests need', async () => {
  const { data, env } = await installation();
  const notes = join(data, 'loading.json');
  const server = await serve(data, [], { ...env, LOADING_NOTES: notes, NODE_OPTIONS: `--import=${notesTaker}` });
  expect((await fetch(`${server.url}/api/v3/users/nobody`)).status).toBe(404);
  expect(await server.end()).toBe(0);
  const { files, builtin } = await readNotes(notes);
  const packageOf = (path: string): string | undefined => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
  const packages = new Set(files.map(({ path }) => packageOf(path)));
  expect(packages).toContain('fastify'); // the list is one
  expect(files.filter(({ path }) => path.includes('/src/resources/')).length).toBeGreaterThan(1_000);
  expect(loadedByNeed.filter((name) => packages.has(name))).toEqual([]);
  expect(files.filter(({ path }) => path.includes('typebox/build/value'))).toEqual([]);
  // Node's `fetch`, which an `import` of node:http loads.
  expect(builtin.filter((name) => name.includes('undici'))).toEqual([]);
  // Hearth's own modules grow with its endpoints, all of which are declared at the start; libraries needn't.
  const ofLibraries = files.filter(({ path }) => packageOf(path) !== undefined);
  const megabytes = ofLibraries.reduce((sum, { bytes }) => sum + bytes, 0) / 1024 ** 2;
  expect(megabytes).toBeLessThan(4);
});

test.each(['--version', '--help'])('%s loads no module of the server', async (flag) => {
  const { data, env } = await installation();
  const notes = join(data, 'loading.json');
  const options = { ...env, LOADING_NOTES: notes, NODE_OPTIONS: `--import=${notesTaker}` };
  await promisify(execFile)('./hearth', [flag], { env: { ...process.env, ...options } });
  const { files } = await readNotes(notes);
  const own = files.map(({ path }) => path).filter((path) => !path.includes('node_modules'));
  expect(own.filter((path) => path.includes('src/cli/'))).not.toEqual([]); // the list is one
  expect(own.filter((path) => /src\/(resources|server|endpoint|database)\//.test(path))).toEqual([]);
});
