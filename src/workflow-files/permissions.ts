import type { PermissionName, PermissionSet } from '#access/permissions.ts';
import type { Json } from './expressions.ts';
import type { WorkflowFile } from './parse.ts';

/** What the token of a job may, and whether the job may ask for tokens of its identity. */
export type JobPermissions = { readonly token: PermissionSet; readonly identity: 'write' | 'none' };

type Level = 'read' | 'write' | 'none';

/** The names that files know, each with the permission that it stands for. */
const known = {
  actions: 'actions',
  checks: 'checks',
  contents: 'contents',
  deployments: 'deployments',
  issues: 'issues',
  packages: 'packages',
  pages: 'pages',
  'pull-requests': 'pull_requests',
  'security-events': 'security_events',
  statuses: 'statuses',
} as const satisfies Readonly<Record<string, PermissionName>>;

/** What the restricted default of the settings allows (the public API's rule). */
const restricted: readonly string[] = ['contents', 'packages'];

/**
 * What the token of a job may do: what the job says, else what its workflow says, else the default of the settings. What isn't named where
 * something is, isn't allowed.
 */
export function permissionsOfJob(
  file: WorkflowFile,
  job: string,
  { byDefault, mayWrite }: { readonly byDefault: 'read' | 'write'; readonly mayWrite: boolean },
): JobPermissions {
  const wanted = file.jobs.get(job)?.source.permissions ?? file.source.permissions;
  const levelOf = (name: string): Level => {
    const level = wanted === undefined ? defaultLevel(name, byDefault) : levelIn(wanted, name);
    return level === 'write' && !mayWrite ? 'read' : level;
  };
  const token = Object.entries(known).flatMap(([name, permission]) => {
    const level = levelOf(name);
    return level === 'none' ? [] : [[permission, level] as const];
  });
  const identity = wanted !== undefined && mayWrite && levelOf('id-token') === 'write' ? 'write' : 'none';
  return { token: { ...Object.fromEntries(token), metadata: 'read' }, identity };
}

const defaultLevel = (name: string, byDefault: 'read' | 'write'): Level =>
  byDefault === 'write' ? 'write' : restricted.includes(name) ? 'read' : 'none';

function levelIn(wanted: Json, name: string): Level {
  if (wanted === 'read-all') return 'read';
  if (wanted === 'write-all') return 'write';
  const level = wanted !== null && typeof wanted === 'object' ? (wanted as { [name: string]: Json })[name] : undefined;
  return level === 'read' || level === 'write' ? level : 'none';
}
