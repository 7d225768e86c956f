/** The longest message: some repeat the expression, or a value of it. */
const maxMessage = 1_000;

/** An expression that can't be evaluated, with where it stands. */
export class ExpressionProblem extends Error {
  readonly line: number | undefined;

  constructor(message: string, line?: number, options?: ErrorOptions) {
    super(message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message, options);
    this.line = line;
  }
}
