import { findRepoById } from '#access/lookup.ts';
import { type Account, anonymous } from '#access/viewer.ts';
import type { EventKind } from '#events/catalogue.ts';
import type { Recorded } from '#events/subscription.ts';
import { revived } from '#lib/snapshot.ts';
import { presentUser } from '#resources/accounts/index.ts';
import {
  aboutRepository,
  loadAccount,
  type PayloadBuilder,
  type PayloadBuilders,
  payloadBuilder,
  presentOrganizationOf,
  presentRepository,
} from './payload-builder.ts';

/** A webhook event about a repository; `more` are the other parts of its body. */
const plain = <Kind extends EventKind>(
  action: string,
  more: (event: Recorded<Kind>) => object = () => ({}),
): PayloadBuilder<Kind> =>
  payloadBuilder(['repository'], (event, context) =>
    aboutRepository(context, event, () => [{ name: 'repository', action, body: { ...more(event) } }]),
  );

const from = (value: unknown) => ({ from: value });

export const repositoryPayloads: PayloadBuilders = {
  'repository.created': plain('created'),
  'repository.privatized': plain('privatized'),
  'repository.archived': plain('archived'),
  'repository.unarchived': plain('unarchived'),
  'repository.publicized': payloadBuilder(['repository', 'public'], (event, context) =>
    aboutRepository(context, event, () => [
      { name: 'repository', action: 'publicized', body: {} },
      { name: 'public', action: null, body: {} },
    ]),
  ),
  'repository.updated': payloadBuilder(['repository'], (event, context) =>
    aboutRepository(context, event, () => {
      const before = Object.entries(event.data.from ?? {});
      if (before.length === 0) return []; // as in the public API, changes of other settings are no webhook event
      return [
        {
          name: 'repository',
          action: 'edited',
          body: { changes: Object.fromEntries(before.map(([key, value]) => [key, from(value)])) },
        },
      ];
    }),
  ),
  'repository.renamed': plain('renamed', ({ data }) => ({ changes: { repository: { name: from(data.from) } } })),
  'repository.default_branch_changed': plain('edited', ({ data }) => ({ changes: { default_branch: from(data.from) } })),
  'repository.transferred': payloadBuilder(['repository'], (event, context) =>
    aboutRepository(context, event, async () => {
      const before = await loadAccount(context, event.data.from);
      if (!before) return [];
      const owner =
        before.kind === 'organization'
          ? { organization: await presentOrganizationOf(context, before) }
          : { user: presentUser(context.links, before) };
      const changes = { owner: from(owner) };
      return [{ name: 'repository', action: 'transferred', body: { changes } }];
    }),
  ),
  'repository.deleted': payloadBuilder(['repository'], async (event, context) => {
    if (!event.data.was) return [];
    const row = revived(event.data.was, ['created_at', 'updated_at', 'pushed_at']);
    if (!(await loadAccount(context, row.owner_id))) return [];
    return [{ name: 'repository', action: 'deleted', body: { repository: await presentRepository(context, row) } }];
  }),
  'repository.forked': payloadBuilder(['fork'], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const fork = await findRepoById(context.db, anonymous, event.data.fork);
      if (!fork || !isKnownTo(fork, repository.owner)) return [];
      return [{ name: 'fork', action: null, body: { forkee: await presentRepository(context, fork) } }];
    }),
  ),
};

/** Whether the owner of the source may know of a fork: a private fork in another account isn't shown to them. */
const isKnownTo = (fork: { visibility: string; owner_id: number }, owner: Account): boolean =>
  fork.visibility !== 'private' || fork.owner_id === owner.id;
