import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

export type ImageRow = Selectable<DB['custom_images']>;
/** An image with the number and total size of its versions, and the latest version. */
export type CountedImage = ImageRow & { versions_count: number; total_versions_size: number; latest_version: string | null };
export type VersionRow = Selectable<DB['custom_image_versions']>;
export type VersionNumber = Pick<VersionRow, 'major' | 'minor' | 'patch'>;
type Organization = Id<'accounts'>;
type Image = Id<'custom_images'>;

const ofOrganization = (db: Db, organization: Organization) =>
  db.selectFrom('custom_images').selectAll().where('organization_id', '=', organization);

const withCounts = (db: Db, organization: Organization) =>
  ofOrganization(db, organization).select([
    sql<number>`(select count(*) from custom_image_versions v where v.image_id = custom_images.id)`.as('versions_count'),
    sql<number>`(select coalesce(sum(size_gb), 0) from custom_image_versions v where v.image_id = custom_images.id)`.as(
      'total_versions_size',
    ),
    sql<string | null>`(select format('%s.%s.%s', major, minor, patch) from custom_image_versions v
      where v.image_id = custom_images.id order by major desc, minor desc, patch desc limit 1)`.as('latest_version'),
  ]);

export const listImages = (db: Db, organization: Organization, page: Page): Promise<Listed<CountedImage>> =>
  list(db, withCounts(db, organization).orderBy('id'), page);

export const findCountedImage = (db: Db, organization: Organization, id: Image): Promise<CountedImage | undefined> =>
  withCounts(db, organization).where('id', '=', id).executeTakeFirst();

/** Reads the image again and locks its row; undefined if it was deleted. */
export const findCountedImageForUpdate = (
  tx: Tx,
  { organization_id, id }: Pick<ImageRow, 'organization_id' | 'id'>,
): Promise<CountedImage | undefined> => withCounts(tx, organization_id).where('id', '=', id).forUpdate().executeTakeFirst();

export const findCustomImage = (db: Db, organization: Organization, id: Image): Promise<ImageRow | undefined> =>
  ofOrganization(db, organization).where('id', '=', id).executeTakeFirst();

/** Names are unique regardless of case. */
export const findImageNamed = (db: Db, organization: Organization, name: string): Promise<ImageRow | undefined> =>
  ofOrganization(db, organization).where(sql`lower(name)`, '=', name.toLowerCase()).executeTakeFirst();

export const insertImage = (tx: Tx, row: Insertable<DB['custom_images']>): Promise<ImageRow> =>
  tx.insertInto('custom_images').values(row).returningAll().executeTakeFirstOrThrow();

export const removeImage = (tx: Tx, id: Image) => tx.deleteFrom('custom_images').where('id', '=', id).execute();

const versions = (db: Db, image: Image) => db.selectFrom('custom_image_versions').selectAll().where('image_id', '=', image);

const latestFirst = (db: Db, image: Image) =>
  versions(db, image).orderBy('major', 'desc').orderBy('minor', 'desc').orderBy('patch', 'desc');

/** The versions of an image, highest first. */
export const listVersions = (db: Db, image: Image, page: Page): Promise<Listed<VersionRow>> =>
  list(db, latestFirst(db, image), page);

export const findVersion = (db: Db, image: Image, { major, minor, patch }: VersionNumber): Promise<VersionRow | undefined> =>
  versions(db, image).where('major', '=', major).where('minor', '=', minor).where('patch', '=', patch).executeTakeFirst();

/** Reads the version again and locks its row; undefined if it was deleted. */
export const findVersionForUpdate = (tx: Tx, { id }: Pick<VersionRow, 'id'>): Promise<VersionRow | undefined> =>
  tx.selectFrom('custom_image_versions').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** The highest version of an image. */
export const findLatestVersion = (db: Db, image: Image): Promise<VersionRow | undefined> =>
  latestFirst(db, image).limit(1).executeTakeFirst();

/** The highest version of an image with a major number. */
export const findLatestOf = (db: Db, image: Image, major: number): Promise<VersionRow | undefined> =>
  latestFirst(db, image).where('major', '=', major).limit(1).executeTakeFirst();

/** The version whose content the provider stores under this name. */
export const findVersionOfContent = (db: Db, organization: Organization, content: string): Promise<VersionRow | undefined> =>
  db
    .selectFrom('custom_image_versions')
    .selectAll('custom_image_versions')
    .innerJoin('custom_images', 'custom_images.id', 'custom_image_versions.image_id')
    .where('organization_id', '=', organization)
    .where('content', '=', content)
    .executeTakeFirst();

export const insertVersion = (tx: Tx, row: Insertable<DB['custom_image_versions']>): Promise<VersionRow> =>
  tx.insertInto('custom_image_versions').values(row).returningAll().executeTakeFirstOrThrow();

export const removeVersion = (tx: Tx, id: VersionRow['id']) =>
  tx.deleteFrom('custom_image_versions').where('id', '=', id).execute();

/** The names under which the provider stores the contents of an image's versions. */
export async function listContents(db: Db, image: Image): Promise<(string | null)[]> {
  const rows = await db.selectFrom('custom_image_versions').select('content').where('image_id', '=', image).execute();
  return rows.map(({ content }) => content);
}

/** The sizes of the custom images that runners use. For a runner that follows the latest version, the size of that version. */
export async function loadImageSizes(
  db: Db,
  runners: readonly Id<'hosted_runners'>[],
): Promise<Map<Id<'hosted_runners'>, number>> {
  if (runners.length === 0) return new Map();
  const { rows } = await sql<{ runner: Id<'hosted_runners'>; size_gb: number }>`
    select r.id as runner, v.size_gb from hosted_runners r, lateral (
      select size_gb from custom_image_versions
      where image_id = r.custom_image_id
        and (r.image_version is null or r.image_version = format('%s.%s.%s', major, minor, patch))
      order by major desc, minor desc, patch desc limit 1) v
    where r.id = any(${[...runners]}::bigint[])`.execute(db);
  return new Map(rows.map(({ runner, size_gb }) => [runner, size_gb]));
}

/** The given contents that belong to no version. */
export async function listOrphanedContents(db: Db, contents: readonly string[]): Promise<string[]> {
  if (contents.length === 0) return [];
  const rows = await db.selectFrom('custom_image_versions').select('content').where('content', 'in', contents).execute();
  const known = new Set(rows.map(({ content }) => content));
  return contents.filter((content) => !known.has(content));
}
