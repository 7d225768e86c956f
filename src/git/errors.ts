/** Why a Git operation failed. `unavailable`: the repository's folder can't be read. */
const gitErrorKinds = ['not-found', 'conflict', 'timeout', 'too-large', 'invalid', 'aborted', 'unavailable', 'failed'] as const;
export type GitErrorKind = (typeof gitErrorKinds)[number];

/** What clients are told while the folder of a repository can't be read. Details are in the log only. */
export const storageMessage =
  'The storage of the repository cannot be read just now. Please tell the administrator of the server.';

/** The error of all Git operations. `message` is safe to show to clients; `detail` (git's own message) is for logs. */
export class GitError extends Error {
  readonly kind: GitErrorKind;
  readonly detail: string;
  /** The limit of `lib/limits.ts` that was exceeded, as `git.output`. */
  readonly limit: string | undefined;

  constructor(kind: GitErrorKind, message: string, detail = '', limit?: string) {
    super(message);
    this.name = 'GitError';
    this.kind = kind;
    this.detail = detail;
    this.limit = limit;
  }
}

/** Whether a caught value is a GitError, of this kind where one is named. */
export const isGitError = (error: unknown, kind?: GitErrorKind): error is GitError =>
  error instanceof GitError && (kind === undefined || error.kind === kind);

/** Any caught value as an Error, for streams that must be destroyed with one. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new GitError('failed', String(error)));
