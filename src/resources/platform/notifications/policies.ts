// Access to notifications: document 2 accepts only classic personal tokens with one of two scopes.

const byClassicToken = { credentials: ['classic_pat', 'session'], scopes: ['notifications', 'repo'] } as const;

/** One's own inbox. */
export const ownInbox = { ...byClassicToken, permission: { none: 'own_account' } } as const;

/** The threads of one repository in it, which may be archived. */
export const ownInboxOfRepository = { ...ownInbox, role: 'read', archived: 'allowed' } as const;
