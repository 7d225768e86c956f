/** The system's and PostgreSQL's error codes for a full disk. */
const codes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100']);
const words = /No space left on device|Disk quota exceeded/;

/** Whether an error of the system, PostgreSQL or Git means that a disk is full. Errors of Git have its message as `detail`. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && codes.has(error.code)) ||
    ('detail' in error && typeof error.detail === 'string' && words.test(error.detail)));
