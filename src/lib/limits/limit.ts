type Unit = 'bytes' | 'milliseconds' | 'bytes a second' | 'count';

/** One bound on what a caller may take of the server. */
export type Limit = {
  readonly value: number;
  readonly unit: Unit;
  /** What is bounded. */
  readonly of: string;
  /** What happens past it. */
  readonly past: string;
  /** How the value is written in the documentation, where it depends on the machine. */
  readonly shown?: string;
};

export type LimitGroup = Readonly<Record<string, Limit>>;

export const kibi = 1024;
export const mebi = 1024 * kibi;
/** Milliseconds. */
export const seconds = 1_000;
export const minutes = 60 * seconds;
