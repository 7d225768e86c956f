// Workflow files that cost more than they should: each is refused with a message, and the process goes on.
import { expect, test } from 'vitest';
import { system } from '#lib/caller.ts';
import { computing } from '#test/support/time.ts';
import { budget, type Contexts, ExpressionProblem, evaluate, type Json, newBudget } from '#workflow-files/expressions.ts';
import { inputWriter } from '#workflow-files/given-inputs.ts';
import { combinationsOf } from '#workflow-files/matrix.ts';
import { parseWorkflowFile } from '#workflow-files/parse.ts';
import { planJobs } from '#workflow-files/plan.ts';
import { findPart } from '#workflow-files/token.ts';

const job = 'jobs:\n  a:\n    runs-on: x\n    steps: [{run: x}]\n';
const parse = (content: string) => parseWorkflowFile('.github/workflows/x.yml', content, system);

const repeated = (levels: number): string =>
  [
    'env:',
    '  a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
    ...Array.from({ length: levels }, (_, at) => `  a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(', ')}]`),
  ].join('\n');

test.each([
  ['aliases of aliases', `on: push\n${repeated(10)}\n${job}`, 'parts, including parts that aliases repeat'],
  [
    'a long text that aliases repeat',
    `on: push\nenv:\n  a: &a ${'x'.repeat(100_000)}\n` +
      `${Array.from({ length: 100 }, (_, at) => `  b${at}: *a`).join('\n')}\n${job}`,
    'characters, including parts that aliases repeat',
  ],
  ['a NUL character', `on: push\nname: "a\\0b"\n${job}`, 'NUL'],
  ['brackets in brackets', `on: push\nenv: ${'['.repeat(5_000)}\n${job}`, /nested too deeply|Flow sequence/],
  [
    'many jobs',
    `on: push\njobs:\n${Array.from({ length: 1_001 }, (_, at) => `  a${at}: {runs-on: x, steps: [{run: x}]}`).join('\n')}`,
    '1000 jobs',
  ],
])('%s are refused', async (_, content, message) => {
  const parsed = await parse(content);
  expect('problems' in parsed && parsed.problems[0]?.message).toMatch(message);
});

test('a file whose reading takes too long ends its thread, and the next one is read', async () => {
  // Each alias is looked for from the beginning of the file.
  const slow = `on: push\nenv:\n  a: &a x\n${Array.from({ length: 30_000 }, (_, at) => `  b${at}: *a`).join('\n')}\n${job}`;
  const parsed = await parse(slow);
  expect('problems' in parsed && parsed.problems[0]?.message).toContain('takes more than 3 seconds');
  expect(await parse(`on: push\n${job}`)).toHaveProperty('file');
});

const contexts = (): Contexts => ({
  github: {
    event: {
      text: 'x'.repeat(1_000_000),
      list: Array.from({ length: 100_000 }, () => ({ a: 'b' })),
      texts: Array.from({ length: 30 }, () => ({ text: 'ı'.repeat(65_536) })),
      dotless: 'ı'.repeat(65_536),
      brackets: '[],'.repeat(20_000),
      repeats: `${'x'.repeat(100_000)}y${'x'.repeat(100_000)}`,
      more: 'x'.repeat(400_000),
      tooMany: '{9}',
    },
  },
  [budget]: newBudget(),
});

const nested = (levels: number): string =>
  Array.from({ length: levels }).reduce<string>((inner) => `format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}', ${inner})`, "'x'");

test.each([
  ['nested formats', nested(12)],
  ['a text that many parts repeat', `format('${'{0}'.repeat(3_000)}', github.event.text)`],
  [
    'JSON of a large context, over and over',
    `format('{0}{1}{2}{3}{4}{5}{6}{7}{8}', ${Array(9).fill('toJSON(github)').join(', ')})`,
  ],
  ['comparisons of a long text', Array(400).fill('github.event.text == github.event.text').join(' && ')],
  ['a NUL character that an expression makes', `fromJSON('"a\\u0000b"')`],
  ['searches of many long texts', Array(300).fill("contains(github.event.texts.*.text, 'x')").join(' || ')],
  ['comparisons in upper case', Array(400).fill("github.event.dotless == 'x'").join(' || ')],
  ['filters of a long list', Array(200).fill('github.event.list.*.a').join(' && ')],
  ['a text whose items are counted with zeros', `format('${'{0000}'.repeat(1_500)}', github.event.dotless)`],
  ['JSON that was made', `fromJSON(format('[${'{0}'.repeat(55)}0]', github.event.brackets))`],
  ['JSON with many levels', `fromJSON('${'['.repeat(5_000)}${']'.repeat(5_000)}')`],
  ['a budget that is spent in an index', `github[format('${'{0}'.repeat(3_000)}', github.event.text)]`],
  ['an empty text as JSON', `fromJSON('')`],
  ['a format of too few values', `format(github.event.tooMany, 'a')`],
  ['nothing', ''],
  ['brackets in brackets', `${'('.repeat(10_000)}1${')'.repeat(10_000)}`],
  ['an expression that is too long', `'${'x'.repeat(21_000)}'`],
])('%s are refused in little time', (_, expression) => {
  const given = contexts();
  const run = () => evaluate({ kind: 'expression', line: 7, expression }, given);
  expect(computing(() => expect(run).toThrow(ExpressionProblem))).toBeLessThan(700);
});

