import type { OrganizationAction } from '#access/action.ts';
import type { Db, Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { notFound, orNotFound, unprocessable } from '#lib/refusal.ts';
import {
  findCustomImage,
  findLatestVersion,
  findVersion,
  type ImageRow,
  listContents,
  removeImage,
  removeVersion,
  type VersionRow,
} from './image-store.ts';
import { findUserOf, lockOrganization } from './store.ts';
import { parseVersion, versionText } from './versions.ts';
import { askToDrop } from './work.ts';

/** Deletes an image with all its versions. Refused while a runner uses it. */
export async function deleteImage(tx: Tx, action: OrganizationAction, id: Id<'custom_images'>): Promise<void> {
  const { org } = action;
  await lockOrganization(tx, org.id);
  const image = orNotFound(await findCustomImage(tx, org.id, id));
  const user = await findUserOf(tx, image.id);
  if (user) throw unprocessable(`The image ${image.name} is in use by the runner ${user.name}`);
  await askToDrop(tx, await listContents(tx, image.id));
  await removeImage(tx, image.id);
  await record(tx, { ...inOrganization(action), kind: 'custom_image.deleted', data: { image: image.id, name: image.name } });
}

/** Deletes one version. Refused while a runner uses it; a runner that follows the latest version uses the latest one. */
export async function deleteVersion(
  tx: Tx,
  action: OrganizationAction,
  { id, version: text }: { id: Id<'custom_images'>; version: string },
): Promise<void> {
  const { org } = action;
  await lockOrganization(tx, org.id);
  const { image, version } = await getVersion(tx, org.id, { id, version: text });
  const latest = await findLatestVersion(tx, image.id);
  const user = await findUserOf(tx, image.id, { text: versionText(version), isLatest: latest?.id === version.id });
  if (user)
    throw unprocessable(`Version ${versionText(version)} of the image ${image.name} is in use by the runner ${user.name}`);
  await askToDrop(tx, [version.content]);
  await removeVersion(tx, version.id);
  const data = { image: image.id, version: versionText(version) };
  await record(tx, { ...inOrganization(action), kind: 'custom_image_version.deleted', data });
}

/** A version of an image of the organization. */
export async function getVersion(
  db: Db,
  organization: Id<'accounts'>,
  { id, version: text }: { id: Id<'custom_images'>; version: string },
): Promise<{ image: ImageRow; version: VersionRow }> {
  const image = await findCustomImage(db, organization, id);
  const number = parseVersion(text);
  const version = image && number && (await findVersion(db, image.id, number));
  if (!image || !version) throw notFound();
  return { image, version };
}
