// What the endpoints of all stores of secrets have in common.

import { Type } from 'typebox';
import type { ActionContext } from '#access/action.ts';
import type { Org } from '#access/viewer.ts';
import { mapEach } from '#database/list.ts';
import type { SharedCall } from '#endpoint/call.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { type ConfigurationOwner, holderOf, lockHolder } from '#resources/actions/actions-configuration/index.ts';
import { EncryptionKey, ensureKey, findActiveKey, presentKey } from '#resources/actions/encryption-keys/index.ts';
import { selectedRepositoryEndpoints } from '#resources/repositories/repository-selections/index.ts';
import { presentSecret } from './present.ts';
import { deleteSecret, recordChange, setSecret } from './rules.ts';
import type { WantedSecret } from './schemas.ts';
import type { SecretStore } from './secret-store.ts';
import { type SecretRow, secretReads } from './store.ts';
import { secretKey } from './values.ts';

type OwnerCall<More = unknown> = SharedCall<{ at: ConfigurationOwner & More }>;
type ChangeCall<More, Body = unknown> = SharedCall<{ at: ConfigurationOwner & More; viewer: ActionContext['by']; body: Body }>;
type OneSecret = { readonly secret: SecretRow };

/** The declarations of the endpoints of a store. Its family adds ids, paths, resources, summaries, access and bodies. */
export const secretEndpoints = (store: SecretStore) =>
  ({
    list: {
      method: 'GET',
      paging: pages(),
      async handle({ db, at, page, links }: OwnerCall) {
        return mapEach(await secretReads(store.name).list(db, holderOf(at), page), (row) => presentSecret(links, store, at, row));
      },
    },
    getKey: {
      method: 'GET',
      replies: { 200: EncryptionKey },
      async handle({ db, change, at }: OwnerCall) {
        const holder = holderOf(at);
        const key = secretKey(store.name, holder);
        const make = () =>
          change(async (scope) => {
            await lockHolder(scope.tx, holder);
            return ensureKey(scope, key);
          });
        return presentKey((await findActiveKey(db, key)) ?? (await make()));
      },
    },
    get: {
      method: 'GET',
      async handle({ at, links }: OwnerCall<OneSecret>) {
        return presentSecret(links, store, at, at.secret);
      },
    },
    set: {
      method: 'PUT',
      replies: { 201: Type.Object({}), 204: Nothing },
      async handle({
        change,
        at,
        body,
        viewer,
        now,
        reply,
        services: { secrets },
      }: ChangeCall<{ secret_name: string }, WantedSecret>) {
        const action = { store, owner: at, by: viewer, now, secrets };
        const isNew = await change((scope) => setSecret(scope, action, at.secret_name, body));
        return isNew ? reply(201, {}) : reply(204);
      },
    },
    delete: {
      method: 'DELETE',
      replies: { 204: Nothing },
      async handle({ change, viewer, now }: ChangeCall<OneSecret>) {
        await change((scope, at) => deleteSecret(scope, { store, owner: at, by: viewer, now }, at.secret));
      },
    },
    selected: selectedRepositoryEndpoints<{ org: Org; secret: SecretRow }>({
      selectionOf: async (_db, { secret }) => secret.selection_id ?? undefined,
      changed: (scope, { org, by, now }, { secret }) => recordChange(scope, { store, owner: { org }, by, now }, secret),
    }),
  }) as const;
