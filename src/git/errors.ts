/** Why a Git operation failed. `unavailable`: the repository's folder can't be read. */
const gitErrorKinds = ['not-found', 'conflict', 'timeout', 'too-large', 'invalid', 'aborted', 'unavailable', 'failed'] as const;
export type GitErrorKind = (typeof gitErrorKinds)[number];

/** The message for clients while the folder of a repository can't be read. Only the log has details. */
export const storageMessage =
  'The storage of the repository cannot be read just now. Please tell the administrator of the server.';

/** The error of all Git operations. `message` is safe for clients. `detail` (git's own message) is for logs. */
export class GitError extends Error {
  readonly kind: GitErrorKind;
  readonly detail: string;
  /** The exceeded limit of `lib/limits.ts`, such as `git.output`. */
  readonly limit: string | undefined;

  constructor(kind: GitErrorKind, message: string, detail = '', limit?: string) {
    super(message);
    this.name = 'GitError';
    this.kind = kind;
    this.detail = detail;
    this.limit = limit;
  }
}

/** Whether a caught value is a GitError, and of this kind if one is given. */
export const isGitError = (error: unknown, kind?: GitErrorKind): error is GitError =>
  error instanceof GitError && (kind === undefined || error.kind === kind);

/** Any caught value as an Error, to destroy streams with it. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new GitError('failed', String(error)));
