import type { Policy } from '#access/policy.ts';

const ofRepo = { scopes: ['repo', 'security_events'], role: 'write' } as const;

/** Reading results requires write access to code, as in the public API. */
export const readsFindings = { ...ofRepo, permission: 'security_events:read' } as const satisfies Policy;

/** Uploading results of tools, and changing alerts. */
export const writesFindings = { ...ofRepo, permission: 'security_events:write' } as const satisfies Policy;

/** Deleting analyses, for which the scope of alerts alone isn't enough. */
export const deletesFindings = { ...writesFindings, scopes: ['repo'] } as const satisfies Policy;
