// The command that makes a sandbox's namespaces (bubblewrap) and starts its first process in them.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type NetworkPlan, planNetwork } from './network.ts';
import { inside, type Sandbox, sandboxFiles, userInside } from './sandbox.ts';
import { systemArguments } from './system.ts';

const initFile = new URL('init.ts', import.meta.url).pathname;
const gibibyte = 2 ** 30;
const sharedMemoryBytes = 64 * 2 ** 20;
const maxProcesses = 4_096;
/** The file descriptors that the command inherits: the filter of system calls, and where the first process is reported. */
const [filterDescriptor, infoDescriptor] = [3, 4];

type SandboxOptions = {
  readonly plan: NetworkPlan;
  /** The processors of the sandbox; undefined: all, or those of its control group. */
  readonly processors: readonly number[] | undefined;
  /** What runs in the sandbox. */
  readonly command: readonly string[];
};

/** The command of a sandbox in a folder. */
export async function sandboxCommand(
  sandbox: Sandbox,
  folder: string,
  { plan, processors, command }: SandboxOptions,
): Promise<[program: string, ...words: string[]]> {
  const { user, network } = sandbox;
  const ownNetwork = network === 'host' ? [] : ['--unshare-net'];
  const words = [
    ...(processors ? ['taskset', '--cpu-list', processors.join(',')] : []),
    ...(plan.hasLowPort ? openLowPorts(user, ownNetwork) : []),
    'bwrap',
    ...['--die-with-parent', '--new-session', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(plan.hasLowPort ? [] : ownNetwork),
    ...(user === null ? ['--unshare-user', '--uid', `${userInside}`, '--gid', `${userInside}`] : capabilitiesToChangeUser),
    ...['--hostname', 'runner', '--seccomp', `${filterDescriptor}`, '--info-fd', `${infoDescriptor}`],
    ...(await fileSystem(sandbox, folder)),
    ...Object.entries({ ...variables(sandbox), ...plan.variables }).flatMap(([name, value]) => ['--setenv', name, value]),
    '--',
    ...(user === null ? [] : changeUser(user)),
    ...limitsOf(sandbox),
    ...command,
  ];
  const [program = 'bwrap', ...others] = words;
  return [program, ...others];
}

/** The command of the first process, which starts another one, as a rule the runner. */
export const initCommand = (
  { forwards }: NetworkPlan,
  command: readonly string[] = [inside.program, '-c', inside.config, 'daemon'],
): string[] => [inside.node, inside.init, JSON.stringify({ forwards, command })];

/** Plans the network of a sandbox, with the paths of its sockets there. */
export const networkOf = (sandbox: Sandbox): NetworkPlan => planNetwork(sandbox, inside.run);

const capabilitiesToChangeUser = [
  ...['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP'],
];

const changeUser = (user: number): string[] => [
  ...['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all', '--bounding-set=-all', '--'],
];

/**
 * Makes the network first, and lets everybody listen at each of its ports: the server may have one below 1024. The network
 * belongs to the namespace of users in which it was made, and only there this may be changed.
 */
const openLowPorts = (user: number | null, ownNetwork: readonly string[]): string[] => [
  ...['bwrap', '--die-with-parent', ...ownNetwork, '--cap-add', 'ALL', '--dev-bind', '/', '/'],
  ...(user === null ? ['--unshare-user', '--uid', '0', '--gid', '0'] : []),
  ...['--', '/bin/sh', '-c', 'echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start && exec "$@"', 'sh'],
];

const madeFolders = ['/etc', '/etc/ssl', '/etc/pki', '/etc/pki/tls', '/hearth', '/hearth/bin', '/home', '/run', '/var'];

async function fileSystem({ tools, program, network }: Sandbox, folder: string): Promise<string[]> {
  const files = sandboxFiles(folder);
  const bind = (from: string, to: string): string[] => ['--bind', from, to];
  const show = (from: string, to: string): string[] => ['--ro-bind', from, to];
  return [
    // Folders that bubblewrap makes by itself are for their owner alone.
    ...madeFolders.flatMap((path) => ['--perms', '0755', '--dir', path]),
    ...(await systemArguments(tools)),
    ...['passwd', 'group', 'nsswitch.conf'].flatMap((name) => show(`${files.etc}/${name}`, `/etc/${name}`)),
    ...(network === 'host'
      ? ['hosts', 'resolv.conf'].flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`])
      : show(`${files.etc}/hosts`, '/etc/hosts')),
    ...['--proc', '/proc', '--dev', '/dev', '--perms', '1777', '--size', `${sharedMemoryBytes}`, '--tmpfs', '/dev/shm'],
    ...[show(process.execPath, inside.node), show(initFile, inside.init), show(program, inside.program)].flat(),
    ...[bind(files.home, inside.home), bind(files.runner, inside.runner)].flat(),
    ...[bind(files.temporary, '/tmp'), bind(files.temporary, '/var/tmp'), show(files.run, inside.run)].flat(),
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', inside.runner, '--clearenv'],
  ];
}

const variables = ({ tools }: Sandbox): Record<string, string> => ({
  PATH: [
    ...['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'],
    ...tools.map((folder) => `${folder}/bin`),
    '/hearth/bin',
  ].join(':'),
  HOME: inside.home,
  USER: 'runner',
  LOGNAME: 'runner',
  LANG: 'C.UTF-8',
  XDG_CACHE_HOME: `${inside.runner}/cache`,
  HEARTH_RUNNER_PUBLISH: inside.publish,
});

/**
 * Limits of each process, which hold without delay. Those of the whole sandbox are measured, or set by a control group.
 * Programs reserve more memory than they use, so a process may have more than the machine.
 */
const limitsOf = ({ machine }: Sandbox): string[] => [
  ...['prlimit', `--nproc=${maxProcesses}`, '--core=0', `--fsize=${machine.storageGb * gibibyte}`],
  ...[`--data=${(machine.memoryGb + 2) * gibibyte}`, '--'],
];

/** Some of this machine's processors for a sandbox that has fewer; undefined if it has as many. */
export function chooseProcessors(count: number): number[] | undefined {
  const all = allowedProcessors();
  if (count >= all.length) return undefined;
  const first = Math.floor(Math.random() * all.length);
  return Array.from({ length: count }, (_, at) => all[(first + at) % all.length] ?? 0);
}

/** The processors that this process may use. */
function allowedProcessors(): number[] {
  const [, list] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  if (list === undefined) return Array.from({ length: availableParallelism() }, (_, at) => at);
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}
