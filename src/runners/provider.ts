import type { Id } from '#lib/id.ts';

export type RunnerId = Id<'hosted_runners'>;

/** What a runner is to be made of. */
export type RunnerOrder = {
  readonly id: RunnerId;
  readonly name: string;
  readonly platform: string;
  readonly image: {
    readonly source: 'service' | 'partner' | 'custom';
    readonly id: string;
    /** How the provider finds what it kept of a custom image. */
    readonly content: string | undefined;
  };
  readonly machine: { readonly cpuCores: number; readonly memoryGb: number; readonly storageGb: number };
  readonly maximumRunners: number;
  readonly staticIp: boolean;
};

/**
 * What makes the machines of hosted runners. Each call may come again, from another process and after a crash: what was done
 * already is left as it is.
 */
export type Provider = {
  readonly name: string;
  /** Makes a runner, or makes it what the order says now. Gives its public address ranges, as `203.0.113.0/28`. */
  provision(order: RunnerOrder): Promise<{ readonly publicIps: readonly string[] }>;
  /** Takes a runner away, with everything that it holds. */
  remove(runner: RunnerId): Promise<void>;
  /** Keeps what a runner holds now, for images, under the name given or one of its own; undefined where there is no machine. */
  capture(runner: RunnerId, content?: string): Promise<Captured | undefined>;
  /** Forgets what was kept. */
  drop(content: string): Promise<void>;
  /** Everything that there is now, also what nobody knows of any more; undefined where no machines are made. */
  observe(): Promise<Observed | undefined>;
  /** Tells a runner what became of its wish, which is done with. */
  answer(runner: RunnerId, said: { readonly version: string } | { readonly refused: string }): Promise<void>;
};

/** What a provider sees of one runner. */
export type Observation = {
  readonly runner: RunnerId;
  readonly isRunning: boolean;
  /** When it last ran a job. */
  readonly lastActiveOn?: Date;
  /** What a job of it wants to publish. */
  readonly wish?: Wish;
};

/** `content` is the same each time that the same wish is seen: what came of it isn't made twice. */
export type Wish = { readonly content: string; readonly image: string; readonly version: string | undefined };

/** `contents`: what was kept for images, but for what may be published just now. */
export type Observed = { readonly runners: readonly Observation[]; readonly contents: readonly string[] };

/** What was kept of a machine: under which name it is found again, and its size. */
export type Captured = { readonly content: string; readonly sizeGb: number };

/** Makes no machines: runners go through their states, and whatever runs jobs stands elsewhere. */
export const noProvider: Provider = {
  name: 'none',
  provision: async () => ({ publicIps: [] }),
  remove: async () => undefined,
  capture: async () => undefined,
  drop: async () => undefined,
  observe: async () => undefined,
  answer: async () => undefined,
};
