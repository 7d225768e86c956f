/** Where an interpreter runs. `steps`: on the event loop, in counted steps, and yielding where it may take long. */
type Runs = 'steps' | 'worker';

/**
 * What interprets texts and files of users, beside the validation of requests. `docs/limits.md` shows all; a test finds what none
 * declares.
 */
export type Interpreter = {
  /** What it reads. All that read the same share a row of the documentation. */
  readonly reads: string;
  readonly runs: Runs;
  /** The files that do it. */
  readonly modules: readonly string[];
  /** What bounds it: names of limits, or a fact. Others who read the same may have said it. */
  readonly bounds: readonly string[];
};

/** Joins those who read the same. */
export const joinInterpreters = (parts: readonly Interpreter[]): Interpreter[] =>
  [...Map.groupBy(parts, ({ reads }) => reads).values()].map((same) => ({
    ...(same[0] as Interpreter), // a group is never empty
    modules: same.flatMap(({ modules }) => modules),
    bounds: [...new Set(same.flatMap(({ bounds }) => bounds))],
  }));
