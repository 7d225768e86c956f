/** Thrown if Hearth can't start. The operator sees only the message, without a stack trace, and the exit code is 1. */
export class StartupError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartupError';
  }
}
