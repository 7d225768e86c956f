import type { RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Secrets } from '#lib/secrets.ts';
import { type Credential, unusableReason } from './package-managers.ts';
import { openSecret } from './rules.ts';
import { allowsWorkflows, listRegistriesFor, type Row } from './store.ts';

type Repository = Pick<RepositoryRow, 'id' | 'owner_id'>;

/** A registry that a workflow names, but doesn't get. */
type Refused = { readonly name: string; readonly reason: string };
type Selected = { readonly granted: readonly Credential[]; readonly refused: readonly Refused[] };

/**
 * The registries for a job of a workflow, with their decrypted secrets, and the ones that it can't have. A registry has to be
 * named by the workflow and visible to the repository, and its organization has to allow workflows to use registries, unless the
 * server wrote the workflow (`isForServer`).
 */
export async function selectRegistries(
  db: Db,
  secrets: Secrets,
  repository: Repository,
  names: readonly string[],
  { isForServer }: { readonly isForServer: boolean },
): Promise<Selected> {
  const [isAllowed, found] = await Promise.all([
    isForServer || allowsWorkflows(db, repository.owner_id),
    loadCredentials(db, secrets, repository, names),
  ]);
  const granted: Credential[] = [];
  const refused: Refused[] = [];
  for (const name of names) {
    const credential = isAllowed ? found.get(name) : undefined;
    const reason = credential ? unusableReason(credential) : reasonOf(isAllowed);
    if (credential && reason === undefined) granted.push(credential);
    else refused.push({ name, reason: reason ?? '' });
  }
  return { granted, refused };
}

/** The usable ones of the named registries, with their decrypted secrets, whether or not their organization allows them now. */
export async function loadNamedRegistries(
  db: Db,
  secrets: Secrets,
  repository: Repository,
  names: readonly string[],
): Promise<Credential[]> {
  const found = await loadCredentials(db, secrets, repository, names);
  return [...found.values()].filter((credential) => unusableReason(credential) === undefined);
}

/** Registries by their names in upper case. */
async function loadCredentials(
  db: Db,
  secrets: Secrets,
  repository: Repository,
  names: readonly string[],
): Promise<Map<string, Credential>> {
  const rows = await listRegistriesFor(db, repository, names);
  return new Map(rows.map((row) => [row.name.toUpperCase(), credentialOf(secrets, row)]));
}

const reasonOf = (isAllowed: boolean): string =>
  isAllowed
    ? 'no private registry of its organization that this repository may use has this name'
    : "its owner doesn't allow workflows to use private registries";

/** The registries that the server's own jobs for a repository can use, without their secrets. */
export async function listUsable(
  db: Db,
  secrets: Secrets,
  repository: Repository,
): Promise<Pick<Credential, 'name' | 'registry_type'>[]> {
  const all = await registriesFor(db, secrets, repository);
  return all
    .filter((credential) => unusableReason(credential) === undefined)
    .map(({ name, registry_type }) => ({ name, registry_type }));
}

/** All registries that a repository may use, with their decrypted secrets. */
export async function registriesFor(db: Db, secrets: Secrets, repository: Repository): Promise<Credential[]> {
  return (await listRegistriesFor(db, repository)).map((row) => credentialOf(secrets, row));
}

function credentialOf(secrets: Secrets, row: Row): Credential {
  const { name, registry_type, auth_type, url, username, replaces_base, identity } = row;
  return { name, registry_type, auth_type, url, username, replaces_base, identity, secret: openSecret(secrets, row) };
}
