type Unit = 'bytes' | 'milliseconds' | 'bytes a second' | 'count';

/** One limit, with the texts of its row in the documentation. */
export type Limit = {
  readonly value: number;
  readonly unit: Unit;
  /** The bounded quantity. */
  readonly of: string;
  /** The effect of exceeding it. */
  readonly past: string;
  /** The value in the documentation, if it depends on the machine. */
  readonly shown?: string;
  /** Operators can't change it: a specification sets it, or stored data relies on it. */
  readonly fixed?: true;
};

/** The value of a fixed limit. Values of other limits come from `Services.resourceLimits` or `GitStore.limits`. */
export const fixedValue = ({ value }: Limit & { readonly fixed: true }): number => value;

export type LimitGroup = Readonly<Record<string, Limit>>;

export const kibi = 1024;
export const mebi = 1024 * kibi;
/** In milliseconds. */
export const seconds = 1_000;
export const minutes = 60 * seconds;
