import type { CommandContext } from '../installation.ts';

/** The result of a check. The administrator must fix one that isn't `ok`. */
export type Diagnosis = { check: string; ok: boolean; detail: string };

/** The context of checks. */
export type CheckContext = Pick<CommandContext, 'db' | 'hearth'>;

export const mebi = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;
