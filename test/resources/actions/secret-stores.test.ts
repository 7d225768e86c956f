// What holds for both stores of secrets, those of workflows and those of the dependency bot, wherever a secret is.
import { expect, test } from 'vitest';
import { loadSecretsForJob } from '#resources/actions/actions-secrets/index.ts';
import { loadBotSecretsForJob } from '#resources/actions/dependency-bot-secrets/index.ts';
import { type Places, pathsOf, setting } from '#test/resources/actions/actions-configuration/setting.ts';
import { eventsOf } from '#test/support/apps.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const tables = ['actions_secrets', 'encryption_keys', 'repository_selections', 'selected_repositories', 'events'];

const stores = {
  workflows: {
    folder: 'actions',
    resource: 'ActionsSecret',
    event: 'actions_secret',
    permissions: { org: 'organization_secrets', repo: 'secrets', environment: 'environments' },
    /** These give nothing in the store. */
    others: {
      actions: 'write',
      administration: 'write',
      dependency_bot_secrets: 'write',
      organization_dependency_bot_secrets: 'write',
    },
  },
  'the bot': {
    folder: 'dependency-bot',
    resource: 'DependencyBotSecret',
    event: 'dependency_bot_secret',
    permissions: { org: 'organization_dependency_bot_secrets', repo: 'dependency_bot_secrets', environment: '' },
    others: { secrets: 'write', organization_secrets: 'write', administration: 'write' },
  },
} as const;
type Store = keyof typeof stores;

const cases: [Store, Places][] = [
  ['workflows', 'org'],
  ['workflows', 'repo'],
  ['workflows', 'environment'],
  ['the bot', 'org'],
  ['the bot', 'repo'],
];
const inRepository = cases.filter(([, place]) => place === 'repo');

async function storeSetting(store: Store, place: Places) {
  const here = await setting(w);
  const pathOf = (of: Places): string =>
    pathsOf('secrets', here)[of].replace('/actions/secrets', `/${stores[store].folder}/secrets`);
  const path = pathOf(place);
  const shared = place === 'org' ? { visibility: 'all' } : {};
  /** Sets a secret, and gives the reply. */
  const put = async (name: string, value: string) =>
    here.client.put(`${path}/${name}`, { ...(await sealedFor(here.client, `${path}/public-key`, value)), ...shared });
  const { secrets } = w.hearth.services;
  const load = async () =>
    Object.fromEntries(
      store === 'workflows'
        ? await loadSecretsForJob(w.db, secrets, { repository: here.repo.id, environment: here.environment.id })
        : await loadBotSecretsForJob(w.db, secrets, here.repo.id),
    );
  return { ...here, path, pathOf, shared, put, load };
}

test.each(cases)(
  'a secret of %s for the %s is made, read, set anew and deleted, and its value is never shown',
  async (store, place) => {
    const { client, path, put, load, org, shared } = await storeSetting(store, place);
    expect(await client.get(path)).toMatchObject({ status: 200, body: { total_count: 0, secrets: [] } });
    expect(await put('registry_Key', 'canary-1')).toMatchObject({ status: 201, body: {} });
    const at = `${path}/REGISTRY_KEY`;
    const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
    const shown = { name: 'REGISTRY_KEY', ...times, ...shared };
    expect(await client.get(at)).toMatchObject({ status: 200, body: shown });
    expect((await client.get(`${path}/registry_key`)).body).toEqual(shown);
    expect((await client.get(path)).body).toEqual({ total_count: 1, secrets: [shown] });
    expect(await load()).toEqual({ REGISTRY_KEY: 'canary-1' });
    expect((await put('REGISTRY_KEY', 'canary-2 with ünïcode')).status).toBe(204);
    expect(await load()).toEqual({ REGISTRY_KEY: 'canary-2 with ünïcode' });
    for (const table of ['actions_secrets', 'encryption_keys', 'events'] as const) {
      const rows = await w.db.selectFrom(table).selectAll().execute();
      const values = rows.flatMap((row) => Object.values(row));
      expect(
        values.some((value) => (Buffer.isBuffer(value) ? value.includes('canary') : JSON.stringify(value)?.includes('canary'))),
      ).toBe(false);
    }
    expect((await client.delete(at)).status).toBe(204);
    for (const answer of [await client.get(at), await client.delete(at)]) expect(answer.status).toBe(404);
    expect(await load()).toEqual({});
    const { event } = stores[store];
    const kinds = (await eventsOf(w, org)).filter((kind) => kind.includes('_secret.'));
    expect(kinds).toEqual(['created', 'changed', 'deleted'].map((word) => `${event}.${word}`));
  },
);

