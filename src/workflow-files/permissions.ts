import type { PermissionName, PermissionSet } from '#access/permissions.ts';
import { type Call, idOfKey, type Workflow } from './calls.ts';
import type { Json } from './expressions.ts';
import type { WorkflowFile } from './file.ts';

/** What the token of a job may, and whether the job may ask for tokens of its identity. */
type JobPermissions = { readonly token: PermissionSet; readonly identity: 'write' | 'none' };

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

/** What holds where neither a job nor its workflow says anything: the default of the settings, or, in a called workflow, what the calling job may. */
type Bounds = { readonly byDefault: 'read' | 'write' | JobPermissions; readonly mayWrite: boolean };

/**
 * What the token of a job may do: what the job says, else what its workflow says, else the default. What isn't named where something is,
 * isn't allowed. A called workflow can narrow what the job may that calls it, and not widen it.
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

/** The same for a job to which calls lead: each may narrow what the one before it may. */
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

/** The lowest first. */
const levels: readonly Level[] = ['none', 'read', 'write'];

const defaultLevel = (name: string, byDefault: unknown): Level =>
  byDefault === 'write' ? 'write' : restricted.includes(name) ? 'read' : 'none';

function levelIn(wanted: Json, name: string): Level {
  if (wanted === 'read-all') return 'read';
  if (wanted === 'write-all') return 'write';
  const level = wanted !== null && typeof wanted === 'object' ? (wanted as { [name: string]: Json })[name] : undefined;
  return level === 'read' || level === 'write' ? level : 'none';
}
