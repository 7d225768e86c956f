import type { PermissionName, PermissionSet } from '#access/permissions.ts';
import { type Call, idOfKey, type Workflow } from './calls.ts';
import type { Json } from './expressions.ts';
import type { WorkflowFile } from './file.ts';

/** The permissions of a job's token, and whether the job may request identity tokens. */
type JobPermissions = { readonly token: PermissionSet; readonly identity: 'write' | 'none' };

type Level = 'read' | 'write' | 'none';

/** The names in files, each with its permission. */
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

/** The permissions of the restricted default in the settings (the public API's rule). */
const restricted: readonly string[] = ['contents', 'packages'];

/**
 * The permissions if neither a job nor its workflow declares any: the default of the settings, or in a called workflow, the
 * permissions of the calling job.
 */
type Bounds = { readonly byDefault: 'read' | 'write' | JobPermissions; readonly mayWrite: boolean };

/**
 * The permissions of a job's token: the job's declaration, otherwise its workflow's declaration, otherwise the default. If
 * anything is declared, undeclared permissions are denied. A called workflow can narrow the permissions of the calling job, but
 * not widen them.
 */
export function permissionsOfJob(file: WorkflowFile, job: string, { byDefault, mayWrite }: Bounds): JobPermissions {
  const wanted = file.jobs.get(job)?.source.permissions ?? file.source.permissions;
  const caller = typeof byDefault === 'string' ? undefined : byDefault;
  const levelOf = (name: string, most: Level): Level => {
    const level = wanted === undefined ? most : levelIn(wanted, name);
    const narrowed = caller && levels.indexOf(level) > levels.indexOf(most) ? most : level;
    return narrowed === 'write' && !mayWrite ? 'read' : narrowed;
  };
  const token = Object.entries(known).flatMap(([name, permission]) => {
    const most = caller ? ((caller.token[permission] ?? 'none') as Level) : defaultLevel(name, byDefault);
    const level = levelOf(name, most);
    return level === 'none' ? [] : [[permission, level] as const];
  });
  const identity = mayWrite && levelOf('id-token', caller?.identity ?? 'none') === 'write' ? 'write' : 'none';
  return { token: { ...Object.fromEntries(token), metadata: 'read' }, identity };
}

/** The permissions of a job inside called workflows. Each call may narrow the permissions of the previous one. */
export function permissionsOfCalled(
  workflow: Workflow,
  calls: readonly Pick<Call, 'key'>[],
  job: string,
  bounds: Bounds,
): JobPermissions {
  const [first, ...others] = calls;
  if (!first) return permissionsOfJob(workflow.file, job, bounds);
  const id = idOfKey(first.key);
  const byDefault = permissionsOfJob(workflow.file, id, bounds);
  const called = workflow.called.get(id);
  return called ? permissionsOfCalled(called, others, job, { ...bounds, byDefault }) : { token: {}, identity: 'none' };
}

/** Lowest first. */
const levels: readonly Level[] = ['none', 'read', 'write'];

const defaultLevel = (name: string, byDefault: unknown): Level =>
  byDefault === 'write' ? 'write' : restricted.includes(name) ? 'read' : 'none';

function levelIn(wanted: Json, name: string): Level {
  if (wanted === 'read-all') return 'read';
  if (wanted === 'write-all') return 'write';
  const level = wanted !== null && typeof wanted === 'object' ? (wanted as { [name: string]: Json })[name] : undefined;
  return level === 'read' || level === 'write' ? level : 'none';
}
