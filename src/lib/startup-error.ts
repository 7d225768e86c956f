/** Why Hearth can't start: one line for the operator, exit code 1, no stack trace. */
export class StartupError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartupError';
  }
}
