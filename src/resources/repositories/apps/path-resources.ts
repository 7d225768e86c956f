import type { Viewer } from '#access/viewer.ts';
import { pathResource } from '#endpoint/path-resource.ts';
import { idOf, slugWord } from '#endpoint/path-words.ts';
import type { Id } from '#lib/id.ts';
import { hashToken } from '#lib/token.ts';
import {
  type AppRow,
  findAppById,
  findAppBySlug,
  findInstallation,
  findInstallationForUpdate,
  findManifestCode,
  findManifestCodeForUpdate,
} from './store.ts';

/** The app that authenticated as itself, with a JSON web token or its client secret; undefined for any other viewer. */
export const appOf = ({ grant }: Viewer): Id<'apps'> | undefined =>
  grant.kind === 'app_jwt' || grant.kind === 'client' ? grant.appId : undefined;

/** An app by its slug. A private app is found only by its owner and by itself. OAuth apps aren't found. */
export const appBySlug = pathResource({
  name: 'app',
  words: { app_slug: slugWord },
  below: undefined,
  async find({ db, viewer }, { app_slug }) {
    const app = await findAppBySlug(db, app_slug);
    return app?.kind === 'app' && (app.public || isOwnerOrSelf(viewer, app)) ? app : undefined;
  },
});

const isOwnerOrSelf = ({ account, grant }: Viewer, app: AppRow): boolean =>
  account?.id === app.owner_id || ('appId' in grant && grant.appId === app.id);

/** The app that authenticated with its client secret, by its client id. */
export const appByClientId = pathResource({
  name: 'app',
  words: { client_id: slugWord },
  below: undefined,
  async find({ db, viewer }, { client_id }) {
    const id = appOf(viewer);
    const app = id && (await findAppById(db, id));
    return app?.client_id === client_id ? app : undefined;
  },
});

/** An installation of the authenticated app. */
export const ownInstallation = pathResource({
  name: 'installation',
  words: { installation_id: idOf('installations') },
  below: undefined,
  async find({ db, viewer }, { installation_id }) {
    const app = appOf(viewer);
    return app && findInstallation(db, app, installation_id);
  },
  lock: (tx, at) => findInstallationForUpdate(tx, at.installation),
});

/** The code of a stored app manifest. It is a credential by itself and can be used once, within an hour. */
export const manifestCode = pathResource({
  name: 'manifestCode',
  words: { code: slugWord },
  below: undefined,
  find: ({ db, now }, { code }) => findManifestCode(db, hashToken(code), now),
  lock: (tx, at) => findManifestCodeForUpdate(tx, at.manifestCode),
});
