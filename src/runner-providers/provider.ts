import type { Id } from '#lib/id.ts';

export type RunnerId = Id<'hosted_runners'>;

/** What to make a runner of. */
export type RunnerOrder = {
  readonly id: RunnerId;
  readonly name: string;
  readonly platform: string;
  readonly image: {
    readonly source: 'service' | 'partner' | 'custom';
    readonly id: string;
    /** The name under which the provider keeps the content of a custom image. */
    readonly content: string | undefined;
  };
  readonly machine: { readonly cpuCores: number; readonly memoryGb: number; readonly storageGb: number };
  readonly maximumRunners: number;
  readonly staticIp: boolean;
};

/**
 * Makes the machines of hosted runners. Each call may be repeated, also by another process after a crash: what is done already
 * must then be left as it is.
 */
export type Provider = {
  readonly name: string;
  /** Makes a runner, or changes it to what the order says. Returns its public address ranges, as `203.0.113.0/28`. */
  provision(order: RunnerOrder): Promise<{ readonly publicIps: readonly string[] }>;
  /** Removes a runner with everything that it holds. */
  remove(runner: RunnerId): Promise<void>;
  /** Keeps a copy of what a runner holds, for an image, under the given name or a new one; undefined where there is no machine. */
  capture(runner: RunnerId, content?: string): Promise<Captured | undefined>;
  /** Deletes what was kept under this name. */
  drop(content: string): Promise<void>;
  /** All machines and contents that exist, also those without a row; undefined where no machines are made. */
  observe(): Promise<Observed | undefined>;
  /** Answers a runner's request, which is removed. */
  answer(runner: RunnerId, said: { readonly version: string } | { readonly refused: string }): Promise<void>;
};

/** What a provider sees of one runner. */
export type Observation = {
  readonly runner: RunnerId;
  readonly isRunning: boolean;
  /** When it last ran a job. */
  readonly lastActiveOn?: Date;
  /** What one of its jobs wants to publish. */
  readonly publishRequest?: PublishRequest;
};

/** A job's request to publish an image. `content` is the same each time the request is seen, so that it isn't fulfilled twice. */
export type PublishRequest = { readonly content: string; readonly image: string; readonly version: string | undefined };

/** What a provider sees. `contents` leaves out what may be part of an image that is being published. */
export type Observed = { readonly runners: readonly Observation[]; readonly contents: readonly string[] };

/** What was kept of a machine: the name to find it by, and its size. */
export type Captured = { readonly content: string; readonly sizeGb: number };

/** Makes no machines: runners only go through their states. */
export const noProvider: Provider = {
  name: 'none',
  provision: async () => ({ publicIps: [] }),
  remove: async () => undefined,
  capture: async () => undefined,
  drop: async () => undefined,
  observe: async () => undefined,
  answer: async () => undefined,
};
