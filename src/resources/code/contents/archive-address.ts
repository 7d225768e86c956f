// Addresses of archives of repositories that not everybody may read. They need no credential for a short time, as those of the
// public API: programs that follow a redirect may not send theirs along.
import { findViewerOf } from '#access/authenticate.ts';
import { type Repo, tokenOf, type Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { ArchiveFormat } from '#git/objects/archive.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Id } from '#lib/id.ts';
import { openKey, sealKey } from '#lib/sealed-key.ts';
import type { Secrets } from '#lib/secrets.ts';
import { addSeconds } from '#lib/time.ts';
import { isReadable } from './store.ts';

/** What an address leads to. */
export type ArchivedCommit = {
  repository: Id<'repositories'>;
  /** The token that the address was created with. */
  token: Id<'tokens'>;
  oid: Oid;
  format: ArchiveFormat;
  /** Of the folder in the archive. */
  name: string;
};

const context = 'contents.archive';
const seconds = 300;

/** The name of the folder in an archive, and of the archive. */
export const archiveName = ({ owner, name }: Repo, oid: Oid): string => `${owner.login}-${name}-${oid.slice(0, 7)}`;

/** The key of an address of an archive, for this viewer. */
export function keyOfCommit(
  { secrets, viewer, now }: { secrets: Secrets; viewer: Viewer; now: Date },
  repo: Repo,
  { oid, format }: Pick<ArchivedCommit, 'oid' | 'format'>,
): string {
  const token = tokenOf(viewer.grant);
  if (token === undefined) throw new Error('Private repositories are read by tokens alone');
  const archived: ArchivedCommit = {
    repository: repo.id,
    token,
    oid,
    format,
    name: archiveName(repo, oid),
  };
  return sealKey(secrets, context, { text: JSON.stringify(archived), until: addSeconds(now, seconds) });
}

/** What a key opens; undefined where it expired, isn't ours, or its token may not read the repository any more. */
export async function findArchivedCommit(
  { db, secrets, now }: { db: Db; secrets: Secrets; now: Date },
  key: string,
): Promise<ArchivedCommit | undefined> {
  const text = openKey(secrets, context, { key, now });
  if (text === undefined) return undefined;
  const archived: ArchivedCommit = JSON.parse(text); // nobody else can have written it
  const viewer = await findViewerOf(db, archived.token, now);
  return viewer && (await isReadable(db, viewer, archived.repository)) ? archived : undefined;
}
