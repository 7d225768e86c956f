import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ViewerContext } from '#endpoint/context.ts';
import { fixedValue, limitTable } from '#lib/limits.ts';
import type { Media } from '#lib/media.ts';
import { plainText, renderText, verbatimHtml } from '#text/render.ts';
import { loadKnown, type TextInRepository } from './known.ts';

/** The media that a reply with texts may be asked for: as it was written, as plain text, as HTML, or all of them. */
export const textMedia = ['raw', 'text', 'html', 'full'] as const satisfies readonly Media[];

const most = fixedValue(limitTable.texts.page);

type Texts<Body> = { body?: Body; body_text?: string; body_html?: string };

/**
 * The texts of a whole page in the media that is asked for. What there is no text of has no rendering either. A page of many long texts
 * renders the first of them, and other requests get their turns between two renderings.
 */
export async function presentTexts<Body extends string | null>(
  context: ViewerContext,
  texts: readonly (Omit<TextInRepository, 'text'> & { text: Body })[],
): Promise<Texts<Body>[]> {
  const { media = 'json', links } = context;
  const asText = media === 'text' || media === 'full';
  const asHtml = media === 'html' || media === 'full';
  if (!asText && !asHtml) return texts.map(({ text }) => ({ body: text }));
  const rendered = firstTexts(texts.flatMap(({ text, repository }) => (text === null ? [] : [{ text, repository }])));
  const known = asHtml ? await loadKnown(context, rendered) : undefined;
  const presented: Texts<Body>[] = [];
  let left = rendered.length;
  for (const { text, repository } of texts) {
    const told: Texts<Body> = media === 'full' ? { body: text } : {};
    presented.push(told);
    if (text === null) continue;
    const renders = left-- > 0;
    if (asText) told.body_text = renders ? plainText(text) : text;
    if (asHtml)
      told.body_html = renders ? renderText(text, { html: links.html, repository, known, breaks: true }) : verbatimHtml(text);
    await nextTurn();
  }
  return presented;
}

/** The first texts of a page, as far as they are rendered. */
function firstTexts(texts: readonly TextInRepository[]): readonly TextInRepository[] {
  let bytes = 0;
  const past = texts.findIndex(({ text }) => {
    bytes += Buffer.byteLength(text);
    return bytes > most;
  });
  return past < 0 ? texts : texts.slice(0, past);
}
