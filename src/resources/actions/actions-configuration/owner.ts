import { type RawBuilder, sql } from 'kysely';
import type { ActionContext } from '#access/action.ts';
import type { Org, Repo } from '#access/viewer.ts';
import type { OrSql, Tx } from '#database/connect.ts';
import { inOrganization, inRepository } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { orNotFound } from '#lib/refusal.ts';
import type { Holder } from '#resources/actions/encryption-keys/index.ts';
import { type EnvironmentRow, findEnvironmentForUpdate } from '#resources/actions/environments/index.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';

/** The owner of secrets or variables: an organization, a repository, or one of its environments. */
export type ConfigurationOwner = { readonly org: Org } | { readonly repo: Repo; readonly environment?: EnvironmentRow };
/** An owner, with the actor and the time of a change. */
export type ConfigurationAction = ActionContext & { readonly owner: ConfigurationOwner };

/** The column that names an owner, with its id. */
export function holderOf(owner: ConfigurationOwner): Holder {
  if ('org' in owner) return { column: 'organization_id', id: owner.org.id };
  if (owner.environment) return { column: 'environment_id', id: owner.environment.id };
  return { column: 'repository_id', id: owner.repo.id };
}

/** The owner, repository, actor and time of an event about an owner's secrets or variables. */
export const eventOriginOf = ({ owner, by, now }: ConfigurationAction) =>
  'org' in owner ? inOrganization({ org: owner.org, by, now }) : inRepository({ repo: owner.repo, by, now });

/** The environment of an owner, for events about deleted secrets and variables. */
export const environmentOf = (owner: ConfigurationOwner): EnvironmentRow['id'] | null =>
  'org' in owner ? null : (owner.environment?.id ?? null);

/**
 * Locks an owner until the transaction ends, so that concurrent requests can't create the same name twice or exceed the limit.
 * Always lock the owner before its secrets and variables.
 */
export async function lockHolder(tx: Tx, holder: Holder): Promise<void> {
  if (holder.column === 'organization_id') await lockOrganization(tx, holder.id);
  else if (holder.column === 'repository_id') orNotFound(await lockRepository(tx, holder.id));
  else orNotFound(await findEnvironmentForUpdate(tx, holder));
}

/** The repository of a workflow run, and the environment that the job names. */
export type JobEnvironment = { repository: Id<'repositories'>; environment?: Id<'environments'> | undefined };

/** The column that names an owner, with its id or SQL for the id. */
export type AnyHolder = { readonly column: Holder['column']; readonly id: OrSql<Holder['id']> };

/** Whether a row belongs to an owner. */
export const ofHolder = ({ column, id }: AnyHolder): RawBuilder<boolean> => sql<boolean>`${sql.ref(column)} = ${id}`;

/** The columns of a row that name its owner. Exactly one is set. */
export type Held = {
  readonly organization_id: Extract<Holder, { column: 'organization_id' }>['id'] | null;
  readonly repository_id: Extract<Holder, { column: 'repository_id' }>['id'] | null;
  readonly environment_id: Extract<Holder, { column: 'environment_id' }>['id'] | null;
};

/** The owner of a row. */
export function holderOfRow({ organization_id, repository_id, environment_id }: Held): Holder {
  if (organization_id !== null) return { column: 'organization_id', id: organization_id };
  if (repository_id !== null) return { column: 'repository_id', id: repository_id };
  if (environment_id !== null) return { column: 'environment_id', id: environment_id };
  throw new Error('A row belongs to no owner');
}
