import { expect, test } from 'vitest';
import { makeLimitsPage } from '#openapi/limits-page.ts';
import { makePermissionsPage } from '#openapi/permissions-page.ts';
import { allEndpoints, allInterpreters, allLimits } from '#resources/all.ts';
import { documentedDescription } from '#test/support/public-schema.ts';
import { describeBeyond } from '#test/support/published.ts';
import { documented, matrix, notBuilt } from './matrix.ts';

// Stale? `npm run docs` writes what these compare with.

test('docs/permissions.md shows what the endpoints declare', async () => {
  await expect(makePermissionsPage(allEndpoints)).toMatchFileSnapshot('../../docs/permissions.md');
});

test('docs/limits.md shows the limits and interpreters that the parts of the server and the families declare', async () => {
  await expect(makeLimitsPage(allLimits, allInterpreters)).toMatchFileSnapshot('../../docs/limits.md');
});

test('every operation of the documents has an endpoint', () => {
  expect([...matrix, ...documented].length).toBeGreaterThan(400);
  expect(notBuilt()).toEqual([]);
});

test('public-beyond.json holds what the public API says of the operations that are built beyond the documents', async () => {
  const { operations, schemas } = describeBeyond(new Set(allEndpoints.map(({ id }) => id)), documentedDescription);
  const linesOf = (entries: object): string =>
    Object.entries(entries)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
      .join(',\n');
  const text = `{"operations":{\n${linesOf(operations)}\n},"schemas":{\n${linesOf(schemas)}\n}}\n`;
  await expect(text).toMatchFileSnapshot('../spec/public-beyond.json');
});
