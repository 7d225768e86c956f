import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stepsOfWork } from '#lib/pattern-steps.ts';
import {
  actionPatternOf,
  isActionPattern,
  matchesAction,
  type UsedAction,
  usedByPattern,
} from '#resources/repositories/actions-permissions/action-patterns.ts';
import {
  actionListOf,
  listAllows,
  listBeyond,
  refusalOfAction,
} from '#resources/repositories/actions-permissions/allowed-actions.ts';
import { computing } from '#test/support/time.ts';

/** `owner/repo/path@ref`, or an image. */
function used(text: string): UsedAction {
  if (text.startsWith('docker://')) return { kind: 'image', image: text.slice(9) };
  const [name = '', ref = ''] = text.split('@');
  const [owner = '', repo = '', ...path] = name.split('/');
  return { kind: 'action', owner, repo, path: path.join('/'), ref };
}

const matches = (pattern: string, text: string): boolean => matchesAction(actionPatternOf(pattern), used(text), stepsOfWork());

test.each([
  ['octo/*', 'octo/tool@v1', true],
  ['octo/*', 'octo/tool/deep/path@releases/v1', true],
  ['octo/*', 'octopus/tool@v1', false],
  ['octo*/*', 'octopus/tool@v1', true],
  ['octo/tool', 'octo/tool@v1', true],
  ['octo/tool@*', 'octo/tool@releases/v1', true],
  ['octo/tool@v1', 'octo/tool@v1', true],
  ['octo/tool@v1', 'octo/tool@v1.2', false],
  ['octo/tool@v1*', 'octo/tool@v1.2', true],
  ['octo/tool@V1', 'octo/tool@v1', false],
  ['Octo/TOOL@v1', 'oCTO/tool@v1', true],
  ['octo/tool@v1', 'octo/tool/build@v1', true],
  ['octo/tool/build@v1', 'octo/tool/build@v1', true],
  ['octo/tool/build@v1', 'octo/tool@v1', false],
  ['octo/tool/build@v1', 'octo/tool/test@v1', false],
  ['octo/tool/.github/workflows/*.yml@main', 'octo/tool/.github/workflows/ci.yml@main', true],
  ['octo/tool/**/ci.yml@main', 'octo/tool/.github/workflows/ci.yml@main', true],
  ['*/octocat**@*', 'monalisa/octocat-tools@v3', true],
  ['*/good@*', 'eve/bad/good@v1', false],
  ['**/good@*', 'eve/bad/good@v1', true],
  ['docker://alpine:*', 'docker://alpine:3.20', true],
  ['docker://alpine:*', 'docker://evil/alpine:3.20', false],
  ['docker://**', 'docker://ghcr.io/octo/tool@sha256:0a', true],
  ['octo/*', 'docker://octo/tool', false],
  ['docker://**', 'octo/tool@v1', false],
] as const)('%s for %s: %s', (pattern, text, expected) => {
  expect(isActionPattern(pattern)).toBe(true);
  expect(matches(pattern, text)).toBe(expected);
});

const nothing = { service_owned_allowed: false, verified_allowed: false, patterns_allowed: [] };

test('what is refused stays refused, wherever it stands in the list and whatever else allows it', () => {
  const patterns_allowed = ['!actions/cache@v1', 'octo/*', '!octo/bad'];
  const list = actionListOf({ ...nothing, service_owned_allowed: true, patterns_allowed });
  const allowed = ['octo/tool@v1', 'actions/cache@v2', 'GitHub/codeql-action/init@v3', 'octo/bad@v1', 'actions/cache@v1'];
  expect(allowed.map((text) => listAllows(list, used(text), stepsOfWork()))).toEqual([true, true, true, false, false]);
  expect(listAllows(actionListOf({ ...nothing, verified_allowed: true }), used('docker/login-action@v3'), stepsOfWork())).toBe(
    false,
  );
});

/** The same by trying every way to take characters. */
function naively(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern.startsWith('*')) return naively(pattern.slice(1), text) || (text !== '' && naively(pattern, text.slice(1)));
  return text !== '' && pattern[0] === text[0] && naively(pattern.slice(1), text.slice(1));
}

