import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesOf } from '#resources/security/code-scanning/fingerprints.ts';
import { codeScanningLimits } from '#resources/security/code-scanning/limits.ts';
import { classificationsOf } from '#resources/security/code-scanning/present.ts';
import { categoryOf, gatherRuns, type ReadRun } from '#resources/security/code-scanning/results.ts';
import { sarifReader } from '#resources/security/code-scanning/sarif.ts';
import { fileOf } from '#resources/security/code-scanning/source-paths.ts';
import { codeql, eslint, semgrep } from './setting.ts';

const { value: values } = codeScanningLimits.values;

/** Reads a text in parts that end at these places. */
async function read(text: string, ends: readonly number[] = []): Promise<readonly ReadRun[]> {
  const gathered = gatherRuns({ toolName: null, checkoutUri: 'file:///builds/engine/' });
  const reader = sarifReader(gathered, { values });
  const bytes = Buffer.from(text);
  const places = [0, ...ends.map((end) => end % (bytes.length + 1)).sort((one, other) => one - other), bytes.length];
  for (const [at, end] of places.slice(1).entries()) reader.write(bytes.subarray(places[at], end));
  reader.end();
  await gathered.settle();
  return gathered.runs;
}

const problem = {
  rule: 'js/command-line-injection',
  path: 'src/größe.js',
  line: 2,
  hash: 'aaaa:1',
  text: 'a "quoted" \\ text – 🚀',
};
const files = [codeql([problem, { ...problem, line: 3 }]), eslint([problem]), semgrep([problem])];

test('a file is read alike, however it arrives', async () => {
  for (const text of files.map((file) => JSON.stringify(file))) {
    const whole = await read(text);
    expect(whole[0]?.results[0]).toMatchObject({ path: problem.path, message: problem.text });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 20 }), async (ends) => {
        expect(await read(text, ends)).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  }
});

test('whatever JSON a file is, it is read or refused with the field', async () => {
  const inRun = fc.record(
    { tool: fc.jsonValue(), results: fc.jsonValue(), automationDetails: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const file = fc.oneof(
    fc.jsonValue(),
    fc.record({ version: fc.constant('2.1.0'), runs: fc.array(fc.oneof(inRun, fc.jsonValue())) }),
  );
  await fc.assert(
    fc.asyncProperty(file, async (json) => {
      try {
        await read(JSON.stringify(json));
      } catch (error) {
        expect(error).toMatchObject({ name: 'Refusal', kind: 'bad_request', errors: [{ field: 'sarif' }] });
      }
    }),
    { numRuns: 300 },
  );
});

test('messages are filled in, rules found by place or name, and levels follow SARIF', async () => {
  const location = { physicalLocation: { artifactLocation: { uri: 'a' }, region: { startLine: 7, endLine: 3, endColumn: 1 } } };
  const result = { ruleId: 'R/1', locations: [location] };
  const rules = [
    {
      id: 'R',
      shortDescription: { text: 'About R' },
      defaultConfiguration: { level: 'note' },
      messageStrings: { m: { text: '{1} of {0} {2}' } },
    },
    { id: 'S', properties: { 'security-severity': '7.5', tags: Array.from({ length: 12 }, (_, at) => `t${at}`) } },
  ];
  const results = [
    { ...result, message: { id: 'm', arguments: ['x', 'y'] } },
    { ...result, message: {}, level: 'error' },
    { ruleIndex: 1, locations: [location], message: { text: 'Here' } },
    { ...result, kind: 'pass', message: {} },
    { ...result, kind: 'review', message: {} },
  ];
  const [run] = await read(JSON.stringify({ version: '2.1.0', runs: [{ results, tool: { driver: { rules } } }] }));
  expect(run).toMatchObject({ tool: 'API', category: '', resultsCount: 4, positions: 5, rulesCount: 2 });
  expect(run?.results.map(({ severity, message, rule }) => [severity, message, rule.id])).toEqual([
    ['note', 'y of x {2}', 'R/1'],
    ['error', 'About R', 'R/1'],
    ['warning', 'Here', 'S'],
    ['none', 'About R', 'R/1'],
  ]);
  expect(run?.results[2]?.rule).toMatchObject({ securityLevel: 'high', name: 'S', tags: { length: 10 } });
  expect(run?.results[0]).toMatchObject({ startLine: 7, endLine: 7, startColumn: 1, endColumn: 1 });
});

test('categories, paths and classes of files', () => {
  expect(['a/b/2026', 'a/', 'only a name', ''].map(categoryOf)).toEqual(['a/b', 'a', '', '']);
  const bases = {
    ROOT: { uri: 'file:///builds/engine/' },
    SRC: { uri: 'src/', uriBaseId: 'ROOT' },
    LOOP: { uri: 'x/', uriBaseId: 'LOOP' },
  };
  const of = (uri: string, baseId = '', checkoutUri: string | null = null) => fileOf(uri, { bases, baseId, checkoutUri });
  expect([
    of('a%20b.js'),
    of('./x/../y/a.js'),
    of('a.js', 'SRC', 'file:///builds/engine'),
    of('file:///builds/engine/a.js', '', 'file:///builds/engine'),
    of('file:///elsewhere/a.js', '', 'file:///builds/engine'),
    of('a.js', 'UNKNOWN'),
    of('a.js', 'ROOT'),
    of('../../etc/passwd'),
    of('%'),
  ]).toEqual(['a b.js', 'y/a.js', 'src/a.js', 'a.js', 'elsewhere/a.js', 'a.js', 'a.js', 'etc/passwd', '%']);
  expect(of('a.js', 'LOOP')).toMatch(/a\.js$/);
  expect(['src/a.js', 'test/a.js', 'a.test.ts', 'vendor/x/a.go', 'a.min.js'].map(classificationsOf)).toEqual([
    [],
    ['test'],
    ['test'],
    ['library'],
    ['generated'],
  ]);
});

test('equal lines are told apart by those before them, and white space doesn’t count', async () => {
  const lines = await linesOf('a()\nb()\n  a( )\n', new Set([1, 2, 3, 9]));
  expect(lines.size).toBe(3);
  expect(lines.get(1)?.replace(':1', ':2')).toBe(lines.get(3));
  expect(lines.get(2)).not.toBe(lines.get(1));
});
