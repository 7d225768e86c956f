import { findRepoById } from '#access/lookup.ts';
import { type Account, anonymous } from '#access/viewer.ts';
import type { DeletedRow, EventKind } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import type { Id } from '#lib/id.ts';
import { revived } from '#lib/snapshot.ts';
import { aboutRepository, eventKinds, type PayloadBuilder, payloadBuilder, webhookEventType } from '#resources/event-kinds.ts';
import { findAccountById, presentUser } from '#resources/identity/accounts/index.ts';
import { presentOrganizationOf } from '#resources/identity/organizations/index.ts';
import { presentFullRepository } from './present.ts';
import { presentSecurity, type SecurityState, shownSwitches } from './security.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'repository.created': Record<string, never>;
    /** Branches and tags were imported. Nobody pushed them, so there is no event for each, and no webhook. */
    'repository.imported': Record<string, never>;
    'repository.updated': {
      changes: string[];
      from?: { description?: string | null; homepage?: string | null; topics?: string[] };
    };
    'repository.renamed': { from: string };
    /** `name`: the name that it had with its former owner. Omitted in events of earlier versions. */
    'repository.transferred': { from: Id<'accounts'>; name?: string };
    'repository.privatized': Record<string, never>;
    'repository.publicized': Record<string, never>;
    'repository.archived': Record<string, never>;
    'repository.unarchived': Record<string, never>;
    'repository.default_branch_changed': { from: string; to: string };
    /** `changes`: the changed switches of security products; `from`: the former state of all of them. */
    'repository.security_changed': { changes: (keyof SecurityState)[]; from: SecurityState };
    'repository.deleted': { name: string; was?: DeletedRow<'repositories'> };
    'repository.forked': { fork: Id<'repositories'> };
  }
}

const repositoryEvent = webhookEventType({ name: 'repository', permission: 'metadata:read', hooks: 'all' });
const publicEvent = webhookEventType({ name: 'public', permission: 'metadata:read', hooks: 'all' });
const securityEvent = webhookEventType({ name: 'security_and_analysis', permission: 'administration:read', hooks: 'all' });
/** An import that fails leaves no repository behind, so that nothing is sent about it. */
const importEvent = webhookEventType({ name: 'repository_import', permission: 'administration:read', hooks: 'all' });
const forkEvent = webhookEventType({ name: 'fork', permission: 'contents:read', hooks: 'all' });

/** A webhook event about a repository. `more` returns further parts of its body. */
const repositoryPayload = <Kind extends EventKind>(
  action: string,
  more: (event: Recorded<Kind>) => object = () => ({}),
): PayloadBuilder<Kind> =>
  payloadBuilder([repositoryEvent], (event, context) =>
    aboutRepository(context, event, () => [{ type: repositoryEvent, action, body: { ...more(event) } }]),
  );

const from = (value: unknown) => ({ from: value });

export const repositoryEvents = eventKinds({
  'repository.created': repositoryPayload('created'),
  'repository.imported': payloadBuilder([importEvent], (event, context) =>
    aboutRepository(context, event, () => [{ type: importEvent, action: null, body: { status: 'success' } }]),
  ),
  'repository.privatized': repositoryPayload('privatized'),
  'repository.archived': repositoryPayload('archived'),
  'repository.unarchived': repositoryPayload('unarchived'),
  'repository.publicized': payloadBuilder([repositoryEvent, publicEvent], (event, context) =>
    aboutRepository(context, event, () => [
      { type: repositoryEvent, action: 'publicized', body: {} },
      { type: publicEvent, action: null, body: {} },
    ]),
  ),
  'repository.updated': payloadBuilder([repositoryEvent], (event, context) =>
    aboutRepository(context, event, () => {
      const before = Object.entries(event.data.from ?? {});
      if (before.length === 0) return []; // as in the public API, changes of other settings cause no webhook event
      return [
        {
          type: repositoryEvent,
          action: 'edited',
          body: { changes: Object.fromEntries(before.map(([key, value]) => [key, from(value)])) },
        },
      ];
    }),
  ),
  'repository.renamed': repositoryPayload('renamed', ({ data }) => ({ changes: { repository: { name: from(data.from) } } })),
  'repository.default_branch_changed': repositoryPayload('edited', ({ data }) => ({
    changes: { default_branch: from(data.from) },
  })),
  'repository.transferred': payloadBuilder([repositoryEvent], (event, context) =>
    aboutRepository(context, event, async () => {
      const before = await findAccountById(context.db, event.data.from);
      if (!before) return [];
      const owner =
        before.kind === 'organization'
          ? { organization: await presentOrganizationOf(context, before) }
          : { user: presentUser(context.links, before) };
      const changes = { owner: from(owner) };
      return [{ type: repositoryEvent, action: 'transferred', body: { changes } }];
    }),
  ),
  'repository.security_changed': payloadBuilder([securityEvent], async (event, context) => {
    const { changes, from } = event.data;
    if (!shownSwitches.some((name) => changes.includes(name))) return [];
    const found = await context.findRepository(event);
    if (!found) return [];
    // This event has the whole repository, without a specific viewer.
    const shown = { owner: found.owner, role: undefined };
    const repository = await presentFullRepository(context, found, shown);
    const security_and_analysis = presentSecurity(from);
    return [{ type: securityEvent, action: null, body: { changes: { from: { security_and_analysis } }, repository } }];
  }),
  'repository.deleted': payloadBuilder([repositoryEvent], async (event, context) => {
    if (!event.data.was) return [];
    const row = revived(event.data.was, ['created_at', 'updated_at', 'pushed_at']);
    if (!(await findAccountById(context.db, row.owner_id))) return [];
    return [{ type: repositoryEvent, action: 'deleted', body: { repository: await context.presentRepository(row) } }];
  }),
  'repository.forked': payloadBuilder([forkEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const fork = await findRepoById(context.db, anonymous, event.data.fork);
      if (!fork || !isKnownTo(fork, repository.owner)) return [];
      return [{ type: forkEvent, action: null, body: { forkee: await context.presentRepository(fork) } }];
    }),
  ),
});

/** Whether the owner of the source may see a fork. A private fork in another account is hidden from them. */
const isKnownTo = (fork: { visibility: string; owner_id: number }, owner: Account): boolean =>
  fork.visibility !== 'private' || fork.owner_id === owner.id;
