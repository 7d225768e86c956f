// Runs the script of a job of the bot as a process, with a repository of the test.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { decodeResult, type UpdateRequest, type UpdateResponse } from '#resources/security/dependency-bot/updates/contract.ts';
import { updateWorkflow } from '#resources/security/dependency-bot/updates/workflow.ts';

const execute = promisify(execFile);

/** A text, or where a symbolic link leads. */
type Files = Readonly<Record<string, string | Buffer | { readonly link: string }>>;

export type Job = AsyncDisposable & {
  readonly folder: string;
  readonly repository: string;
  /** Runs the job's script. */
  run(
    request: Partial<UpdateRequest>,
    env?: Readonly<Record<string, string>>,
  ): Promise<UpdateResponse & { readonly log: string; readonly output: string }>;
  /** What a file is after a patch. */
  patched(patch: string, path: string): Promise<string>;
  /** The files that a patch changes. */
  changed(patch: string): Promise<string[]>;
};

/** The steps of the workflow file. */
type Step = {
  readonly id?: string;
  readonly shell: string;
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
};

export const stepsOf = (file: string): Step[] => JSON.parse(file).jobs.update.steps;

const base: UpdateRequest = { ecosystem: 'npm', directory: '/', kind: 'security', open: [] };

export async function updateJob(files: Files, env: Readonly<Record<string, string>> = {}): Promise<Job> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-bot-'));
  const repository = join(folder, 'repository');
  await mkdir(repository);
  const git = (args: readonly string[], input?: string): Promise<string> => {
    const running = execute('git', ['-C', repository, ...args], { maxBuffer: 1e8 });
    if (input !== undefined) running.child.stdin?.end(input);
    return running.then(({ stdout }) => stdout);
  };
  await git(['init', '--quiet']);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(repository, path)), { recursive: true });
    if (typeof content === 'string' || Buffer.isBuffer(content)) await writeFile(join(repository, path), content);
    else await symlink(content.link, join(repository, path));
  }
  await git(['add', '--all', '--force']);
  await git(['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'first']);
  return {
    folder,
    repository,
    async run(request, more = {}) {
      const file = updateWorkflow({ ...base, ...request }, { runsOn: ['x'], timeoutMinutes: 5, registries: [] });
      const step = stepsOf(file).find(({ id }) => id === 'update');
      if (!step) throw new Error('The workflow has no such step');
      const script = join(folder, 'script');
      const output = join(folder, 'output');
      await writeFile(script, step.run);
      await writeFile(output, '');
      const [program = '', ...args] = step.shell.split(' ').map((word) => (word === '{0}' ? script : word));
      const { stdout, stderr } = await execute(program, program === 'sh' ? ['-e', script] : args, {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          ...env,
          ...more,
          ...step.env,
          DEPENDENCY_BOT_DIRECTORY: repository,
          GITHUB_OUTPUT: output,
          GITHUB_TOKEN: 'the-token-of-the-job',
          ACTIONS_RUNTIME_TOKEN: 'the-token-of-the-job',
        },
        maxBuffer: 1e8,
      });
      const text = /^result<<(\S+)\n([\s\S]*)\n\1\n$/.exec(await readFile(output, 'utf8'))?.[2] ?? '';
      const response = await decodeResult(text);
      if (!response) throw new Error(`The job returned no result: ${stdout}${stderr}`);
      return { ...response, log: stdout + stderr, output: text };
    },
    async patched(patch, path) {
      await git(['apply', '--cached', '-'], patch);
      const text = await git(['show', `:${path}`]);
      await git(['read-tree', 'HEAD']);
      return text;
    },
    async changed(patch) {
      await git(['apply', '--cached', '-'], patch);
      const names = await git(['diff', '--cached', '--raw', '--no-renames', 'HEAD']);
      await git(['read-tree', 'HEAD']);
      return names.trim().split('\n');
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Whether a program is on this machine. */
export const hasProgram = (name: string, args: readonly string[] = ['--version']): Promise<boolean> =>
  execute(name, [...args]).then(
    () => true,
    () => false,
  );
