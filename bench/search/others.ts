import { execFile, spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Query } from './queries.ts';

const run = promisify(execFile);

/** Exit code 1 is "no file matched". */
async function search(command: string, args: readonly string[], cwd: string): Promise<void> {
  await run(command, args, { cwd, maxBuffer: 1 << 28 }).catch((error: { code?: number }) => {
    if (error.code !== 1) throw error;
  });
}

/** The matching files, found with `git grep` over the trees of all repositories. */
export async function gitGrep(repositories: readonly string[], { terms, phrase, glob }: Query): Promise<void> {
  const patterns = phrase ? ['-e', phrase] : terms.flatMap((term) => ['-e', term]);
  for (const path of repositories) {
    await search(
      'git',
      [
        'grep',
        '-l',
        '-i',
        '-w',
        '-F',
        '--all-match',
        ...patterns,
        'main',
        '--',
        ...(glob ? [`:(glob)**/${glob.replace(/^\*/, '*')}`] : []),
      ],
      path,
    );
  }
}

export const hasRipgrep = (): boolean => spawnSync('rg', ['--version']).status === 0;

/** Writes the files of a repository to a folder, for programs that read files. */
export async function checkOut(repository: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run('git', [`--work-tree=${folder}`, 'checkout', '-f', 'main', '--', '.'], { cwd: repository, maxBuffer: 1 << 28 });
}

/** The same with ripgrep over checked-out files. For two terms, it searches the files of the first one again. */
export async function ripgrep(folder: string, { terms, phrase, glob }: Query): Promise<void> {
  const words = phrase ? [phrase] : terms;
  const flags = [
    '-l',
    '-i',
    '-w',
    '-F',
    '--no-ignore',
    '--hidden',
    ...(glob ? ['-g', glob.includes('/') ? `**/${glob}*` : glob] : []),
  ];
  const [first = '', second] = words;
  if (second === undefined) return search('rg', [...flags, '-e', first, '.'], folder);
  const script = 'rg "$@" -0 -e "$FIRST" . | xargs -0 -r rg -l -i -w -F -e "$SECOND"';
  await run('sh', ['-c', script, 'sh', ...flags], {
    cwd: folder,
    maxBuffer: 1 << 28,
    env: { ...process.env, FIRST: first, SECOND: second },
  }).catch((error: { code?: number }) => {
    if (error.code !== 1 && error.code !== 123) throw error;
  });
}
