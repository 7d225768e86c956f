import type { CommandContext } from '../installation.ts';

/** What a check found. One that isn't `ok` is for the administrator to mend. */
export type Diagnosis = { check: string; ok: boolean; detail: string };

/** What the checks of an opened installation look at. */
export type Examined = Pick<CommandContext, 'db' | 'hearth'>;

export const mebi = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;
