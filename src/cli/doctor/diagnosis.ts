import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { CommandContext } from '../installation.ts';

/** The result of a check. If it isn't `ok`, the administrator must act. A warning is worth reading, and may be intended. */
export type Diagnosis = { check: string; ok: boolean; warning?: boolean; detail: string };

/** The context of checks. */
export type CheckContext = Pick<CommandContext, 'db' | 'hearth'>;

export const mebi = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;

/** The first line of an error, with Git's own message if there is one. */
export function reasonOf(error: unknown): string {
  const { message, detail } =
    error instanceof Error ? { detail: '', ...error, message: error.message } : { message: String(error), detail: '' };
  const lines = [message, String(detail)].map((text) => text.trim().split('\n', 1)[0]);
  return lines.filter((line) => line !== '').join(': ');
}

/** Runs a check. If the check itself fails, that is a finding too, and the other checks still run. */
export async function finding(check: string, work: () => Promise<Diagnosis>): Promise<Diagnosis> {
  try {
    return await work();
  } catch (error) {
    return { check, ok: false, detail: `could not be checked: ${reasonOf(error)}` };
  }
}

/** A repository, and its name for people: `owner/name`. */
export type NamedRepository = { id: Id<'repositories'>; name: string; default_branch: string };

export async function listRepositories(db: Db): Promise<NamedRepository[]> {
  const rows = await db
    .selectFrom('repositories as r')
    .innerJoin('accounts as o', 'o.id', 'r.owner_id')
    .select(['r.id', 'r.name', 'r.default_branch', 'o.login'])
    .orderBy('r.id')
    .execute();
  return rows.map(({ id, name, default_branch, login }) => ({ id, name: `${login}/${name}`, default_branch }));
}

const shown = 20;

/** The first of many items, and how many more there are. */
export const someOf = (items: readonly string[], separator = ', '): string =>
  items.length > shown ? `${items.slice(0, shown).join(separator)} and ${items.length - shown} more` : items.join(separator);
