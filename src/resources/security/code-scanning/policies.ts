import type { Policy } from '#access/policy.ts';

const ofRepo = { scopes: ['repo', 'security_events'], role: 'write' } as const;

/** Reading what tools have found: those who write code, as in the public API. */
export const readsFindings = { ...ofRepo, permission: 'security_events:read' } as const satisfies Policy;

/** Bringing results of tools, and changing alerts. */
export const writesFindings = { ...ofRepo, permission: 'security_events:write' } as const satisfies Policy;

/** Deleting analyses, for which the scope of alerts alone doesn't do. */
export const deletesFindings = { ...writesFindings, scopes: ['repo'] } as const satisfies Policy;
