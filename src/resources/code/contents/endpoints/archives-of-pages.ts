// Archives for people who are signed in to pages: their sessions have no token to make an address with.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import type { Repo } from '#access/viewer.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import type { Services } from '#endpoint/services.ts';
import type { ArchiveFormat } from '#git/objects/archive.ts';
import { repoOf } from '#git/store.ts';
import { notFound } from '#lib/refusal.ts';
import { getCommitOid } from '#resources/code/commits/index.ts';
import { archiveName } from '../archive-address.ts';
import { archiveTypes, sendArchive } from '../send-archive.ts';

const ofPages = { method: 'GET', access: readsContents, refuses: [409], replies: { 200: Type.String() } } as const;

type ArchiveCall = { at: { repo: Repo; ref: string }; services: Pick<Services, 'git'> };

async function sendOf(format: ArchiveFormat, { at, services: { git } }: ArchiveCall) {
  const gitRepository = repoOf(git, at.repo.id);
  const oid = await getCommitOid(gitRepository, { repo: at.repo, revision: at.ref, refuse: notFound });
  return sendArchive(gitRepository, { oid, format, name: archiveName(at.repo, oid) }, archiveTypes[format]);
}

export const sendTarball = endpoint({
  ...ofPages,
  id: 'repos/send-tarball',
  path: '/repos/{owner}/{repo}/sent-tarballs/{ref}',
  summary: 'Send an archive of a revision (tar)',
  handle: (call) => sendOf('tar.gz', call),
});

export const sendZipball = endpoint({
  ...ofPages,
  id: 'repos/send-zipball',
  path: '/repos/{owner}/{repo}/sent-zipballs/{ref}',
  summary: 'Send an archive of a revision (zip)',
  handle: (call) => sendOf('zip', call),
});
