import type { Policy } from '#access/policy.ts';

const ofRepo = { scopes: ['repo', 'security_events'], role: 'write' } as const;
const ofManagers = { ...ofRepo, orRole: 'security_manager' } as const;

/** Reading results requires write access to code, as in the public API. */
export const readsFindings = { ...ofManagers, permission: 'security_events:read' } as const satisfies Policy;

/** Changing alerts. */
export const changesFindings = { ...ofManagers, permission: 'security_events:write' } as const satisfies Policy;

/** Deleting analyses, for which the scope of alerts alone isn't enough. */
export const deletesFindings = { ...changesFindings, scopes: ['repo'] } as const satisfies Policy;

/** Uploading results of tools, which also decide about checks of pull requests. */
export const uploadsFindings = { ...ofRepo, permission: 'security_events:write' } as const satisfies Policy;
