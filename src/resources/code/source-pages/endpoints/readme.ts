// The README that the page of a person or an organization shows.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { openObjects } from '#git/objects/objects.ts';
import { orNotFound } from '#lib/refusal.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { getLocation } from '../location.ts';
import { readReadme } from '../rendered-file.ts';
import { RenderedFile } from '../schemas.ts';

export const getProfileReadme = endpoint({
  id: 'source-pages/get-profile-readme',
  method: 'GET',
  path: '/repos/{owner}/{repo}/source/readme',
  summary: 'Get the rendered README of the default branch, or of one of its folders',
  access: readsContents,
  query: Type.Object({ folder: Type.Optional(Type.String({ maxLength: 255 })) }),
  replies: { 200: RenderedFile },
  async handle({ scope, at, query: { folder = '' }, links, caller }) {
    const location = { ...(await getLocation(scope.git, at.repo, '')), path: folder };
    await using reader = await openObjects(location.gitRepository);
    return orNotFound(
      (await readReadme({ links, caller, urls: repositoryUrlsOf(links, at.repo) }, reader, location)) ?? undefined,
    );
  },
});
