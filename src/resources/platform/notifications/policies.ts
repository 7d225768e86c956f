// What is asked of callers: document 2 lets in classic personal tokens alone, with one of two scopes.

const byClassicToken = { tokens: ['classic_pat'], scopes: ['notifications', 'repo'] } as const;

/** One's own inbox. */
export const ownInbox = { ...byClassicToken, permission: { none: 'own_account' } } as const;

/** The part of it that is about a repository, which may be archived. */
export const ownInboxOfRepository = { ...ownInbox, role: 'read', archived: 'allowed' } as const;
