// Markdown for previews, which isn't stored.

import { raw } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { fixedValue } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import { loadAutolinks, loadKnown } from '#resources/collaboration/issues/index.ts';
import { linkedHtml, type RepositoryName, referencesOf, renderForAll, renderText } from '#text/render.ts';
import { markdownLimits } from './limits.ts';
import { Html, MarkdownText } from './schemas.ts';

const access = { permission: { none: 'public' } } as const;
const htmlReply = (html: string) => raw('text/html; charset=utf-8', html);

export const renderMarkdown = endpoint({
  id: 'markdown/render',
  method: 'POST',
  path: '/markdown',
  summary: 'Render a Markdown document',
  access,
  body: MarkdownText,
  example: { text: 'Fixes #12, **at last**.', mode: 'gfm', context: 'acme/engine' },
  replies: { 200: Html },
  async handle({ scope, links, caller, body: { text, mode, context } }) {
    checkLength(text);
    const { html } = links;
    if (mode === 'markdown') return htmlReply(await renderText(text, { html, caller }));
    // A repository that doesn't exist and one that the caller may not read both have nothing to link.
    const repository = repositoryOf(context);
    const autolinksOf = await loadAutolinks(scope, [repository]);
    const rendered = await renderForAll({ text, html, breaks: true, autolinks: autolinksOf(repository) }, caller);
    const known = await loadKnown(scope, [{ references: referencesOf(rendered), repository }]);
    return htmlReply(linkedHtml(rendered, text, { html, repository, known }));
  },
});

export const renderRawMarkdown = endpoint({
  id: 'markdown/render-raw',
  method: 'POST',
  path: '/markdown/raw',
  summary: 'Render a Markdown document in raw mode',
  access,
  carries: 'text',
  replies: { 200: Html },
  async handle({ links, caller, text }) {
    return htmlReply(await renderText(text, { html: links.html, caller }));
  },
});

function repositoryOf(context = ''): RepositoryName | undefined {
  const [, owner, repo] = /^([^/]+)\/([^/]+)$/.exec(context) ?? [];
  return owner === undefined || repo === undefined ? undefined : { owner, repo };
}

/** The schema counts characters, and some have several bytes. */
function checkLength(text: string): void {
  const limit = 'texts.rendered';
  const most = fixedValue(markdownLimits.rendered);
  if (Buffer.byteLength(text) <= most) return;
  throw new Refusal('too_large', `The text is too large: ${most} bytes are allowed (${limit})`, [], { limit });
}
