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
  /** Keeps what a runner holds now, for images; undefined where there is no machine to keep. */
  capture(runner: RunnerId): Promise<Captured | undefined>;
  /** Forgets what was kept. */
  drop(content: string): Promise<void>;
};

/** What was kept of a machine: under which name it is found again, and its size. */
export type Captured = { readonly content: string; readonly sizeGb: number };

/** Makes no machines: runners go through their states, and whatever runs jobs stands elsewhere. */
export const noProvider: Provider = {
  name: 'none',
  provision: async () => ({ publicIps: [] }),
  remove: async () => undefined,
  capture: async () => undefined,
  drop: async () => undefined,
};
