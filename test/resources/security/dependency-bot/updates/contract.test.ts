import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  decodeResult,
  encodeRequest,
  mayChange,
  type UpdatedEcosystem,
  type UpdateRequest,
} from '#resources/security/dependency-bot/updates/contract.ts';

const encode = (value: unknown): string => gzipSync(JSON.stringify(value)).toString('base64');

const dependency = { name: '@acme/left', from: '1.0.0', to: '1.2.0', type: 'production' };
const result = { dependencies: [dependency], patch: 'diff --git a/package.json b/package.json\n' };
const good = { results: [result], skipped: [{ name: 'right', reason: 'It is pinned' }, { reason: 'npm failed' }] };

test('what a script returns is read, also with line breaks', async () => {
  expect(await decodeResult(encode(good))).toEqual(good);
  expect(await decodeResult(encode(good).replaceAll(/.{40}/g, '$&\n'))).toEqual(good);
  expect(await decodeResult(encode({ results: [], skipped: [] }))).toEqual({ results: [], skipped: [] });
});

test.each<[string, string]>([
  ['nothing', ''],
  ['text', 'not a result'],
  ['no compressed data', Buffer.from('{}').toString('base64')],
  ['no JSON', gzipSync('{').toString('base64')],
  ['cut data', encode(good).slice(0, 40)],
  ['a list', encode([good])],
  ['another field', encode({ ...good, token: 'x' })],
  ['a result without dependencies', encode({ ...good, results: [{ ...result, dependencies: [] }] })],
  ['a name with a line break', encode({ ...good, results: [{ ...result, dependencies: [{ ...dependency, name: 'a\nb' }] }] })],
  ['a name in Markdown', encode({ ...good, results: [{ ...result, dependencies: [{ ...dependency, name: '[a](b)' }] }] })],
  ['a version of something else', encode({ ...good, results: [{ ...result, dependencies: [{ ...dependency, to: '$(id)' }] }] })],
  ['an unknown type', encode({ ...good, results: [{ ...result, dependencies: [{ ...dependency, type: 'root' }] }] })],
  ['a patch that is none', encode({ ...good, results: [{ ...result, patch: 'rm -rf' }] })],
  ['a NUL', encode({ ...good, skipped: [{ reason: 'a\0' }] })],
  ['deep JSON', gzipSync('['.repeat(1_000_000)).toString('base64')],
  ['too many values', encode({ ...good, skipped: Array.from({ length: 600_000 }, () => 1) })],
  ['a bomb', gzipSync(Buffer.alloc(200 * 1024 * 1024)).toString('base64')],
  ['a text that is too long', 'A'.repeat(900_004)],
])('%s is no result', async (_what, text) => {
  expect(await decodeResult(text)).toBeUndefined();
});

const request: UpdateRequest = { ecosystem: 'npm', directory: '/', kind: 'security', open: [] };

test('a request that is wrong or too large isn’t sent', () => {
  const noise = Array.from({ length: 40_000 }, (_, at) => String(Math.sin(at))).join(' || ');
  const about = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      name: `a${at}`,
      patched: '1',
      vulnerable: [noise.slice(at * 50_000, at * 50_000 + 50_000)],
    }));
  expect(() => encodeRequest({ ...request, security: about(3) })).not.toThrow();
  expect(() => encodeRequest({ ...request, security: about(15) })).toThrow('too large');
  expect(() => encodeRequest({ ...request, directory: 'web' })).toThrow('form');
});

test.each<[boolean, UpdatedEcosystem, string, string]>([
  [true, 'npm', '/', 'package.json'],
  [true, 'npm', '/', 'packages/web/package.json'],
  [true, 'npm', '/web', 'web/npm-shrinkwrap.json'],
  [false, 'npm', '/web', 'package.json'],
  [false, 'npm', '/web', 'web/../package.json'],
  [false, 'npm', '/', '/package.json'],
  [false, 'npm', '/', 'node_modules/a/package.json'],
  [false, 'npm', '/', '.npmrc'],
  [false, 'npm', '/', '.github/workflows/package.json/a.yml'],
  [true, 'pip', '/', 'requirements.txt'],
  [true, 'pip', '/api', 'common/requirements/base.txt'],
  [true, 'pip', '/', 'dev-requirements.in'],
  [true, 'pip', '/', 'constraints.txt'],
  [false, 'pip', '/', 'requirements.py'],
  [false, 'pip', '/', '.git/requirements.txt'],
  [false, 'pip', '/', 'requirements/setup.py'],
  [true, 'gomod', '/svc', 'svc/go.sum'],
  [false, 'gomod', '/svc', 'svc/sub/go.mod'],
  [false, 'gomod', '/', 'main.go'],
])('%s: an update of %s in %s may change %s', (may, ecosystem, directory, path) => {
  expect(mayChange(ecosystem, directory, path)).toBe(may);
});
