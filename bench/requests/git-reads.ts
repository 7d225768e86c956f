import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countGitProcesses } from '#git/process/process.ts';
import { listen } from '#server/listen.ts';
import { median, printTable, quantile } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';
import type { Load, Took } from './run.ts';

/** Reads of a repository's history and files. `--requests 200` for a shorter run, or a part of the names: `list of`. */
const { values, positionals } = parseArgs({
  options: {
    requests: { type: 'string', default: '2000' },
    connections: { type: 'string', default: '10' },
    commits: { type: 'string', default: '2000' },
  },
  allowPositionals: true,
});
const repository = '/repos/bench/engine';
const kinds = [
  { name: 'list of 30 commits', path: `${repository}/commits` },
  { name: 'list of 100 commits, page 5', path: `${repository}/commits?per_page=100&page=5` },
  { name: 'list of commits of a path', path: `${repository}/commits?path=src/file7.ts` },
  { name: 'a commit', path: `${repository}/commits/main` },
  { name: 'a comparison', path: `${repository}/compare/v1...main` },
  { name: 'contents of a file', path: `${repository}/contents/src/file7.ts` },
  { name: 'contents of a folder', path: `${repository}/contents/src` },
  { name: 'the readme', path: `${repository}/readme` },
  { name: 'a tree', path: `${repository}/git/trees/main` },
  { name: 'a tree, recursive', path: `${repository}/git/trees/main?recursive=1` },
  { name: 'a branch', path: `${repository}/branches/main` },
  { name: 'list of branches', path: `${repository}/branches` },
];

/** A history of one branch with a tag in it, and sixty files, of which each commit changes one. */
async function writeHistory(path: string, count: number): Promise<void> {
  const git = spawn('git', ['fast-import', '--quiet'], { cwd: path, stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(git, 'close');
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  for (let number = 0; number < count; number++) {
    const who = number % 12;
    const person = `Author ${who} <author${who}@example.org> ${1_700_000_000 + number * 600} +0000`;
    const text = Array.from({ length: 80 }, (_, line) => `const value${line} = ${line * number};\n`).join('');
    const entry = `commit refs/heads/main\nauthor ${person}\ncommitter ${person}\n${data(`Change the engine (${number})\n\nIt runs more smoothly now.\n`)}`;
    const readme = number === 0 ? `M 100644 inline README.md\n${data('# Engine\n\nIt runs.\n'.repeat(40))}` : '';
    if (!git.stdin.write(`${entry}${readme}M 100644 inline src/file${number % 60}.ts\n${data(text)}\n`))
      await once(git.stdin, 'drain');
    if (number === count - 20) git.stdin.write('reset refs/tags/v1\nfrom refs/heads/main\n\n');
  }
  git.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

const ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
/** The fields of /proc/PID/stat behind the name of the program: from the state on. */
const statOf = (pid: string): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
const sum = (fields: readonly string[], from: number, count: number): number =>
  fields.slice(from, from + count).reduce((total, field) => total + Number(field), 0);

/** Milliseconds of processor time: of this process, and of all git processes that it started. */
function processorTime(): { own: number; git: number } {
  const { user, system } = process.cpuUsage();
  let git = sum(statOf('self'), 13, 2);
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const isGit = readFileSync(`/proc/${pid}/comm`, 'utf8') === 'git\n';
      const fields = statOf(pid);
      if (isGit && Number(fields[1]) === process.pid) git += sum(fields, 11, 4);
    } catch {
      // It has ended meanwhile.
    }
  }
  return { own: (user + system) / 1_000, git: (git * 1_000) / ticks };
}

await using stage = await openStage();

async function main(): Promise<void> {
  const { path } = await stage.addRepository('engine');
  await writeHistory(path, Number(values.commits));
  const url = await listen(stage.hearth.app, { host: '127.0.0.1', port: 0 });
  const client = fork(join(import.meta.dirname, 'client.ts'));
  const measure = async (load: Load): Promise<Took> => {
    client.send(load);
    const [took] = (await once(client, 'message')) as [Took];
    return took;
  };
  const send = async (path: string): Promise<void> => {
    const headers = { authorization: `Bearer ${stage.token}` };
    const reply = await stage.hearth.app.inject({ url: `/api/v3${path}`, headers });
    if (reply.statusCode !== 200) throw new Error(`${path} is answered by ${reply.payload}`);
  };
  const rows: (string | number)[][] = [];
  for (const { name, path } of kinds.filter(({ name }) => positionals.every((part) => name.includes(part)))) {
    const { started: first } = await countGitProcesses(() => send(path));
    const { started: again } = await countGitProcesses(() => send(path));
    const connections = Number(values.connections);
    const load = { url: `${url}/api/v3${path}`, method: 'GET', token: stage.token, connections };
    await measure({ ...load, requests: Math.ceil(Number(values.requests) / 10) });
    const before = processorTime();
    const { times, perSecond } = await measure({ ...load, requests: Number(values.requests) });
    const after = processorTime();
    const each = (kind: 'own' | 'git'): string => ((after[kind] - before[kind]) / Number(values.requests)).toFixed(2);
    const processes = `${first.length}, ${again.length}`;
    rows.push([name, processes, each('own'), each('git'), perSecond.toFixed(0), median(times), quantile(times, 0.99)]);
  }
  client.disconnect();
  printTable(['', 'git processes', 'own ms', 'git ms', 'requests/s', 'median ms', 'p99 ms'], rows);
}

await main();
