// The README that the page of a person or an organization shows.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { openObjects } from '#git/objects/objects.ts';
import { repoOf } from '#git/store.ts';
import { fixedValue } from '#lib/limits.ts';
import { orNotFound } from '#lib/refusal.ts';
import { Nullable } from '#lib/shape.ts';
import { textLimits } from '#text/limits.ts';
import { renderText, verbatimHtml } from '#text/render.ts';
import { Rendered } from '#text/rendered-html.ts';
import { resolveCommit, trimSlashes } from '../entries.ts';
import { findReadme } from '../readme.ts';

const maxRendered = fixedValue(textLimits.page);
const markdown = /[.](?:md|markdown|mdown|mkdn?)$/i;

export const getProfileReadme = endpoint({
  id: 'contents/get-profile-readme',
  method: 'GET',
  path: '/repos/{owner}/{repo}/profile-readme',
  summary: 'Get the rendered README of a repository or one of its folders',
  access: readsContents,
  query: Type.Object({ folder: Type.Optional(Type.String({ maxLength: 255 })) }),
  replies: { 200: Type.Object({ path: Type.String(), html: Nullable(Rendered) }) },
  async handle({ at: { repo }, query, links, caller, services: { git } }) {
    const gitRepository = repoOf(git, repo.id);
    const { commit } = await resolveCommit(gitRepository, undefined, repo.default_branch);
    await using reader = await openObjects(gitRepository);
    const file = orNotFound(await findReadme(reader, commit, query.folder && trimSlashes(query.folder)));
    if (file.size > maxRendered) return { path: file.path, html: null };
    const text = (await reader.get(file.oid)).data.toString();
    const html = markdown.test(file.path) ? await renderText(text, { html: links.html, caller }) : verbatimHtml(text);
    return { path: file.path, html };
  },
});