test.each([
  ['a long text in a long list', `contains(fromJSON('[${Array(6_900).fill('""').join(',')}]'), github.event.dotless)`, false],
  ['a text with many beginnings of another', 'contains(github.event.more, github.event.repeats)', false],
  ['a row of comparisons', Array(5_000).fill('1').join('=='), true],
])('%s is searched in little time', (_, expression, found) => {
  const run = () => evaluate({ kind: 'expression', line: 7, expression }, contexts());
  expect(computing(() => expect(run()).toBe(found))).toBeLessThan(700);
});

test('many expressions share what one run may cost', () => {
  const given = contexts();
  const all = Array.from({ length: 10_000 }, () => ({ kind: 'expression', line: 1, expression: 'github.event.text' }) as const);
  expect(() => evaluate({ kind: 'sequence', line: 1, items: all }, given)).toThrow('too many steps');
});

test('an ordinary file is far from the limits', async () => {
  const steps = Array.from(
    { length: 200 },
    (_, at) => `      - name: Step ${at} of \${{ github.ref }}\n        run: make part-${at}`,
  );
  const parsed = await parse(
    `on: push\nrun-name: Build \${{ github.ref }}\njobs:\n  a:\n    runs-on: x\n    steps:\n${steps.join('\n')}`,
  );
  if (!('file' in parsed)) throw new Error(JSON.stringify(parsed.problems));
  const name = findPart(parsed.file.parts, 'run-name');
  expect(name && evaluate(name, { github: { ref: 'main' }, [budget]: newBudget() })).toBe('Build main');
});

test('matrices of calls in matrices of calls end at the number of jobs that a run may have', async () => {
  const sizes =
    `{x: [${Array.from({ length: 16 }, (_, at) => at).join(', ')}], y: ` +
    `[${Array.from({ length: 16 }, (_, at) => at).join(', ')}]}`;
  const fileOf = async (on: string, one: string) => {
    const parsed = await parse(`on: ${on}\njobs:\n  a:\n    strategy: {matrix: ${sizes}}\n    ${one}\n`);
    if (!('file' in parsed)) throw new Error(JSON.stringify(parsed.problems));
    return parsed.file;
  };
  const leaf = { name: './c', file: await fileOf('workflow_call', 'runs-on: x\n    steps: [{run: x}]'), called: new Map() };
  const call = 'uses: ./.github/workflows/x.yml';
  const middle = { name: './b', file: await fileOf('workflow_call', call), called: new Map([['a', leaf]]) };
  const top = { name: undefined, file: await fileOf('push', call), called: new Map([['a', middle]]) };
  const all = { github: {}, inputs: {}, vars: {}, [budget]: newBudget() };
  const nothing = { made: new Set<string>(), results: new Map(), isCancelled: false };
  const plan = () => planJobs(top, all, nothing);
  expect(computing(() => expect(plan().problem).toContain('at most 1000 jobs'))).toBeLessThan(1_000);
  expect(plan().jobs.length).toBeLessThan(1_300);

  // Calls that wait for their turn in a concurrency group count as a job each.
  const waiting = {
    name: './b',
    file: await fileOf('workflow_call', `concurrency: one\n    ${call}`),
    called: new Map([['a', leaf]]),
  };
  const held = () => planJobs({ ...top, called: new Map([['a', waiting]]) }, all, { ...nothing, leases: new Map() });
  expect(computing(() => expect(held().problem).toContain('at most 1000 jobs'))).toBeLessThan(1_000);
  expect(held().held.length).toBeLessThan(1_300);
});

test('a matrix of many lists is refused before its combinations are made', () => {
  const two = Array.from({ length: 13 }, (_, at) => [`a${at}`, [1, 2]]);
  const one = Array.from({ length: 20_000 }, (_, at) => [`b${at}`, [1]]);
  const make = () => combinationsOf(Object.fromEntries([...two, ...one]));
  expect(computing(() => expect(make).toThrow('more than 200000 values'))).toBeLessThan(500);
});

