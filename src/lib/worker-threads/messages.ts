/** The data for opening a worker thread. */
export type ThreadData = {
  /** One number: the thread's processor time in microseconds at the start of its current task. */
  readonly startUsage: Float64Array;
};

/** A call of a function that a module exports. */
export type TaskMessage = { readonly module: string; readonly name: string; readonly input: unknown };

export type TaskResult = { readonly output: unknown } | { readonly error: Error };
