import { Type } from 'typebox';
import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { findCountedImage, findCountedImageForUpdate, findVersion, findVersionForUpdate } from './image-store.ts';
import { findRunnerForUpdate, selectRunner } from './store.ts';
import { parseVersion } from './versions.ts';

// Changes lock the organization before the row, since they depend on its other runners and images.

/** A hosted runner of an organization. */
export const runner = pathResource({
  name: 'runner',
  words: { hosted_runner_id: idOf('hosted_runners') },
  below: 'org',
  query: ({ db, at }, { hosted_runner_id }) => selectRunner(db, at.org.id, hosted_runner_id),
  async lock(tx, at) {
    await lockOrganization(tx, at.org.id);
    return findRunnerForUpdate(tx, at.runner);
  },
});

/** A custom image of an organization, with the number and size of its versions, and the latest one. */
export const image = pathResource({
  name: 'image',
  words: { image_definition_id: idOf('custom_images') },
  below: 'org',
  find: ({ db, at }, { image_definition_id }) => findCountedImage(db, at.org.id, image_definition_id),
  async lock(tx, at) {
    await lockOrganization(tx, at.org.id);
    return findCountedImageForUpdate(tx, at.image);
  },
});

/** A version of a custom image. */
export const version = pathResource({
  name: 'version',
  words: { version: Type.String({ pattern: '^\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$' }) },
  below: image,
  async find({ db, at }, words) {
    const number = parseVersion(words.version);
    return number && findVersion(db, at.image.id, number);
  },
  async lock(tx, at) {
    await lockOrganization(tx, at.org.id);
    return findVersionForUpdate(tx, at.version);
  },
});
