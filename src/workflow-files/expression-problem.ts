/** The maximum length of a message. Some messages repeat the expression, or one of its values. */
const maxMessage = 1_000;

/** An expression that can't be evaluated, with its line. */
export class ExpressionProblem extends Error {
  readonly line: number | undefined;

  constructor(message: string, line?: number, options?: ErrorOptions) {
    super(message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message, options);
    this.line = line;
  }
}
