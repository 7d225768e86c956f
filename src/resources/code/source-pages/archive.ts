import type { Repo } from '#access/viewer.ts';
import { type Raw, raw } from '#endpoint/call.ts';
import { openArchive } from '#git/objects/archive.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { notFound } from '#lib/refusal.ts';
import { getCommitOid } from '#resources/code/commits/index.ts';
import { archiveName } from '#resources/code/contents/index.ts';

const types = { 'tar.gz': 'application/gzip', zip: 'application/zip' } as const;

/** The archive of a commit, by a revision with the ending of the format, as `main.zip`. @throws Refusal 404 */
export async function readArchive(git: GitStore, repo: Repo, text: string): Promise<Raw> {
  const [, revision = '', ending] = /^(.+)\.(zip|tar\.gz)$/s.exec(text) ?? [];
  if (revision === '') throw notFound();
  const format = ending === 'zip' ? 'zip' : 'tar.gz';
  const gitRepository = repoOf(git, repo.id);
  const commit = await getCommitOid(gitRepository, { repo, revision, refuse: notFound });
  const prefix = archiveName(repo, commit);
  return raw(types[format], await openArchive(gitRepository, { commit, format, prefix }), {
    'content-disposition': `attachment; filename=${prefix}.${format}`,
    etag: `"${commit}-${format}"`,
  });
}
