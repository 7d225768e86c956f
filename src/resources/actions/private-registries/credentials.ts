import type { RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Secrets } from '#lib/secrets.ts';
import type { AuthType, RegistryType } from './auth-types.ts';
import { openSecret } from './rules.ts';
import { type Identity, listRegistriesFor } from './store.ts';

/** A registry with the credentials to sign in to it. It must never be shown or logged. */
type RegistryCredentials = {
  name: string;
  registry_type: RegistryType;
  auth_type: AuthType;
  url: string;
  username: string | null;
  replaces_base: boolean;
  identity: Identity;
  secret: string | undefined;
};

/** The registries that a repository may use, with decrypted credentials, for running the repository's jobs. */
export async function registriesFor(
  db: Db,
  secrets: Secrets,
  repo: Pick<RepositoryRow, 'id' | 'owner_id'>,
): Promise<RegistryCredentials[]> {
  const rows = await listRegistriesFor(db, repo);
  return rows.map(({ name, registry_type, auth_type, url, username, replaces_base, identity, ...row }) => ({
    name,
    registry_type,
    auth_type,
    url,
    username,
    replaces_base,
    identity,
    secret: openSecret(secrets, { ...row, name }),
  }));
}
