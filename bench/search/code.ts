import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { sql } from 'kysely';
import { startWorker } from '#jobs/worker.ts';
import { indexRepositoryCode } from '#search/code/index-repository.ts';
import { listen } from '#server/listen.ts';
import { frequencies, readPackages, renamed, type SourceFile, writeHistory } from './corpus.ts';
import { generatedFiles } from './generated.ts';
import { median, printTable, quantile, type Times, timeEach } from './measure.ts';
import { checkOut, gitGrep, hasRipgrep, ripgrep } from './others.ts';
import { installPackages } from './packages.ts';
import { chooseQueries, kinds, type Query } from './queries.ts';
import { seeded } from './random.ts';
import { openStage, type Repository } from './stage.ts';

/**
 * Code search compared with `git grep` and ripgrep over the same trees: the files of npm packages. Use `--files 20000` for a
 * smaller run, and `--generated 1000000` for this number of small files, measured at a tenth of them and at all.
 */
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '40' },
    packages: { type: 'string' },
    generated: { type: 'string' },
    repositories: { type: 'string', default: '5' },
    compare: { type: 'string', default: '6' },
    kinds: { type: 'string', default: kinds.join(',') },
  },
});
const execute = promisify(execFile);
const wanted = Number(values.files);
const say = (text: string) => process.stderr.write(`${text}\n`);

await using stage = await openStage();
const { db, git, folder } = stage;

async function main(): Promise<void> {
  if (values.generated) return compareSizes(Number(values.generated));
  const base = await readPackages(values.packages ?? (await installPackages(say)), wanted);
  const counts = frequencies(base);
  say(`${base.length} files of packages, ${counts.size} words`);
  const { repositories, bytes, files } = await makeRepositories(base, counts);
  const perSecond = await indexAll(repositories, files);
  await sql`analyze`.execute(db);
  const incremental = await pushTenFiles(repositories);
  const index = await sizeOf();
  console.log(`${files} files, ${mebi(bytes)} MB of source text, ${repositories.length} repositories`);
  console.log(
    `indexing ${perSecond.toFixed(0)} files/s; index and table ${mebi(index.total)} MB = ` +
      `${(index.total / bytes).toFixed(2)}x the text (${index.parts})`,
  );
  console.log(`push of 10 files searchable after ${incremental.toFixed(0)} ms`);
  await compare(base, counts, repositories);
}

const mebi = (bytes: number): string => (bytes / 1e6).toFixed(0);

async function makeRepositories(base: readonly SourceFile[], counts: ReadonlyMap<string, number>) {
  const common = new Set([...counts].filter(([, count]) => count > base.length / 200).map(([word]) => word));
  const repositories: Repository[] = [];
  let bytes = 0;
  let files = 0;
  for (let copy = 0; files < wanted; copy++) {
    const all = [...renamed(base, common, copy)].slice(0, wanted - files);
    const size = Math.ceil(base.length / Number(values.repositories));
    for (let at = 0; at < all.length; at += size) {
      const repository = await stage.addRepository(`copy-${copy}-${at}`);
      bytes += await writeHistory(repository.path, all.slice(at, at + size));
      repositories.push(repository);
    }
    files += all.length;
    say(`${files} files written`);
  }
  return { repositories, bytes, files };
}

/** The same queries over a tenth of the generated files and over all of them. */
async function compareSizes(all: number): Promise<void> {
  const few = Math.floor(all / 10);
  const sample = [...generatedFiles(0, few)];
  const queries = chooseQueries(sample, frequencies(sample), { count: Number(values.queries), random: seeded(1) });
  const measured: Record<string, Times>[] = [];
  let from = 0;
  for (const until of [few, all]) {
    const added = await addRepositories(from, until);
    const perSecond = await indexAll(added, until - from);
    await sql`analyze`.execute(db);
    say(`${until} files: indexed at ${perSecond.toFixed(0)} files/s`);
    const times: Record<string, Times> = {};
    for (const kind of kinds) times[kind] = (await timeEach(queries[kind], ({ q }) => stage.search('code', { q }))).again;
    measured.push({ ...times, 'all of these': Object.values(times).flat() });
    from = until;
  }
  printTable(
    ['milliseconds', `${few} files`, 'p95', `${all} files`, 'p95', 'ratio'],
    [...kinds, 'all of these'].map((kind) => {
      const [small = [], large = []] = measured.map((times) => times[kind]);
      return [kind, ...of(small), ...of(large), `${(median(large) / median(small)).toFixed(1)}x`];
    }),
  );
}

const filesInRepository = 20_000;

