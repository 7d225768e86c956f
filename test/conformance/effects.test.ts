// Every writable field of a request has a test of its effect, or a reason in the list of fields without one. So has every
// operation that writes, and every family says what its operations change.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { permissionNames } from '#access/permissions.ts';
import { alternatives } from '#access/policy.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { allEndpoints, allFamilies } from '#resources/all.ts';
import { differencesFromDocuments } from './differences.ts';
import { familyEffects, readingOperations, writingEndpoints } from './effects.ts';
import { lackingEffects } from './effects-lacking.ts';
import { fieldsOf } from './fields.ts';
import { namedFields, namedOperations, testOf } from './named-effects.ts';
import { type TestText, testsNamed, writesProperty, writtenBy } from './test-texts.ts';

const root = new URL('../../', import.meta.url);

/** By field, the last fixed words in the paths of its endpoints. */
const declared = new Map<string, Set<string>>();
for (const endpoint of allEndpoints)
  for (const field of fieldsOf(endpoint)) {
    const key = `${endpoint.family} ${field}`;
    const words = declared.get(key) ?? new Set();
    declared.set(key, words.add(endpoint.path.split('/').findLast((word) => word !== '' && !word.startsWith('{')) ?? ''));
  }

/** Permissions that some endpoint or the rules for pushes require. A test that loops over the catalogue names none of them. */
const asked = new Set([
  'workflows',
  ...allEndpoints.flatMap(({ access }) =>
    alternatives(access.permission)
      .flat()
      .map((permission) => permission.split(':', 1)[0]),
  ),
]);
const isOfCatalogue = (key: string): boolean => permissionNames.some((name) => key === `apps permissions.${name}`);
const catalogueTest =
  'test/resources/repositories/apps/apps.test.ts › hold each permission of the catalogue that is asked for, and no other';
const workflowsTest = 'test/resources/code/pushes/workflow-files.test.ts › %s needs the right for workflow files to push them';
const byCatalogue = permissionNames.filter((name) => asked.has(name)).map((name) => `apps permissions.${name}`);

const named = namedFields.map(({ family, place, what }) => ({ family, key: `${family} ${what}`, place, field: what }));
const lacking = lackingEffects.flatMap(({ family, fields }) => fields.map((field) => `${family} ${field}`));

test('every writable field names the test of its effect, or stands in the list of those without one', () => {
  expect(declared.size).toBeGreaterThan(800);
  const known = [...named.map(({ key }) => key), ...lacking, ...byCatalogue.filter((key) => declared.has(key))];
  const twice = known.filter((key, at) => known.indexOf(key) !== at);
  expect({ twice, unproved: [...declared.keys()].filter((key) => !known.includes(key)) }).toEqual({ twice: [], unproved: [] });
  expect(known.filter((key) => !declared.has(key))).toEqual([]);
});

const texts = new Map<string, string>();
function textOf(file: string): string {
  const address = new URL(file, root);
  const text = texts.get(file) ?? (existsSync(address) ? readFileSync(address, 'utf8') : '');
  texts.set(file, text);
  return text;
}

function testsAt(place: string): TestText[] {
  const { file, name } = testOf({ place });
  return name === '' ? [] : testsNamed(textOf(file), name);
}

/** A nested field is written with both names. */
const wordsOf = (field: string): string[] =>
  field
    .split('.')
    .filter((word) => word !== '*')
    .slice(-2);

/** Whether a test writes a field, in the family's own folder or in a file that names the path of an endpoint with it. */
const proves = (test: TestText, { family, key, place, field }: (typeof named)[number]): boolean =>
  wordsOf(field).every((word) => writesProperty(writtenBy(test), word)) &&
  (place.split('/')[3] === family || [...(declared.get(key) ?? [])].some((word) => `${test.own}${test.shared}`.includes(word)));

test('the tests that are named exist, and write their fields themselves', () => {
  const wrong = named.filter((one) => !testsAt(one.place).some((test) => proves(test, one)));
  expect(wrong.map(({ key, place }) => `${key}: ${place}`)).toEqual([]);
  expect(testsAt(workflowsTest)).toHaveLength(1);
  expect(testsAt(catalogueTest).map(({ own }) => own)).toEqual([expect.stringContaining('of permissionNames)')]);
});

