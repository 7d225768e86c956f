import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { presentCheckout, startServing } from '../support/serving.ts';

const execute = promisify(execFile);
const scopes = ['repo', 'delete_repo', 'user', 'admin:org', 'admin:org_hook', 'site_admin'];

/** A server to measure. */
export type Server = {
  name: string;
  /** Its API address: the part before `/user`. */
  url: string;
  token: string;
  /** Its processes, including their children. Empty: they can't be inspected. */
  pids: readonly number[];
  /** Whether it is this checkout's server. */
  isPresent: boolean;
  /** An existing organization of the token's user. Omitted: one is created. */
  organization?: string;
};

/** Starts a checkout's Hearth on its own data folder. The stack ends it and removes the folder. */
export async function startCheckout(stack: AsyncDisposableStack, name: string, checkout = presentCheckout): Promise<Server> {
  const data = await temporaryFolder(stack);
  const env = { HEARTH_VOCABULARY: 'github', HEARTH_JOBS: 'on', HEARTH_WORKERS: '1' };
  const serving = await startServing(data, { checkout, env });
  stack.defer(() => serving.stop());
  const cli = async (...args: string[]): Promise<string> =>
    (await execute(join(checkout, 'hearth'), [...args, '--data', data])).stdout.trim();
  await cli('user', 'create', 'bench', '--site-admin');
  const given = scopes.flatMap((scope) => ['--scope', scope]);
  const token = await cli('token', 'create', '--kind', 'classic', '--user', 'bench', '--quiet', ...given);
  const isPresent = checkout === presentCheckout;
  return { name, url: `${serving.url}/api/v3`, token, pids: [serving.process.pid ?? 0], isPresent };
}

/**
 * Checks a commit out into a temporary folder, with the packages that it needs: the present ones if its lock file is the same.
 * The stack removes the folder.
 */
export async function checkOut(stack: AsyncDisposableStack, commit: string): Promise<string> {
  const folder = await temporaryFolder(stack);
  await chmod(folder, 0o755); // its PostgreSQL doesn't run as root, and needs access to its programs
  const checkout = join(folder, 'hearth');
  const git = (...args: string[]): Promise<unknown> => execute('git', ['-C', presentCheckout, 'worktree', ...args]);
  await git('add', '--quiet', '--detach', checkout, commit);
  stack.defer(async () => void (await git('remove', '--force', checkout)));
  const [present, other] = await Promise.all(
    [presentCheckout, checkout].map((at) => readFile(join(at, 'package-lock.json'), 'utf8')),
  );
  if (present === other) await symlink(join(presentCheckout, 'node_modules'), join(checkout, 'node_modules'));
  else await execute('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: checkout });
  return checkout;
}

async function temporaryFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-requests-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
