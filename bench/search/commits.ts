import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { indexRepositoryCommits } from '#search/commits/index-repository.ts';
import { makeVocabulary, wordAt } from './generated.ts';
import { median, printTable, quantile, timeEach } from './measure.ts';
import { seeded } from './random.ts';
import { openStage } from './stage.ts';

/** Commit search over generated history. Use `node bench/search/commits.ts --commits 5000` for a smaller run. */
const { values } = parseArgs({
  options: { commits: { type: 'string', default: '50000' }, queries: { type: 'string', default: '40' } },
});
const wanted = Number(values.commits);
const count = Number(values.queries);
const words = makeVocabulary(seeded(7));
const authors = 40;

/** Writes a linear history whose messages have a realistic frequency of words. */
async function writeCommits(path: string): Promise<void> {
  const git = spawn('git', ['fast-import', '--quiet'], { cwd: path, stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(git, 'close');
  for (let number = 0; number < wanted; number++) {
    const random = seeded(number);
    const text = (length: number) => Array.from({ length }, () => wordAt(words, random())).join(' ');
    const message = Buffer.from(`${text(6)}\n\n${text(10 + Math.floor(random() * 40))}\n`);
    const who = Math.floor(random() * authors);
    const person = `Author ${who} <author${who}@example.org> ${1_500_000_000 + number * 600} +0000`;
    const entry = `commit refs/heads/main\nauthor ${person}\ncommitter ${person}\ndata ${message.length}\n`;
    if (!git.stdin.write(`${entry}${message}\n`)) await once(git.stdin, 'drain');
  }
  git.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

await using stage = await openStage();
const { db, git } = stage;
const repository = await stage.addRepository('history');
await writeCommits(repository.path);
const start = performance.now();
await indexRepositoryCommits({ db, git, repositoryId: repository.id, now: new Date() });
console.log(`${wanted} commits, indexed at ${(wanted / ((performance.now() - start) / 1000)).toFixed(0)} commits/s`);
await sql`analyze`.execute(db);

const random = seeded(1);
const many = (make: () => string): string[] => Array.from({ length: count }, make);
const common = () => words[20 + Math.floor(random() * 100)] ?? '';
const queries: Record<string, string[]> = {
  'rare word': many(() => words[50_000 + Math.floor(random() * 100_000)] ?? ''),
  'common word': many(() => words[Math.floor(random() * 20)] ?? ''),
  'two words': many(() => `${common()} ${common()}`),
  phrase: many(() => `"${words[Math.floor(random() * 20)]} ${common()}"`),
  'word, author name and date': many(() => `${common()} author-name:${Math.floor(random() * authors)} author-date:>=2018-01-01`),
};
const rows: (string | number)[][] = [];
for (const [kind, all] of Object.entries(queries)) {
  let hits = 0;
  const { again: times } = await timeEach(all, async (q) => {
    hits += (await stage.search('commits', { q })).total_count;
  });
  rows.push([kind, `${Math.round(hits / 2 / all.length)}`, median(times), quantile(times, 0.95)]);
}
printTable(['milliseconds', 'hits', 'median', 'p95'], rows);
