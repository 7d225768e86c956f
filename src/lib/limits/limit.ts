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
  /** Operators can't change it: documents say it, or what is stored relies on it. */
  readonly fixed?: true;
};

/** The value of a limit that is the same in every installation. Others are read from `Services.resourceLimits` and its like. */
export const fixedValue = ({ value }: Limit & { readonly fixed: true }): number => value;

export type LimitGroup = Readonly<Record<string, Limit>>;

export const kibi = 1024;
export const mebi = 1024 * kibi;
/** Milliseconds. */
export const seconds = 1_000;
export const minutes = 60 * seconds;
