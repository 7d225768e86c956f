import type { OrganizationAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { unprocessable } from '#lib/refusal.ts';
import { enqueueContentRemoval } from './enqueue.ts';
import { findLatestVersion, type ImageRow, listContents, removeImage, removeVersion, type VersionRow } from './image-store.ts';
import { findRunnerUsing } from './store.ts';
import { versionText } from './versions.ts';

/** Deletes an image with all its versions. Refused while a runner uses it. */
export async function deleteImage(scope: WriteScope, action: OrganizationAction, image: ImageRow): Promise<void> {
  const runner = await findRunnerUsing(scope.tx, image.id);
  if (runner) throw unprocessable(`The image ${image.name} is in use by the runner ${runner.name}`);
  await enqueueContentRemoval(scope.tx, await listContents(scope.tx, image.id));
  await removeImage(scope.tx, image.id);
  await record(scope.tx, {
    ...inOrganization(action),
    kind: 'custom_image.deleted',
    data: { image: image.id, name: image.name },
  });
}

/** Deletes one version. Refused while a runner uses it; a runner that follows the latest version uses the latest one. */
export async function deleteVersion(
  scope: WriteScope,
  action: OrganizationAction,
  { image, version }: { image: ImageRow; version: VersionRow },
): Promise<void> {
  const latest = await findLatestVersion(scope.tx, image.id);
  const text = versionText(version);
  const runner = await findRunnerUsing(scope.tx, image.id, { text, isLatest: latest?.id === version.id });
  if (runner) throw unprocessable(`Version ${text} of the image ${image.name} is in use by the runner ${runner.name}`);
  await enqueueContentRemoval(scope.tx, [version.content]);
  await removeVersion(scope.tx, version.id);
  const data = { image: image.id, version: text };
  await record(scope.tx, { ...inOrganization(action), kind: 'custom_image_version.deleted', data });
}