const badNames = ['0KEY', 'MY-KEY', 'MY KEY', 'ÄKEY', 'service_key', 'GitHub_key', 'K'.repeat(256)];

test.each(inRepository)(
  'names that the server gives, or that variables can’t have, are refused by the store of %s',
  async (store, place) => {
    const { put } = await storeSetting(store, place);
    await put('FIRST', 'v');
    const refused = { status: 422, body: { errors: [{ resource: stores[store].resource, field: 'secret_name' }] } };
    await w.unchanged(tables, async () => {
      for (const name of badNames) expect(await put(encodeURIComponent(name), 'v')).toMatchObject(refused);
    });
  },
);

test.each(cases)(
  'what is no box for the key of %s for the %s, and what is empty or too long, changes nothing',
  async (store, place) => {
    const { client, path, pathOf, put, shared } = await storeSetting(store, place);
    const right = { ...(await sealedFor(client, `${path}/public-key`, 'value')), ...shared };
    const foreign = {
      ...(await sealedFor(client, `${pathOf(place === 'org' ? 'repo' : 'org')}/public-key`, 'value')),
      ...shared,
    };
    const box = async (value: string) => ({ ...(await sealedFor(client, `${path}/public-key`, value)), ...shared });
    const { encrypted_value, key_id } = right;
    const wrong: [object, string][] = [
      [foreign, 'key_id'],
      [{ ...right, key_id: 'unknown' }, 'key_id'],
      [{ ...foreign, key_id }, 'encrypted_value'],
      [{ ...right, encrypted_value: 'c2VjcmV0' }, 'encrypted_value'],
      [{ ...right, encrypted_value: 'not base64!' }, 'encrypted_value'],
      [{ ...shared, key_id }, 'encrypted_value'],
      [{ ...shared, encrypted_value }, 'key_id'],
      [await box(''), 'encrypted_value'],
      [await box('v'.repeat(48 * 1024 + 1)), 'encrypted_value'],
      ...(place === 'org'
        ? ([
            [{ encrypted_value, key_id }, 'visibility'],
            [shared, 'encrypted_value'],
          ] as [object, string][])
        : []),
    ];
    await w.unchanged(tables, async () => {
      for (const [body, field] of wrong)
        expect(await client.put(`${path}/KEY`, body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    });
    expect((await put('KEY', 'v'.repeat(48 * 1024))).status).toBe(201);
  },
);

const all = [200, 200, 200, 422, 404];
const reads = [200, 200, 200, 403, 403];
// What may not be read is hidden in a repository, and refused in an organization.
const none = [expect.toBeOneOf([403, 404]), expect.toBeOneOf([403, 404]), expect.toBeOneOf([403, 404]), 403, 403];

test.each(cases)(
  'who writes to the repository sets its secrets of %s, and owners alone those of the organization (%s)',
  async (store, place) => {
    const { path, pathOf, put, owner, writer, reader, org } = await storeSetting(store, place);
    await put('KEY', 'v');
    const status = async (who: Parameters<typeof w.as>[0], at = path) => {
      const client = await w.as(who);
      const key = { key_id: '0', encrypted_value: 'c2VjcmV0', visibility: 'all' };
      return [
        (await client.get(at)).status,
        (await client.get(`${at}/public-key`)).status,
        (await client.get(`${at}/KEY`)).status,
        (await client.put(`${at}/KEY`, key)).status,
        (await client.delete(`${at}/NONE`)).status,
      ];
    };
    expect(await status(owner)).toEqual(all);
    expect(await status(writer)).toEqual(place === 'org' ? none : all);
    expect(await status(reader)).toEqual(none);
    if (place !== 'org') expect(await status(undefined)).toEqual([404, 404, 404, 404, 404]);
    const { permissions, others } = stores[store];
    const holding = (permission: object) => w.fineGrained(owner, org, permission as Record<string, 'write'>);
    expect(await status(await holding({ [permissions[place]]: 'write' }))).toEqual(all);
    expect(await status(await holding({ [permissions[place]]: 'read' }))).toEqual(reads);
    expect(await status(await holding(others))).toEqual(none);
    if (place === 'org') expect(await status(await w.token(owner, ['repo']))).toEqual(none);
    const elsewhere = pathOf(place).replace(stores[store].folder, store === 'workflows' ? 'dependency-bot' : 'actions');
    if (place !== 'environment') expect(await status(await holding({ [permissions[place]]: 'write' }), elsewhere)).toEqual(none);
  },
);