function naivePath([wanted, ...others]: readonly string[], [name, ...rest]: readonly string[]): boolean {
  if (wanted === undefined) return name === undefined;
  if (wanted === '**')
    return (
      naivePath(others, name === undefined ? [] : [name, ...rest]) || (name !== undefined && naivePath([wanted, ...others], rest))
    );
  return name !== undefined && naively(wanted, name) && naivePath(others, rest);
}

function naiveAction(pattern: string, text: string): boolean {
  const [[left = '', ref], [name = '', usedRef = '']] = [pattern.split('@'), text.split('@')];
  const names = name.toLowerCase().split('/');
  const wanted = left.toLowerCase().split('/');
  return (ref === undefined || naively(ref, usedRef)) && (naivePath(wanted, names.slice(0, 2)) || naivePath(wanted, names));
}

const word = fc.string({ unit: fc.constantFrom('a', 'B', 'b'), minLength: 1, maxLength: 4 });
const wildWord = fc.oneof(fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 4 }), fc.constant('**'));
const ref = fc.string({ unit: fc.constantFrom('v', '1', '/'), minLength: 1, maxLength: 3 });
const wildRef = fc.string({ unit: fc.constantFrom('v', '1', '/', '*'), minLength: 1, maxLength: 3 });
const joined = (names: fc.Arbitrary<string>, most: number) =>
  fc.array(names, { minLength: 2, maxLength: most }).map((parts) => parts.join('/'));
const anyPattern = fc
  .tuple(joined(wildWord, 4), fc.option(wildRef, { nil: undefined }))
  .map(([path, after]) => (after === undefined ? path : `${path}@${after}`));
const anyUse = fc.tuple(joined(word, 4), ref).map(([path, after]) => `${path}@${after}`);

test('a pattern matches exactly what it matches character by character', () => {
  fc.assert(
    fc.property(anyPattern, anyUse, (pattern, text) => {
      expect(isActionPattern(pattern)).toBe(true);
      expect(matches(pattern, text)).toBe(naiveAction(pattern, text));
    }),
    { numRuns: 2_000 },
  );
});

test('a pattern covers itself, and is covered by one that is wider', () => {
  const covers = (wide: string, narrow: string): boolean =>
    listAllows(actionListOf({ ...nothing, patterns_allowed: [wide] }), usedByPattern(narrow), stepsOfWork());
  fc.assert(fc.property(anyPattern, (pattern) => covers(pattern, pattern)));
  fc.assert(fc.property(anyUse, (text) => covers(text.replace(/@.*/, ''), text) && covers(text.replace(/@.*/, '@*'), text)));
  expect(['octo/tool@v1', 'octo/tool', 'octo/*'].map((narrow) => covers('octo/tool@*', narrow))).toEqual([true, true, false]);
});

test('a pattern of many wildcards is matched in an instant', () => {
  const pattern = `${'*a'.repeat(120)}/*b@*c`;
  expect(matches(pattern, `${'a'.repeat(5_000)}/x@c`)).toBe(false);
});

test('lists of slow patterns take a bounded time', () => {
  const slow = (count: number, end: string) => Array.from({ length: count }, (_, at) => `*${'a'.repeat(110)}b${at}/${end}`);
  const organization = { ...nothing, patterns_allowed: [...slow(999, 'x'), 'octo/*'] };
  const wanted = { patterns_allowed: Array.from({ length: 1_000 }, (_, at) => `${'a'.repeat(240)}${at}/x`) };
  expect(computing(() => expect(() => listBeyond(organization, wanted)).toThrow('too many steps'))).toBeLessThan(2_000);
  const rules = [{ by: 'repository', allowed: 'selected', list: actionListOf(organization) } as const];
  const policy = { owner: 'me', isPinningRequired: false, work: stepsOfWork() };
  const refused = () => wanted.patterns_allowed.map((text) => refusalOfAction(rules, policy, used(`${text}@v1`)) !== undefined);
  expect(computing(() => expect(refused()).toEqual(Array(1_000).fill(true)))).toBeLessThan(2_000);
});
