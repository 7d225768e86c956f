// What jobs can read of the machine: its programs and libraries, and little of /etc. Whatever isn't listed isn't there.
import { lstat, readlink, realpath } from 'node:fs/promises';

/** Folders with programs and libraries. On many systems, all but the first are links into it. */
const programFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Files and folders of /etc without secrets. Private keys are beside certificates, so only these are named. */
const etcEntries = [
  'alternatives',
  'bash.bashrc',
  'ca-certificates',
  'ca-certificates.conf',
  'crypto-policies',
  'debian_version',
  'fonts',
  'inputrc',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'lsb-release',
  'magic',
  'mime.types',
  'os-release',
  'perl',
  'pki/ca-trust',
  'pki/tls/certs',
  'profile',
  'profile.d',
  'protocols',
  'python3',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
  'timezone',
];

/** The arguments of bubblewrap that show the machine's programs and the given folders of tools, read-only. */
export async function systemArguments(tools: readonly string[]): Promise<string[]> {
  const programs = await Promise.all(programFolders.map(showFolder));
  return [
    ...programs.flat(),
    ...etcEntries.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...tools.flatMap((folder) => ['--ro-bind', folder, folder]),
  ];
}

async function showFolder(folder: string): Promise<string[]> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found) return [];
  return found.isSymbolicLink() ? ['--symlink', await readlink(folder), folder] : ['--ro-bind', folder, folder];
}

/** The first of the folders that jobs could read, since it is in a folder that is shown; undefined if there is none. */
export async function findVisible(folders: readonly string[], tools: readonly string[]): Promise<string | undefined> {
  const real = (path: string): Promise<string> => realpath(path).catch(() => path);
  const shown = await Promise.all([...programFolders, ...tools].map(real));
  for (const folder of folders) {
    const path = await real(folder);
    if (shown.some((one) => path === one || path.startsWith(`${one}/`) || one === '/')) return folder;
  }
  return undefined;
}
