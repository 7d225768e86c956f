import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { emitRoute, neutralRoute, neutralValue, publicPath } from '#vocabulary/paths.ts';

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

test('what looks like a word at another place stays', () => {
  for (const route of [
    '/orgs/copilot/members',
    '/orgs/{org}/teams/copilot',
    '/orgs/{org}/members/copilot',
    '/repos/{owner}/copilot',
  ])
    expect(neutralRoute(route)).toBe(route);
  for (const route of ['/orgs/assistant/members', '/orgs/{org}/teams/assistant', '/repos/{owner}/assistant'])
    expect(emitRoute('github', route)).toBe(route);
});

test('closed values of path words are understood in either vocabulary', () => {
  expect(neutralValue('security_product', 'dependabot_alerts')).toBe('dependency_bot_alerts');
  expect(neutralValue('security_product', 'dependency_bot_alerts')).toBe('dependency_bot_alerts');
  expect(neutralValue('repo', 'dependabot_alerts')).toBe('dependabot_alerts');
});
