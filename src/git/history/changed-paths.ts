import { periodicYield } from '#lib/turns.ts';
import { isGitError } from '../errors.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import { run } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';

/** The paths that a commit changed relative to its first parent. */
export type ChangedPaths = { added: string[]; removed: string[]; modified: string[] };

const lists = { A: 'added', D: 'removed', M: 'modified', T: 'modified' } as const;
const isLetter = (text: string): text is keyof typeof lists => text in lists;
const maxOutput = 8 * 1024 * 1024;

/**
 * The changed paths of each of these commits, from one process. Beyond eight megabytes of names, later commits are missing. If
 * git reaches another limit, all are missing.
 */
export async function listChangedPaths(repo: GitRepository, oids: readonly Oid[]): Promise<Map<Oid, ChangedPaths>> {
  if (oids.length === 0) return new Map();
  const flags = ['--stdin', '-r', '-z', '--root', '--no-renames', '--name-status', '--diff-merges=first-parent'];
  const input = oids.map((oid) => `${checkedOid(oid)}\n`).join('');
  const stdout = await listNames(repo, ['diff-tree', ...flags], input);
  const changes = new Map<Oid, ChangedPaths>();
  let current: ChangedPaths | undefined;
  const fields = stdout.toString('utf8').split('\0');
  const yieldTurn = periodicYield();
  for (let at = 0; at < fields.length - 1; at++) {
    const field = fields[at] ?? '';
    await yieldTurn();
    if (isLetter(field)) current?.[lists[field]].push(fields[++at] ?? '');
    else {
      current = { added: [], removed: [], modified: [] };
      changes.set(field, current);
    }
  }
  return changes;
}

async function listNames(repo: GitRepository, args: readonly string[], input: string): Promise<Buffer> {
  try {
    const { stdout } = await run(repo, args, { input, maxOutput: maxOutput, truncate: true });
    return stdout;
  } catch (error) {
    if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return Buffer.alloc(0);
    throw error;
  }
}
