import { setImmediate as nextTurn } from 'node:timers/promises';
import { callerOf } from '#access/rate-limits.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Media } from '#lib/media.ts';
import { textLimits } from '#text/limits.ts';
import {
  linkedHtml,
  plainText,
  type RenderedText,
  type RepositoryName,
  referencesOf,
  renderForAll,
  sizeOfHtml,
} from '#text/render.ts';
import type { RenderedHtml } from '#text/rendered-html.ts';
import { issueTextLimits } from '../limits.ts';
import { loadAutolinks, loadKnown } from './known.ts';

/** The media that a reply with texts may be asked for: as it was written, as plain text, as HTML, or all of them. */
export const textMedia = ['raw', 'text', 'html', 'full'] as const satisfies readonly Media[];

const maxBytes = fixedValue(textLimits.page);
const maxHtml = fixedValue(textLimits.html);
const maxTime = fixedValue(issueTextLimits.pageTime);

/** A text with its repository, to which references such as `#12` belong. */
type TextInRepository<Body> = { readonly text: Body; readonly repository: RepositoryName | undefined };

type Texts<Body> = { body?: Body; body_text?: string; body_html?: RenderedHtml };

/**
 * The texts of a whole page in the media that is asked for. What there is no text of has no rendering either. A page of many long
 * texts renders the first of them, as far as its bytes, its time and its HTML allow; the others are shown as they were written.
 */
export async function presentTexts<Body extends string | null>(
  scope: Scope,
  texts: readonly TextInRepository<Body>[],
): Promise<Texts<Body>[]> {
  const { media = 'json', links, viewer } = scope;
  const asText = media === 'text' || media === 'full';
  const asHtml = media === 'html' || media === 'full';
  if (!asText && !asHtml) return texts.map(({ text }) => ({ body: text }));
  const budget = pageBudget();
  const caller = callerOf(viewer, '');
  const autolinksOf = asHtml ? await loadAutolinks(scope, gather(texts, 'repository')) : undefined;
  const htmlOf = async (text: string, repository: RepositoryName | undefined): Promise<RenderedText> => {
    const wanted = { text, html: links.html, breaks: true, autolinks: autolinksOf?.(repository) };
    const html = await renderForAll(wanted, caller);
    return budget.takesHtml(sizeOfHtml(html, links)) ? html : verbatim;
  };
  const rendered: { html?: RenderedText; plain?: string }[] = [];
  for (const { text, repository } of texts) {
    if (text === null) rendered.push({});
    else if (!budget.takesText(text)) rendered.push({ html: verbatim, plain: text });
    else
      rendered.push({
        ...(asHtml && { html: await htmlOf(text, repository) }),
        ...(asText && { plain: await plainText(text, caller) }),
      });
    await nextTurn();
  }
  const known = asHtml ? await loadKnown(scope, referencesOfPage(texts, rendered)) : undefined;
  return texts.map(({ text, repository }, at) => {
    const { html, plain } = rendered[at] ?? {};
    return {
      ...(media === 'full' && { body: text }),
      ...(asText && plain !== undefined && { body_text: plain }),
      ...(html && text !== null && { body_html: linkedHtml(html, text, { html: links.html, repository, known }) }),
    };
  });
}

const referencesOfPage = (
  texts: readonly TextInRepository<string | null>[],
  rendered: readonly { readonly html?: RenderedText }[],
) =>
  texts.flatMap(({ repository }, at) => {
    const html = rendered[at]?.html;
    return html ? [{ references: referencesOf(html), repository }] : [];
  });

const verbatim: RenderedText = { parts: undefined };

/** What the texts of one page may take. Each function counts what it is given. */
function pageBudget() {
  const end = performance.now() + maxTime;
  let [bytes, characters] = [0, 0];
  return {
    /** Whether a text is rendered. */
    takesText(text: string): boolean {
      bytes += Buffer.byteLength(text);
      return bytes <= maxBytes && performance.now() < end;
    },
    /** Whether HTML of so many characters is shown. What doesn't fit leaves room for what is shorter. */
    takesHtml(size: number): boolean {
      if (characters + size > maxHtml) return false;
      characters += size;
      return true;
    },
  };
}
