import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emitPath, emitRoute, neutralPath, neutralRoute, neutralValue, publicPath } from '#vocabulary/paths.ts';
import { pathWords } from '#vocabulary/words.ts';

type Row = { method: string; path: string; public_path?: string };
const read = (name: string) => JSON.parse(readFileSync(new URL(`../spec/${name}`, import.meta.url), 'utf8'));
const matrix: Row[] = read('permission-matrix.json');
const endpoints: Row[] = read('endpoints.json');
const surface: Row[] = read('surface.json').families.flatMap((family: { operations: Row[] }) => family.operations);
const operations: { method: string; path: string; neutral?: string }[] = Object.values(
  read('public-description.json').operations,
);

test('every row of the documents has the public path that stands beside it', () => {
  expect(matrix).toHaveLength(370);
  expect(surface.length).toBeGreaterThanOrEqual(404);
  for (const { path, public_path } of [...matrix, ...endpoints]) {
    expect(emitRoute('github', path)).toBe(public_path ?? path);
    expect(neutralRoute(public_path ?? path)).toBe(path);
  }
});

test('every operation of the public description is found by its neutral path', () => {
  const mapped = operations.filter(({ neutral }) => neutral !== undefined);
  expect(mapped).toHaveLength(551);
  for (const { method, path, neutral } of mapped) {
    expect(`${method} ${neutralRoute(path)}`).toBe(neutral);
    expect(`${method} ${path}`).toBe(`${method} ${emitRoute('github', neutralRoute(path))}`);
  }
});

test('paths of all documents survive the way there and back, and nothing changes in the neutral words', () => {
  for (const { path } of [...surface, ...matrix, ...endpoints]) {
    expect(neutralRoute(emitRoute('github', path))).toBe(path);
    expect(neutralRoute(path)).toBe(path);
    expect(emitRoute('service', path)).toBe(path);
  }
});

test('a route has an alias only where a request looks different', () => {
  const aliases = new Set(surface.map(({ path }) => publicPath(path)).filter((path) => path !== undefined));
  expect(aliases.size).toBe(12);
  expect(publicPath('/orgs/{org}/members/{username}/assistant')).toBe('/orgs/{org}/members/{username}/copilot');
  expect(publicPath('/repos/{owner}/{repo}/security-advisories/{advisory_id}/forks')).toBeUndefined();
  for (const { path } of surface) expect(publicPath(path) ?? path).not.toMatch(/assistant|dependency-bot|service-owned/);
});

const words = [...new Set(pathWords.flat().flatMap((path) => path.split('/')))].filter((word) => word !== '' && word !== '{}');
const segment = fc.oneof(
  fc.constantFrom(...words, 'service', 'github', '{org}', '{ghsa_id}'),
  fc.stringMatching(/^[\w.%-]{1,8}$/),
);

test('segments that hold names are never touched, whatever they are called', () => {
  const filled = surface.map(({ path }) => path.split('/')).filter((route) => !route.includes('{security_product}')); // a closed set
  fc.assert(
    fc.property(fc.constantFrom(...filled), fc.array(segment, { minLength: 12, maxLength: 12 }), (route, names) => {
      const path = route.map((part, i) => (part.startsWith('{') ? names[i] : part)).join('/');
      const there = emitPath('github', path);
      expect(neutralPath(there).split('/')).toHaveLength(route.length);
      there.split('/').forEach((part, i) => {
        if (route[i]?.startsWith('{')) expect(part).toBe(names[i]);
      });
      expect(neutralPath(there)).toBe(neutralPath(path));
    }),
    { numRuns: 2000 },
  );
});

test('what looks like a word at another place stays', () => {
  for (const path of [
    '/orgs/copilot/members',
    '/orgs/acme/teams/copilot',
    '/orgs/acme/members/copilot',
    '/repos/acme/copilot/contents/orgs/x/copilot',
    '/users/dependabot',
    '/orgs/acme/hooks?name=/orgs/x/copilot',
  ]) {
    expect(neutralPath(path)).toBe(path);
    expect(emitPath('github', path)).toBe(path);
  }
  expect(neutralPath('/orgs/acme/copilot/billing?per_page=2&x=/copilot')).toBe(
    '/orgs/acme/assistant/billing?per_page=2&x=/copilot',
  );
});

test('closed values of path words are understood in either vocabulary', () => {
  expect(neutralValue('security_product', 'dependabot_alerts')).toBe('dependency_bot_alerts');
  expect(neutralValue('security_product', 'dependency_bot_alerts')).toBe('dependency_bot_alerts');
  expect(neutralValue('repo', 'dependabot_alerts')).toBe('dependabot_alerts');
});

test('translating a path costs next to nothing', () => {
  const paths = ['/repos/acme/tool/issues/1', '/orgs/acme/hooks', '/orgs/acme/copilot/billing'];
  const began = performance.now();
  for (let i = 0; i < 30_000; i++) neutralPath(paths[i % 3] ?? '');
  expect((performance.now() - began) / 30_000).toBeLessThan(0.02);
});
