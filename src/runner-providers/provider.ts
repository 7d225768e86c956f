import type { Id } from '#lib/id.ts';

export type RunnerId = Id<'hosted_runners'>;

/** The specification of a runner. */
export type RunnerOrder = {
  readonly id: RunnerId;
  readonly name: string;
  readonly platform: string;
  readonly image: {
    readonly source: 'service' | 'partner' | 'custom';
    readonly id: string;
    /** The provider's id of the content of a custom image. */
    readonly content: string | undefined;
  };
  readonly machine: { readonly cpuCores: number; readonly memoryGb: number; readonly storageGb: number };
  readonly maximumRunners: number;
  readonly staticIp: boolean;
};

/**
 * Makes the machines of hosted runners. Calls must be idempotent, since they may be repeated, even by another process after a
 * crash.
 */
export type Provider = {
  readonly name: string;
  /** Whether it works on this machine. Servers that run its jobs ask at their start, and `hearth doctor`. */
  check(): Promise<ProviderCheck>;
  /** Whether `provision` returns public addresses for an order with `staticIp`. Otherwise runners can't have static addresses. */
  readonly givesPublicIps: boolean;
  /** Makes a runner, or updates it to the order. Returns its public address ranges, such as `203.0.113.0/28`. */
  provision(order: RunnerOrder): Promise<{ readonly publicIps: readonly string[] }>;
  /** Removes a runner with all its data. */
  remove(runner: RunnerId): Promise<void>;
  /** Stores a copy of a runner's content for an image, under the given id or a new one; undefined if there is no machine. */
  capture(runner: RunnerId, content?: string): Promise<Captured | undefined>;
  /** Deletes a stored content. */
  drop(content: string): Promise<void>;
  /** All existing machines and contents, including those without a row. */
  observe(): Promise<Observed>;
  /** Replies to a runner's publish request, and removes it. */
  answer(runner: RunnerId, result: { readonly version: string } | { readonly refused: string }): Promise<void>;
  /** Whether it starts programs that run jobs. Otherwise jobs for hosted runners wait. */
  readonly runsJobs: boolean;
  /** Starts a program on the machine of a runner. */
  start(order: ProgramOrder): Promise<void>;
  /** Ends a program with all of its processes, and removes its remains. */
  stop(runner: RunnerId, name: string): Promise<void>;
  /** All programs that were started and not stopped, including those that ended by themselves. */
  programs(): Promise<readonly Program[]>;
  /** Ends the machines' processes and programs that this process started, and remaining ones of a killed process. */
  stopAll(): Promise<void>;
};

/** What a provider does on this machine. With a problem, it can't run. */
export type ProviderCheck = { readonly detail: string; readonly warning?: string; readonly problem?: string };

/** A program to start, which takes one job and ends. */
export type ProgramOrder = {
  readonly runner: RunnerId;
  readonly name: string;
  /** The file that identifies it to the server. */
  readonly registration: object;
  /** The address of the server. */
  readonly address: string;
  /** Whether images may be published from what its job leaves behind. */
  readonly generatesImages: boolean;
};

/** A program on the machine of a runner. */
export type Program = {
  readonly runner: RunnerId;
  readonly name: string;
  readonly isRunning: boolean;
  /** Whether its machine is still being made, so that it can't take a job. */
  readonly isPreparing: boolean;
  /** Why its machine has ended it. */
  readonly reason?: string;
};

/** The state of one runner. */
export type Observation = {
  readonly runner: RunnerId;
  readonly isRunning: boolean;
  /** When it last ran a job. */
  readonly lastActiveOn?: Date;
  /** The request of a job to publish an image. */
  readonly publishRequest?: PublishRequest;
};

/** A job's request to publish an image. `content` is the same on each read of the request, so that it isn't fulfilled twice. */
export type PublishRequest = { readonly content: string; readonly image: string; readonly version: string | undefined };

/** The version of a publish request, as a job wrote it. */
export const versionOf = (version: unknown): string | undefined =>
  version === undefined || version === null ? undefined : String(version);

/** The state of a provider. `contents` omits contents that may belong to an image that is being published. */
type Observed = { readonly runners: readonly Observation[]; readonly contents: readonly string[] };

/** A stored content: its id and size. */
export type Captured = { readonly content: string; readonly sizeGb: number };

/** There is no provider. Another attempt can only succeed after a restart with other settings. */
export class NoMachines extends Error {
  constructor() {
    super('this server makes no machines: set HEARTH_RUNNER_PROVIDER and restart it');
  }
}

/** A provider without machines: runners can't be made. */
export const noProvider: Provider = {
  name: 'none',
  givesPublicIps: false,
  check: async () => ({ detail: 'none: no machines are made, and hosted runners stay `Stuck` (HEARTH_RUNNER_PROVIDER)' }),
  provision: async () => {
    throw new NoMachines();
  },
  remove: async () => undefined,
  capture: async () => undefined,
  drop: async () => undefined,
  observe: async () => ({ runners: [], contents: [] }),
  answer: async () => undefined,
  runsJobs: false,
  start: async () => undefined,
  stop: async () => undefined,
  programs: async () => [],
  stopAll: async () => undefined,
};
