import type { Beside } from '../installation.ts';

/** What a check found. One that isn't `ok` is for the administrator to mend. */
export type Finding = { check: string; ok: boolean; detail: string };

/** What the checks of an opened installation look at. */
export type Examined = Pick<Beside, 'db' | 'hearth'>;

export const mebi = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;