async function addRepositories(from: number, until: number): Promise<Repository[]> {
  const repositories: Repository[] = [];
  for (let at = from; at < until; at += filesInRepository) {
    const repository = await stage.addRepository(`generated-${at}`);
    await writeHistory(repository.path, generatedFiles(at, Math.min(until, at + filesInRepository)));
    repositories.push(repository);
    say(`${Math.min(until, at + filesInRepository)} files written`);
  }
  return repositories;
}

async function indexAll(repositories: readonly Repository[], files: number): Promise<number> {
  const start = performance.now();
  for (const [done, { id }] of repositories.entries()) {
    await indexRepositoryCode({ db, git, repositoryId: id, now: new Date() });
    if (done % 10 === 9) say(`${done + 1} of ${repositories.length} repositories indexed`);
  }
  return files / ((performance.now() - start) / 1000);
}

/** The time from the beginning of a `git push` of ten files, to a large repository, until a search finds a word of each. */
async function pushTenFiles([repository]: readonly Repository[]): Promise<number> {
  if (!repository) throw new Error('There are no repositories');
  const url = await listen(stage.hearth.app, { host: '127.0.0.1', port: 0 });
  const worker = await startWorker(stage.hearth.worker);
  const clone = join(folder, 'clone');
  const inClone = (...args: string[]) =>
    execute('git', ['-C', clone, '-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', ...args]);
  await execute('git', [
    'clone',
    '--quiet',
    `${url.replace('://', `://bench:${stage.token}@`)}/bench/${repository.name}.git`,
    clone,
  ]);
  await mkdir(join(clone, 'pushed'));
  for (let i = 0; i < 10; i++) await writeFile(join(clone, `pushed/${i}.ts`), `const freshlyPushedWord = ${i};\n`);
  await inClone('add', '.');
  await inClone('commit', '--quiet', '-m', 'Ten files');
  const start = performance.now();
  await inClone('push', '--quiet');
  while ((await stage.search('code', { q: 'freshlyPushedWord' })).total_count < 10) await sleep(5);
  const elapsed = performance.now() - start;
  await worker.stop();
  return elapsed;
}

async function sizeOf(): Promise<{ total: number; parts: string }> {
  const { rows } = await sql<{ total: number; heap: number; toast: number; gin: number; paths: number; pairs: number }>`
    select pg_total_relation_size('code_files') + pg_total_relation_size('code_pairs') as total,
      pg_relation_size('code_files') as heap,
      pg_table_size('code_files') - pg_relation_size('code_files') as toast,
      pg_relation_size('code_files_words') as gin, pg_relation_size('code_files_path') as paths,
      pg_total_relation_size('code_pairs') as pairs`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('No sizes');
  return {
    total: row.total,
    parts:
      `rows ${mebi(row.heap)}, lexemes ${mebi(row.toast)}, GIN ${mebi(row.gin)}, paths ${mebi(row.paths)}, pairs ` +
      `${mebi(row.pairs)}`,
  };
}

async function compare(
  base: readonly SourceFile[],
  counts: ReadonlyMap<string, number>,
  repositories: readonly Repository[],
): Promise<void> {
  const queries = chooseQueries(base, counts, { count: Number(values.queries), random: seeded(1) });
  const paths = repositories.map(({ path }) => path);
  const trees = join(folder, 'trees');
  if (hasRipgrep()) for (const [index, path] of paths.entries()) await checkOut(path, join(trees, String(index)));
  const rows: (string | number)[][] = [];
  for (const kind of kinds.filter((kind) => values.kinds.includes(kind))) {
    const all = queries[kind];
    const few = all.slice(0, Number(values.compare));
    let hits = 0;
    const { first, again: plain } = await timeEach(all, async ({ q }) => {
      hits += (await stage.search('code', { q })).total_count;
    });
    const { again: matched } = await timeEach(all, ({ q }) => stage.search('code', { q }, { matches: true }));
    const { again: grep } = await timeEach(few, (query: Query) => gitGrep(paths, query));
    const rg = hasRipgrep() ? (await timeEach(few, (query: Query) => ripgrep(trees, query))).again : undefined;
    rows.push([
      kind,
      `${Math.round(hits / 2 / all.length)}`,
      median(first),
      ...of(plain),
      ...of(matched),
      median(grep),
      ratio(grep, plain),
      rg ? median(rg) : '-',
      rg ? ratio(rg, plain) : '-',
    ]);
    say(`${kind}: measured`);
  }
  const times = ['median', 'p95'];
  printTable(
    [
      'milliseconds',
      'hits',
      'first time',
      ...times,
      ...times.map((name) => `+matches ${name}`),
      'git grep',
      'ratio',
      'ripgrep',
      'ratio',
    ],
    rows,
  );
}

const of = (times: Times): number[] => [median(times), quantile(times, 0.95)];
const ratio = (other: Times, own: Times): string => `${(median(other) / median(own)).toFixed(0)}x`;

await main();
