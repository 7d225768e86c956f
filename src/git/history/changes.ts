import { periodicYield } from '#lib/turns.ts';
import { checkedOid, emptyTree, type Oid, zeroOid } from '../objects/oid.ts';
import { canonicalMode, type TreeMode } from '../objects/parse-tree.ts';
import { run } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';

export const changeStatuses = ['added', 'removed', 'modified', 'renamed', 'copied', 'changed'] as const;
type ChangeStatus = (typeof changeStatuses)[number];

/** A path that differs between two trees. `changed` means a different type (a file that became a link). */
export type PathChange = {
  path: string;
  previousPath?: string;
  status: ChangeStatus;
  /** Absent on a side without an entry. */
  old?: { mode: TreeMode; oid: Oid };
  new?: { mode: TreeMode; oid: Oid };
};

const maxOutput = 8 * 1024 * 1024;

const words: Record<string, ChangeStatus> = { A: 'added', D: 'removed', M: 'modified', R: 'renamed', C: 'copied', T: 'changed' };
const head = /^:(\d+) (\d+) ([0-9a-f]{40}) ([0-9a-f]{40}) ([A-Z])\d*$/;

/** Parses the head of a raw diff record (`:100644 100644 <old> <new> M`); undefined for other texts. */
export function parseRawHead(text: string): Omit<PathChange, 'path' | 'previousPath'> | undefined {
  const [, oldMode = '', newMode = '', oldOid = '', newOid = '', letter = ''] = head.exec(text) ?? [];
  const status = words[letter];
  if (!status) return undefined;
  return {
    status,
    ...(oldOid !== zeroOid && { old: { mode: canonicalMode(oldMode), oid: oldOid } }),
    ...(newOid !== zeroOid && { new: { mode: canonicalMode(newMode), oid: newOid } }),
  };
}

/**
 * The paths that differ between two commits or trees, at all depths. `from: null` is the empty tree. Renames are detected only
 * with `renames`, since that reads contents.
 * @throws GitError `too-large` beyond eight megabytes of names
 */
export async function listChanges(
  repo: GitRepository,
  options: { from: Oid | null; to: Oid; renames?: true; path?: string },
): Promise<PathChange[]> {
  const from = options.from === null ? emptyTree : checkedOid(options.from);
  const paths = options.path === undefined ? [] : [options.path];
  const flags = ['-r', '-z', '--raw', '--full-index', options.renames ? '-M' : '--no-renames'];
  const args = ['diff-tree', ...flags, from, checkedOid(options.to), '--', ...paths];
  const { stdout } = await run(repo, args, { maxOutput: maxOutput });
  const fields = stdout.toString('utf8').split('\0');
  const changes: PathChange[] = [];
  const yieldTurn = periodicYield();
  for (let at = 0; at < fields.length - 1; ) {
    const record = parseRawHead(fields[at] ?? '');
    if (!record) break;
    const path = fields[at + 1] ?? '';
    const moved = record.status === 'renamed' || record.status === 'copied';
    changes.push(moved ? { path: fields[at + 2] ?? '', previousPath: path, ...record } : { path, ...record });
    at += moved ? 3 : 2;
    await yieldTurn();
  }
  return changes;
}
