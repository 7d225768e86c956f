import type { RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Secrets } from '#lib/secrets.ts';
import { workflowFileLimits } from '#workflow-files/limits.ts';
import type { RegistryType } from './auth-types.ts';
import type { Exchanged } from './exchange/exchange.ts';
import { openSecret } from './rules.ts';
import { allowsWorkflows, listRegistriesFor, type Row } from './store.ts';
import { type Checked, type Credential, checkRegistry, checkSecret, type OidcRegistry, type StoredRegistry } from './usable.ts';

type Repository = Pick<RepositoryRow, 'id' | 'owner_id'>;

/** A registry that a job doesn't get. */
type RefusedRegistry = { readonly name: string; readonly reason: string };
type Selected<Granted> = { readonly granted: readonly Granted[]; readonly refused: readonly RefusedRegistry[] };

/**
 * The registries for a job of a workflow, with their decrypted secrets, and the ones that it can't have. Those of OIDC have none
 * yet. A registry has to be named by the workflow and visible to the repository, and its organization has to allow workflows to
 * use registries, unless the server wrote the workflow (`isForServer`).
 */
export async function selectRegistries(
  db: Db,
  secrets: Secrets,
  repository: Repository,
  names: readonly string[],
  { isForServer }: { readonly isForServer: boolean },
): Promise<Selected<Credential | OidcRegistry>> {
  const [isAllowed, found] = await Promise.all([
    isForServer || allowsWorkflows(db, repository.owner_id),
    loadRegistries(db, secrets, repository, names),
  ]);
  const granted: (Credential | OidcRegistry)[] = [];
  const refused: RefusedRegistry[] = [];
  for (const name of names) {
    const registry = isAllowed ? found.get(name) : undefined;
    const checked = registry ? checkRegistry(registry) : { reason: reasonOf(isAllowed) };
    if ('usable' in checked) granted.push(checked.usable);
    else refused.push({ name, reason: checked.reason });
  }
  return { granted, refused };
}

/** Gives the registries of OIDC the secrets for which the job's identity token was exchanged, in the order of `needExchange`. */
export function completeRegistries(
  granted: readonly (Credential | OidcRegistry)[],
  exchanged: readonly Exchanged[],
): Selected<Credential> {
  const results = new Map(needExchange(granted).map((registry, at) => [registry, exchanged[at]]));
  const complete: Credential[] = [];
  const refused: RefusedRegistry[] = [];
  for (const one of granted) {
    const checked = one.secret === undefined ? withSecret(one, results.get(one)) : { usable: one };
    if ('usable' in checked) complete.push(checked.usable);
    else refused.push({ name: one.name, reason: checked.reason });
  }
  return { granted: complete, refused };
}

/** The registries whose secret has to be exchanged first. */
export const needExchange = (granted: readonly (Credential | OidcRegistry)[]): OidcRegistry[] =>
  granted.filter((one) => one.secret === undefined);

function withSecret(registry: OidcRegistry, exchanged: Exchanged | undefined): Checked<Credential> {
  if (!exchanged || 'problem' in exchanged) return { reason: exchanged?.problem ?? 'its identity token was not exchanged' };
  const { secret, username = null } = exchanged;
  return checkSecret({ ...registry, username: registry.username ?? username, secret });
}

/** Registries by their names in upper case. */
async function loadRegistries(
  db: Db,
  secrets: Secrets,
  repository: Repository,
  names: readonly string[],
): Promise<Map<string, StoredRegistry>> {
  const rows = await listRegistriesFor(db, repository, names);
  return new Map(rows.map((row) => [row.name.toUpperCase(), storedRegistry(secrets, row)]));
}

const reasonOf = (isAllowed: boolean): string =>
  isAllowed
    ? 'no private registry of its organization that this repository may use has this name'
    : "its owner doesn't allow workflows to use private registries";

/**
 * The names of the registries that the server's own jobs for a repository get, and why they don't get the others. `type`: only
 * those of one type.
 */
export async function listForServer(
  db: Db,
  secrets: Secrets,
  repository: Repository,
  type?: RegistryType,
): Promise<Selected<string>> {
  const all = await registriesFor(db, secrets, repository);
  const result = { granted: [] as string[], refused: [] as RefusedRegistry[] };
  for (const registry of type === undefined ? all : all.filter(({ registry_type }) => registry_type === type)) {
    const { name } = registry;
    const checked = checkRegistry(registry);
    if ('reason' in checked) result.refused.push({ name, reason: checked.reason });
    else if (result.granted.length < maxNames) result.granted.push(name);
    else result.refused.push({ name, reason: `a job gets ${maxNames} registries at most` });
  }
  return result;
}

const maxNames = fixedValue(workflowFileLimits.registries);

/** All registries that a repository may use, with their decrypted secrets. */
export async function registriesFor(db: Db, secrets: Secrets, repository: Repository): Promise<StoredRegistry[]> {
  return (await listRegistriesFor(db, repository)).map((row) => storedRegistry(secrets, row));
}

function storedRegistry(secrets: Secrets, row: Row): StoredRegistry {
  const { name, registry_type, auth_type, url, username, replaces_base, identity } = row;
  return { name, registry_type, auth_type, url, username, replaces_base, identity, secret: openSecret(secrets, row) };
}
