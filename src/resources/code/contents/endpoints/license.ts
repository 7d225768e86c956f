// The licence file of a repository.
import { Type } from 'typebox';
import { isRaw } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { openObjects } from '#git/objects/objects.ts';
import { repoOf } from '#git/store.ts';
import { notFound } from '#lib/refusal.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { presentLicense } from '#resources/repositories/licenses/index.ts';
import { resolveCommit } from '../entries.ts';
import { findLicenseFile } from '../license.ts';
import { readFile } from '../read.ts';
import { LicenseContent } from '../schemas.ts';

export const getRepositoryLicense = endpoint({
  id: 'licenses/get-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/license',
  summary: 'Get the license for a repository',
  access: { permission: 'contents:read', scopes: ['repo'], role: 'read', public: true },
  query: Type.Object({ ref: Type.Optional(Type.String({ maxLength: 1024 })) }),
  media: ['raw', 'html'],
  replies: { 200: LicenseContent },
  async handle({ at, query, media, links, caller, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const context = {
      gitRepository,
      urls: repositoryUrlsOf(links, at.repo),
      media,
      html: links.html,
      caller,
      resolved: await resolveCommit(gitRepository, query.ref, at.repo.default_branch),
    };
    await using reader = await openObjects(gitRepository);
    const found = await findLicenseFile(reader, context.resolved.commit);
    if (!found) throw notFound();
    const file = await readFile(context, reader, found.file);
    return isRaw(file) ? file : { ...file, license: presentLicense(links, found.license.key) };
  },
});
