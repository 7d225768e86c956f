import { raw } from '#endpoint/call.ts';
import { type ArchiveFormat, openArchive } from '#git/objects/archive.ts';
import type { GitRepository } from '#git/repo.ts';
import type { ArchivedCommit } from './archive-address.ts';

/** The media types of archives. */
export const archiveTypes = { 'tar.gz': 'application/x-gzip', zip: 'application/zip' } as const satisfies Record<
  ArchiveFormat,
  string
>;

/** An archive of a commit as a reply, which is streamed. */
export const sendArchive = async (
  gitRepository: GitRepository,
  { oid, format, name }: Pick<ArchivedCommit, 'oid' | 'format' | 'name'>,
  type: string,
) =>
  raw(type, await openArchive(gitRepository, { commit: oid, format, prefix: name }), {
    'content-disposition': `attachment; filename=${name}.${format}`,
    etag: `"${oid}-${format}"`,
  });
