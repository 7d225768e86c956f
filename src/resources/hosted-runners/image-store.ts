import { type Selectable, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

export type VersionRow = Selectable<DB['custom_image_versions']>;
type Organization = Id<'accounts'>;
type Image = Id<'custom_images'>;
export type VersionNumber = Pick<VersionRow, 'major' | 'minor' | 'patch'>;

const versions = (db: Db, image: Image) => db.selectFrom('custom_image_versions').selectAll().where('image_id', '=', image);

export const findCustomImage = (db: Db, organization: Organization, id: Image) =>
  db.selectFrom('custom_images').selectAll().where('organization_id', '=', organization).where('id', '=', id).executeTakeFirst();

export const findVersion = (db: Db, image: Image, { major, minor, patch }: VersionNumber): Promise<VersionRow | undefined> =>
  versions(db, image).where('major', '=', major).where('minor', '=', minor).where('patch', '=', patch).executeTakeFirst();

/** The highest version of an image. */
export const findLatestVersion = (db: Db, image: Image): Promise<VersionRow | undefined> =>
  versions(db, image).orderBy('major', 'desc').orderBy('minor', 'desc').orderBy('patch', 'desc').limit(1).executeTakeFirst();

/** How large the custom images are that runners stand on: that of the latest version where they follow it. */
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