test('every operation that writes names the test of its effect', () => {
  expect(writingEndpoints.length).toBeGreaterThan(400);
  const known = new Set(namedOperations.map(({ family, what }) => `${family} ${what}`));
  const writing = writingEndpoints.map(({ family, id }) => `${family} ${id}`);
  expect({
    unproved: writing.filter((key) => !known.has(key)),
    unknown: [...known].filter((key) => !writing.includes(key)),
    reading: readingOperations.filter(({ id }) => !allEndpoints.some((endpoint) => endpoint.id === id)),
  }).toEqual({ unproved: [], unknown: [], reading: [] });
});

/** The files of tests that a file imports, whose functions may call operations for it. */
const importedBy = (file: string): string[] =>
  [...textOf(file).matchAll(/ from '(#test|\.)(\/[^']+)'/g)].map(([, from, path = '']) =>
    from === '#test' ? `test${path}` : `${file.slice(0, file.lastIndexOf('/'))}${path}`,
  );

/** Whether the text of a test calls an operation: by its method and the last fixed word of its path, or by its id. */
function calls(text: string, { id, method, path }: Pick<Endpoint, 'id' | 'method' | 'path'>): boolean {
  const word = path.split('/').findLast((one) => one !== '' && !one.startsWith('{')) ?? '';
  const isCalled = new RegExp(`\\b${method}\\b|\\.${method.toLowerCase()}\\b|'${method.toLowerCase()}'`).test(text);
  const byClient = (id.split('/')[1] ?? '').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return (isCalled && text.includes(word)) || text.includes(byClient);
}

test('the tests that operations name exist, and call them', () => {
  const wrong = namedOperations.filter(({ place, what }) => {
    const endpoint = writingEndpoints.find(({ id }) => id === what);
    const imported = importedBy(testOf({ place }).file).map(textOf).join('\n');
    return !endpoint || !testsAt(place).some(({ own, shared }) => calls(`${own}\n${shared}\n${imported}`, endpoint));
  });
  expect(wrong.map(({ what, place }) => `${what}: ${place}`)).toEqual([]);
});

test('every family that writes says in a sentence what its operations change, and no other one does', () => {
  const writing = familyEffects.map(({ name }) => name);
  const silent = familyEffects.filter(({ effect }) => !/^[A-Z].{20,110}[^.]\.$/.test(effect)).map(({ name }) => name);
  const others = allFamilies.filter(({ name, effect, page }) => !writing.includes(name) && (effect ?? page) !== undefined);
  expect({ silent, others: others.map(({ name }) => name) }).toEqual({ silent: [], others: [] });
});

test('the permissions without an effect are those that no endpoint asks for', () => {
  const without = lacking.filter(isOfCatalogue).map((key) => key.slice('apps permissions.'.length));
  expect(without.filter((name) => asked.has(name))).toEqual([]);
});

test('what a test expects, reads or leaves to another one is not written by it', () => {
  const text = [
    "const sent = { bio: 'x' };",
    "test('one', async () => {",
    "  expect((await client.patch('/user', { name: 'x', blog })).body).toMatchObject({ title: body.company });",
    '});',
    "test('two', async () => {",
    "  await client.patch('/user', { location: 'x', ...sent });",
    '});',
  ].join('\n');
  const fields = ['name', 'blog', 'title', 'company', 'location', 'bio', 'body'];
  const writtenIn = (name: string) =>
    testsNamed(text, name).flatMap((one) => fields.filter((field) => writesProperty(writtenBy(one), field)));
  expect([writtenIn('one'), writtenIn('two')]).toEqual([
    ['name', 'blog'],
    ['location', 'bio'],
  ]);
});

test('a difference from a document has a test', () => {
  for (const { test: place } of differencesFromDocuments) {
    const [file = '', name = ''] = place.split(' › ');
    expect(readFileSync(new URL(file, root), 'utf8')).toContain(name);
  }
});

test('the list of fields without an effect only shrinks', () => {
  expect(lacking.length).toBeLessThanOrEqual(42);
});
