import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import { propertyValues } from '#resources/repositories/custom-properties/index.ts';

type OrganizationTable = DB['oidc_organization_templates'];
type RepositoryTable = DB['oidc_repository_templates'];
export type OrganizationTemplate = Selectable<OrganizationTable>;

export const findOrganizationTemplate = (db: Db, organization: Id<'accounts'>): Promise<OrganizationTemplate | undefined> =>
  db.selectFrom('oidc_organization_templates').selectAll().where('organization_id', '=', organization).executeTakeFirst();

/** Sets columns of an organization's template, at least one. */
export const putOrganizationTemplate = (
  tx: Tx,
  organization_id: Id<'accounts'>,
  columns: Omit<Insertable<OrganizationTable>, 'organization_id'>,
) =>
  tx
    .insertInto('oidc_organization_templates')
    .values({ organization_id, ...columns })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(columns))
    .execute();

/** Sets columns of a repository's template. */
export const putRepositoryTemplate = (
  tx: Tx,
  repository_id: Id<'repositories'>,
  columns: Omit<Insertable<RepositoryTable>, 'repository_id'>,
) =>
  tx
    .insertInto('oidc_repository_templates')
    .values({ repository_id, ...columns })
    .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(columns))
    .execute();

/** The templates of a repository and of its owner, and the values of the custom properties that tokens include. */
export const findTemplates = (db: Db, repository: Id<'repositories'>) =>
  db
    .selectFrom('repositories as r')
    .leftJoin('oidc_repository_templates as own', 'own.repository_id', 'r.id')
    .leftJoin('oidc_organization_templates as o', 'o.organization_id', 'r.owner_id')
    .select([
      'own.use_default',
      'own.include_claim_keys as own_keys',
      'own.use_immutable_subject as own_immutable',
      'o.include_claim_keys as organization_keys',
      'o.use_immutable_subject as organization_immutable',
      propertyValues.as('values'),
      sql<string[]>`array(select p.name from oidc_properties i join custom_properties p on p.id = i.property_id
        where p.organization_id = r.owner_id order by lower(p.name))`.as('included'),
    ])
    .where('r.id', '=', repository)
    .executeTakeFirst();

/** A custom property that tokens include, by its name, regardless of case. */
export const selectIncluded = (db: Db, organization: OrSql<Id<'accounts'>>, name: string) =>
  db
    .selectFrom('oidc_properties as i')
    .innerJoin('custom_properties as p', 'p.id', 'i.property_id')
    .select(['p.id', 'p.name'])
    .where(sql<boolean>`p.organization_id = ${organization}`)
    .where(sql<boolean>`lower(p.name) = lower(${name})`);

/** The names of the custom properties that tokens include. The limit on properties bounds their number. */
export const listIncluded = (db: Db, organization: Id<'accounts'>): Promise<{ name: string }[]> =>
  db
    .selectFrom('oidc_properties as i')
    .innerJoin('custom_properties as p', 'p.id', 'i.property_id')
    .select('p.name')
    .where('p.organization_id', '=', organization)
    .orderBy(sql`lower(p.name)`)
    .execute();

/** Includes a property; undefined if it was already included. */
export const insertIncluded = (tx: Tx, property_id: Id<'custom_properties'>, created_at: Date) =>
  tx
    .insertInto('oidc_properties')
    .values({ property_id, created_at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('property_id')
    .executeTakeFirst();

export const removeIncluded = (tx: Tx, property: Id<'custom_properties'>) =>
  tx.deleteFrom('oidc_properties').where('property_id', '=', property).execute();
