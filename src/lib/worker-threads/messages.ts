/** What a worker thread is opened with. */
export type ThreadData = {
  /** One number: the processor time in microseconds that the thread had used when its current task began. */
  readonly startUsage: Float64Array;
};

/** A call of a function that a module exports. */
export type TaskMessage = { readonly module: string; readonly name: string; readonly input: unknown };

export type TaskResult = { readonly output: unknown } | { readonly error: Error };