test('the inputs and matrix values of nested calls are bounded together, since each of their jobs keeps them', async () => {
  const fileOf = async (content: string) => {
    const parsed = await parse(content);
    if (!('file' in parsed)) throw new Error(JSON.stringify(parsed.problems));
    return parsed.file;
  };
  const on = 'on: {workflow_call: {inputs: {text: {type: string, required: true}}}}\n';
  const call = (text: string, more = '') => `jobs:\n  a: {uses: ./.github/workflows/x.yml, ${more}with: {text: "${text}"}}\n`;
  const leaf = { name: './c', file: await fileOf(`${on}${job}`), called: new Map() };
  const problemOf = async (outer: string, inner: string) => {
    const middle = { name: './b', file: await fileOf(`${on}${inner}`), called: new Map([['a', leaf]]) };
    const top = { name: undefined, file: await fileOf(`on: push\n${outer}`), called: new Map([['a', middle]]) };
    const all = { github: {}, inputs: {}, vars: {}, [budget]: newBudget() };
    const [first] = planJobs(top, all, { made: new Set(), results: new Map(), isCancelled: false }).jobs;
    return first?.ended?.result === 'failure' ? first.ended.problem : undefined;
  };
  const half = 'x'.repeat(32_000);
  expect(await problemOf(call(half), call(half))).toBeUndefined();
  expect(await problemOf(call(half), call(half.repeat(2)))).toMatch('more than 64 KiB');
  expect(await problemOf(call(half), call(half, `strategy: {matrix: {y: ["${half}"]}}, `))).toMatch('more than 64 KiB');
});

test.each<[string, (mentions: number) => Json]>([
  ['an input', (mentions) => `\${{ inputs.a }}`.repeat(mentions)],
  ['all inputs', (mentions) => `\${{ inputs }}`.repeat(mentions)],
  ['an input in the name of a part', (mentions) => ({ [`\${{ inputs.a }}`.repeat(mentions)]: 1 })],
  ['an input in many parts', (mentions) => Array(mentions).fill(`\${{ inputs.a }}`)],
])('%s that a called file names over and over is refused before it is written out', (_, partOf) => {
  const part = partOf(30_000);
  const run = () => inputWriter({ a: 'x'.repeat(60_000) })(part);
  expect(computing(() => expect(run).toThrow('more than 4 MiB'))).toBeLessThan(500);
});

test('quotes without an end are read once', () => {
  const part = `\${{ ${"''".repeat(20_000)} `;
  expect(computing(() => expect(inputWriter({})(part)).toBe(part))).toBeLessThan(500);
});

const planOf = async (content: string) => {
  const parsed = await parse(content);
  if (!('file' in parsed)) throw new Error(JSON.stringify(parsed.problems));
  const all = { github: { text: 'x'.repeat(60_000) }, inputs: {}, vars: {}, [budget]: newBudget() };
  const nothing = { made: new Set<string>(), results: new Map(), isCancelled: false };
  return planJobs({ name: undefined, file: parsed.file, called: new Map() }, all, nothing);
};
const matrix = (count: number) => `strategy: {matrix: {x: [${Array.from({ length: count }, (_, at) => at).join(', ')}]}}`;

test('a job asks for few labels, and has a name that isn’t too long', async () => {
  const labels = Array.from({ length: 45_000 }, (_, at) => `l${at % 10}`).join(', ');
  const many = await planOf(`on: push\njobs:\n  a:\n    ${matrix(64)}\n    runs-on: [${labels}]\n    steps: [{run: x}]\n`);
  expect(many.jobs).toMatchObject([
    { ended: { result: 'failure', problem: expect.stringMatching(/at most 100 labels|too many steps/) } },
  ]);
  const name = `name: ${'n'.repeat(400_000)}`;
  const named = await planOf(`on: push\njobs:\n  a:\n    ${name}\n    ${matrix(64)}\n    runs-on: x\n    steps: [{run: x}]\n`);
  expect(named.jobs.map((one) => one.name.length)).toEqual(Array(64).fill(1_024));
});

test('what the jobs of a plan hold is bounded together', async () => {
  const long = await planOf(
    `on: push\njobs:\n  a:\n    ${matrix(100)}\n    runs-on: ${'l'.repeat(60_000)}\n    steps: [{run: x}]\n`,
  );
  expect(long.problem).toContain('more than 4 MiB');
  const fits = await planOf(
    `on: push\njobs:\n  a:\n    ${matrix(60)}\n    runs-on: ${'l'.repeat(60_000)}\n    steps: [{run: x}]\n`,
  );
  expect(fits.problem).toBeUndefined();
  expect(fits.jobs).toHaveLength(60);
});
