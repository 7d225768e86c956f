// A sandbox: the folder of a program, in which one job runs, and what its supervisor needs to know.
import { join } from 'node:path';
import type { RunnerOrder } from '#runner-providers/provider.ts';

export const networks = ['internet', 'hearth', 'host'] as const;
/** What jobs reach: this server and the public internet, this server alone, or all that the machine does. */
export type Network = (typeof networks)[number];

/** The description of a sandbox, in a file of its folder. */
export type Sandbox = {
  /** The program that runs the job. */
  readonly program: string;
  /** The PATH by which the programs that make sandboxes are found. */
  readonly path: string;
  /** The address of the server. */
  readonly address: string;
  readonly network: Network;
  /** Address ranges that jobs reach at any port. */
  readonly allow: readonly string[];
  /** The id of the user as whom jobs run, if Hearth runs as root. Otherwise they run as Hearth's user, in a user namespace. */
  readonly user: number | null;
  readonly machine: RunnerOrder['machine'];
  /** Folders of tools that jobs can read. */
  readonly tools: readonly string[];
  /** The folder with the content of the image; null for an empty home. */
  readonly content: string | null;
  /** Where the home is kept after the job, for images; null: it is removed. */
  readonly keep: string | null;
  /** The control group of the sandbox; null without control groups. */
  readonly cgroup: string | null;
  /** The job ends if the disk of the server has less room than this. */
  readonly reservedBytes: number;
};

/** The files of a sandbox. Jobs write into `home`, `temporary` and `runner` alone. */
export const sandboxFiles = (folder: string) => ({
  description: join(folder, 'sandbox.json'),
  /** The first process of the sandbox, by its id outside. */
  init: join(folder, 'init.json'),
  filter: join(folder, 'filter.bpf'),
  home: join(folder, 'home'),
  temporary: join(folder, 'tmp'),
  /** The configuration and the working folder of the runner. */
  runner: join(folder, 'runner'),
  publish: join(folder, 'runner', 'publish.json'),
  /** Files of `/etc` that are made for the sandbox. */
  etc: join(folder, 'etc'),
  /** Sockets of the supervisor. */
  run: join(folder, 'run'),
});

/** Paths within a sandbox. */
export const inside = {
  home: '/home/runner',
  runner: '/runner',
  registration: '/runner/.runner',
  config: '/runner/config.yaml',
  work: '/runner/work',
  publish: '/runner/publish.json',
  run: '/run/hearth',
  node: '/hearth/bin/node',
  init: '/hearth/init.mts',
  program: '/hearth/program',
} as const;

/** The user of jobs, by the id within the sandbox. */
export const userInside = 1_000;

const firstUser = 1_900_000_000;
const users = 90_000_000;

/**
 * A user id for jobs of a sandbox where Hearth runs as root. Each sandbox has its own, far from ids that systems give
 * out.
 * @param digits hexadecimal digits that differ between sandboxes
 */
export const userFor = (digits: string): number => firstUser + (Number.parseInt(digits.slice(0, 12), 16) % users);
