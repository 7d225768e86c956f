// Removes guards, one at a time, in a copy of the checkout, and reports the removals that the tests miss. See README.md.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { guardsOf, isGuarded, type Mutant } from './guards.ts';
import { testsOf } from './tests.ts';

const { values: options } = parseArgs({
  options: {
    /** The number of guards to draw. Omitted: all of them. */
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    /** Only guards in files whose path contains this text. */
    only: { type: 'string', default: '' },
    /** The number of guards to try now. The next run continues after them. */
    limit: { type: 'string' },
    /** The folder for the copy, the results and the report. */
    folder: { type: 'string', default: join(tmpdir(), 'hearth-mutations') },
    list: { type: 'boolean', default: false },
  },
});

/** A test run that takes longer hangs, which counts as detected too. */
const longestMs = 400_000;

type Verdict = 'caught' | 'survived' | 'not judged';
type Result = { readonly guard: string; readonly verdict: Verdict; readonly by: string; readonly seconds: number };

const root = resolve(import.meta.dirname, '../..');
const copy = join(options.folder, 'tree');
const resultsFile = join(options.folder, 'results.json');
const reportFile = join(options.folder, 'tests.json');
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
const tests = files.filter((name) => name.endsWith('.test.ts'));

const keyOf = ({ file, line, kind, start, by, guard }: Mutant): string => `${file}:${line} ${kind} ${start} ${guard} → ${by}`;

function readJson<T>(file: string, otherwise: T): T {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : otherwise;
}

/** The results of tests are valid only for the same files. */
const contents = createHash('sha256');

function makeCopy(): void {
  for (const file of files) {
    contents.update(file).update(readFileSync(join(root, file)));
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  if (!existsSync(join(copy, 'node_modules'))) symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** Random integers below a bound, the same for each seed. */
function randomOf(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function sampled(all: readonly Mutant[]): Mutant[] {
  if (options.sample === undefined) return [...all];
  const random = randomOf(Number(options.seed));
  const rest = [...all];
  return Array.from({ length: Math.min(Number(options.sample), all.length) }, () => rest.splice(random(rest.length), 1)).flat();
}

/** The fields of vitest's JSON report that are read here. */
type TestReport = {
  testResults: {
    name: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
};

/** The result of a test run: success, a failure, or a failure only because of a timeout, which happens on a busy machine. */
type Outcome = { readonly passed: boolean; readonly isTimeout: boolean; readonly failure: string };

function outcomeOf(passed: boolean, file: string): Outcome {
  if (passed) return { passed, isTimeout: false, failure: '' };
  const { testResults } = readJson<TestReport>(file, { testResults: [] });
  const failures = testResults.flatMap(({ name, message, assertionResults }) => [
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]?.split('\n')[0]}`),
    ...(message === '' ? [] : [`${name}: ${message.split('\n')[0]}`]),
  ]);
  const [failure = 'no report'] = failures;
  return { passed, isTimeout: failures.length > 0 && failures.every((one) => /timed out/i.test(one)), failure };
}

/** Runs test files in the copy until one fails. */
function run(names: readonly string[]): Promise<Outcome> {
  const { promise, resolve: done } = Promise.withResolvers<Outcome>();
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  rmSync(reportFile, { force: true });
  const child = spawn(process.execPath, [vitest, 'run', '--bail=1', '--reporter=json', `--outputFile=${reportFile}`, ...names], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
  });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), longestMs);
  child.on('close', (code) => {
    clearTimeout(timer);
    done(outcomeOf(code === 0, reportFile));
  });
  return promise;
}

const soundFile = join(options.folder, 'sound.json');
const sound = readJson<Record<string, boolean>>(soundFile, {});

/** Whether tests pass without a removed guard. */
async function areSound(names: readonly string[]): Promise<boolean> {
  const key = `${fingerprint} ${names.join(' ')}`;
  sound[key] ??= (await run(names)).passed;
  writeFileSync(soundFile, JSON.stringify(sound, null, 1));
  return sound[key];
}

/** The first type error in the copy, or undefined. Types are checked like tests, since nothing is merged without that. */
function typeError(): string | undefined {
  try {
    execFileSync(process.execPath, [join(copy, 'node_modules/typescript/bin/tsc'), '--noEmit'], { cwd: copy, encoding: 'utf8' });
    return undefined;
  } catch (error) {
    return (error as { stdout: string }).stdout.split('\n')[0] ?? '';
  }
}

/** Checks the types, and runs the groups of tests one after the other, until one fails. */
async function tried(mutant: Mutant): Promise<{ verdict: Verdict; by: string }> {
  const path = join(copy, mutant.file);
  const original = readFileSync(join(root, mutant.file), 'utf8');
  const without = original.slice(0, mutant.start) + mutant.by + original.slice(mutant.end);
  try {
    writeFileSync(path, without);
    const error = typeError();
    if (error !== undefined) return { verdict: 'caught', by: error };
    for (const group of testsOf(root, mutant.file, tests)) {
      writeFileSync(path, without);
      const { passed, isTimeout, failure } = await run(group);
      writeFileSync(path, original);
      if (!passed) return { verdict: !isTimeout && (await areSound(group)) ? 'caught' : 'not judged', by: failure };
    }
    return { verdict: 'survived', by: '' };
  } finally {
    writeFileSync(path, original);
  }
}

function report(mutants: readonly Mutant[], results: Readonly<Record<string, Result>>): string {
  const judged = mutants.flatMap((mutant) => results[keyOf(mutant)] ?? []);
  const of = (verdict: Verdict): Result[] => judged.filter((one) => one.verdict === verdict);
  const share = (100 * of('caught').length) / Math.max(1, of('caught').length + of('survived').length);
  return [
    `${judged.length} of ${mutants.length} guards tried: ${of('caught').length} caught, ${of('survived').length} ` +
      `survived, ${of('not judged').length} not judged (${share.toFixed(1)} %)`,
    ...of('survived').map(({ guard }) => `survived: ${guard}`),
    ...of('not judged').map(({ guard, by }) => `not judged: ${guard} (${by})`),
    '',
  ].join('\n');
}

mkdirSync(options.folder, { recursive: true });
const all = guardsOf(
  root,
  files.filter((file) => isGuarded(file) && file.includes(options.only)),
);
const mutants = sampled(all);
if (options.list) {
  for (const mutant of mutants) console.log(keyOf(mutant));
  console.log(`${mutants.length} of ${all.length} guards`);
  process.exit();
}
makeCopy();
const fingerprint = contents.digest('hex');
const unsound = typeError();
if (unsound !== undefined) throw new Error(`The types are not sound even with all guards: ${unsound}`);
const results = readJson<Record<string, Result>>(resultsFile, {});
const waiting = mutants
  .filter((mutant) => results[keyOf(mutant)] === undefined)
  .slice(0, Number(options.limit ?? mutants.length));
const bar = new SingleBar({ format: '{bar} {value}/{total} {verdict} | ETA {eta_formatted} | {guard}' });
bar.start(waiting.length, 0, { verdict: '', guard: '' });
for (const mutant of waiting) {
  const begun = performance.now();
  const found = await tried(mutant);
  const seconds = Math.round((performance.now() - begun) / 1000);
  results[keyOf(mutant)] = { guard: keyOf(mutant), ...found, seconds };
  writeFileSync(resultsFile, JSON.stringify(results, null, 1));
  bar.increment(1, { verdict: found.verdict, guard: `${mutant.file}:${mutant.line}` });
}
bar.stop();
const text = report(mutants, results);
writeFileSync(join(options.folder, 'report.txt'), text);
console.log(text);
