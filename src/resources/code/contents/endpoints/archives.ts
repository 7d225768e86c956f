// Archives of a commit, and the list of tags.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import type { Repo, Viewer } from '#access/viewer.ts';
import { redirect } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { type Links, path } from '#endpoint/links.ts';
import { pages } from '#endpoint/paging.ts';
import type { Services } from '#endpoint/services.ts';
import type { ArchiveFormat } from '#git/objects/archive.ts';
import { listRefs } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { notFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { getCommitOid, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { archiveName, keyOfCommit } from '../archive-address.ts';
import { archivedCommit } from '../path-resources.ts';
import { RepositoryTag } from '../schemas.ts';
import { archiveTypes, sendArchive } from '../send-archive.ts';
import { presentTags } from '../tags.ts';

/**
 * The redirect names the commit, so that the archive has the requested commit even if the branch moves meanwhile. For a
 * repository that isn't public, its address needs no credential for five minutes.
 */
const archive = { method: 'GET', access: readsContents, replies: { 302: Nothing } } as const;

type ArchiveCall = { at: { repo: Repo; ref: string }; viewer: Viewer; now: Date; links: Links } & {
  services: Pick<Services, 'git' | 'secrets'>;
};

async function redirectTo(format: ArchiveFormat, { at, viewer, now, links, services: { git, secrets } }: ArchiveCall) {
  const oid = await getCommitOid(repoOf(git, at.repo.id), { repo: at.repo, revision: at.ref, refuse: notFound });
  if (at.repo.visibility === 'public')
    return redirect(path(`${repositoryUrlsOf(links, at.repo).url}/archives`, `${oid}.${format}`));
  return redirect(`${links.api}/archives/${keyOfCommit({ secrets, viewer, now }, at.repo, { oid, format })}`);
}

export const getTarball = endpoint({
  ...archive,
  id: 'repos/download-tarball-archive',
  path: '/repos/{owner}/{repo}/tarball/{ref}',
  summary: 'Download a repository archive (tar)',
  handle: (call) => redirectTo('tar.gz', call),
});

export const getZipball = endpoint({
  ...archive,
  id: 'repos/download-zipball-archive',
  path: '/repos/{owner}/{repo}/zipball/{ref}',
  summary: 'Download a repository archive (zip)',
  handle: (call) => redirectTo('zip', call),
});

export const downloadArchive = endpoint({
  id: 'repos/download-archive',
  method: 'GET',
  path: '/repos/{owner}/{repo}/archives/{archive}',
  summary: 'Download an archive of a commit',
  access: readsContents,
  replies: { 200: Type.String() },
  async handle({ at, services: { git } }) {
    const [, commit = '', ending] = /^([0-9a-f]{40})\.(tar\.gz|zip)$/.exec(at.archive) ?? [];
    const format = ending === 'zip' ? 'zip' : 'tar.gz';
    const gitRepository = repoOf(git, at.repo.id);
    const oid =
      commit === '' ? undefined : await getCommitOid(gitRepository, { repo: at.repo, revision: commit, refuse: notFound });
    if (oid === undefined) throw notFound();
    return sendArchive(gitRepository, { oid, format, name: archiveName(at.repo, oid) }, archiveTypes[format]);
  },
});

/** The address doesn't reveal the format, so one type is declared for both. */
const anyArchive = 'application/octet-stream';

export const downloadHandedOutArchive = endpoint({
  id: 'repos/download-handed-out-archive',
  method: 'GET',
  path: '/archives/{commit_key}',
  resources: [archivedCommit],
  summary: 'Download an archive of a commit from the address that was handed out for it',
  access: { permission: { none: 'token_exchange' } },
  replies: { 200: Type.String({ contentMediaType: anyArchive }) },
  async handle({ at: { archivedCommit: archived }, services: { git } }) {
    return sendArchive(repoOf(git, archived.repository), archived, anyArchive);
  },
});

export const listTags = endpoint({
  id: 'repos/list-tags',
  method: 'GET',
  path: '/repos/{owner}/{repo}/tags',
  summary: 'List repository tags',
  access: readsContents,
  paging: pages(),
  replies: { 200: Type.Array(RepositoryTag) },
  async handle({ at, page, links, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const { rows, total } = await listRefs(gitRepository, { prefix: 'refs/tags/', descending: true, ...page });
    return { rows: presentTags(repositoryUrlsOf(links, at.repo), rows), total };
  },
});
