import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, readFile, stat } from 'node:fs/promises';
import { hash, seeded } from './random.ts';

export type SourceFile = { path: string; text: string };

const pattern = '**/*.{ts,js,mjs,cjs,tsx,jsx,json,md,css,scss,html,yml,yaml,sh,py,c,h,cc,sql}';
const largest = 384 * 1024;

/** The text files of installed npm packages, ordered by path. */
export async function readPackages(folder: string, most: number): Promise<SourceFile[]> {
  const paths: string[] = [];
  for await (const path of glob(pattern, { cwd: folder, exclude: (name) => name === '.cache' || name.startsWith('.vite') }))
    paths.push(path);
  const files: SourceFile[] = [];
  for (const path of paths.toSorted()) {
    if (files.length >= most) break;
    const info = await stat(`${folder}/${path}`).catch(() => undefined);
    if (!info?.isFile() || info.size >= largest || info.size === 0) continue;
    const data = await readFile(`${folder}/${path}`);
    if (!data.subarray(0, 8_000).includes(0)) files.push({ path, text: data.toString('utf8') });
  }
  return files;
}

const syllables = ['ba', 'ko', 'li', 'mu', 'ne', 'pra', 'ro', 'sti', 'ta', 'vo', 'wen', 'xi', 'ya', 'zor', 'chi', 'du'];

/** The number of files that contain each identifier. */
export function frequencies(files: readonly SourceFile[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of files) for (const word of new Set(text.match(/\w+/g))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/**
 * Another copy of the files, in which about half of the rarer identifiers are renamed: common words stay common, and every copy
 * adds its own rare words.
 */
export function* renamed(files: readonly SourceFile[], common: ReadonlySet<string>, copy: number): Generator<SourceFile> {
  if (copy === 0) {
    yield* files;
    return;
  }
  const names = new Map<string, string>();
  const nameOf = (word: string): string => {
    const known = names.get(word);
    if (known !== undefined) return known;
    const value = hash(`${copy} ${word}`);
    const random = seeded(value);
    const syllable = () => syllables[Math.floor(random() * syllables.length)] ?? '';
    const name =
      common.has(word) || value % 2 === 0 ? word : `${word}${syllable().replace(/^./, (c) => c.toUpperCase())}${syllable()}`;
    names.set(word, name);
    return name;
  };
  for (const { path, text } of files) yield { path, text: text.replace(/[A-Za-z_]\w{3,40}/g, nameOf) };
}

/** Writes files as a commit, the first of the branch or on top of it, with `git fast-import`. Returns their bytes. */
export async function writeHistory(
  repository: string,
  files: Iterable<SourceFile>,
  place: 'first' | 'on top' = 'first',
): Promise<number> {
  const git = spawn('git', ['fast-import', '--quiet'], { cwd: repository, stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(git, 'close');
  let bytes = 0;
  git.stdin.write('commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\ndata 5\nbench\n');
  if (place === 'on top') git.stdin.write('from refs/heads/main^0\n');
  for (const { path, text } of files) {
    const data = Buffer.from(text);
    bytes += data.length;
    git.stdin.write(`M 100644 inline ${JSON.stringify(path)}\ndata ${data.length}\n`);
    if (!git.stdin.write(data)) await once(git.stdin, 'drain');
    git.stdin.write('\n');
  }
  git.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  return bytes;
}
