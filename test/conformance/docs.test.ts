import { expect, test } from 'vitest';
import { makeEffectsPage } from '#openapi/effects-page.ts';
import { makeLimitsPage } from '#openapi/limits-page.ts';
import { makePermissionsPage } from '#openapi/permissions-page.ts';
import { allEndpoints, allInterpreters, allLimits } from '#resources/all.ts';
import { type Description, documentedDescription } from '#test/support/public-schema.ts';
import { describeOperations } from '#test/support/published.ts';
import { familyEffects } from './effects.ts';
import { documented, matrix, notBuilt } from './matrix.ts';

// If these fail because a file is stale, `npm run docs` updates it.

test('docs/permissions.md shows what the endpoints declare', async () => {
  await expect(makePermissionsPage(allEndpoints)).toMatchFileSnapshot('../../docs/permissions.md');
});

test('docs/limits.md shows the limits and interpreters that the parts of the server and the families declare', async () => {
  await expect(makeLimitsPage(allLimits, allInterpreters)).toMatchFileSnapshot('../../docs/limits.md');
});

test('docs/effects.md shows what the families say of their effects, and the tests of these', async () => {
  await expect(makeEffectsPage(familyEffects)).toMatchFileSnapshot('../../docs/effects.md');
});

test('every operation of the documents has an endpoint', () => {
  expect([...matrix, ...documented].length).toBeGreaterThan(400);
  expect(notBuilt()).toEqual([]);
});

/** A description with an entry in each line, so that differences can be read. */
function textOf(source: string | undefined, { operations, schemas }: Description): string {
  const linesOf = (entries: object): string =>
    Object.entries(entries)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
      .join(',\n');
  const first = source === undefined ? '' : `"source":${JSON.stringify(source)},`;
  return `{${first}"operations":{\n${linesOf(operations)}\n},"schemas":{\n${linesOf(schemas)}\n}}\n`;
}

test('public-description.json holds what the public API says of the operations that it names', async () => {
  const known = documentedDescription.operations;
  const { operations, schemas } = describeOperations(new Set(Object.keys(known)), { operations: {}, schemas: {} });
  const named = Object.entries(operations).map(([id, { method, path, ...rest }]) => {
    const neutral = known[id]?.neutral;
    return [id, { method, path, ...(neutral === undefined ? {} : { neutral }), ...rest }];
  });
  const source = '@octokit/openapi 23.0.2 (MIT), prose removed, public words kept';
  const text = textOf(source, { operations: Object.fromEntries(named), schemas });
  await expect(text).toMatchFileSnapshot('../spec/public-description.json');
});

test('public-beyond.json holds what the public API says of the operations that are built beyond the documents', async () => {
  const beyond = describeOperations(new Set(allEndpoints.map(({ id }) => id)), documentedDescription);
  await expect(textOf(undefined, beyond)).toMatchFileSnapshot('../spec/public-beyond.json');
});
