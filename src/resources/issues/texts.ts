import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ViewerContext } from '#endpoint/context.ts';
import type { Media } from '#lib/media.ts';
import { plainText, renderText } from '#text/render.ts';
import { loadKnown, type PlacedText } from './known.ts';

/** The media that a reply with texts may be asked for: as it was written, as plain text, as HTML, or all of them. */
export const textMedia = ['raw', 'text', 'html', 'full'] as const satisfies readonly Media[];

type Texts<Body> = { body?: Body; body_text?: string; body_html?: string };

/**
 * The texts of a whole page in the media that is asked for. What there is no text of has no rendering either. Other requests get their
 * turns between two renderings.
 */
export async function presentTexts<Body extends string | null>(
  context: ViewerContext,
  texts: readonly (Omit<PlacedText, 'text'> & { text: Body })[],
): Promise<Texts<Body>[]> {
  const { media = 'json', links } = context;
  const asText = media === 'text' || media === 'full';
  const asHtml = media === 'html' || media === 'full';
  if (!asText && !asHtml) return texts.map(({ text }) => ({ body: text }));
  const written = texts.flatMap(({ text, place }) => (text === null ? [] : [{ text, place }]));
  const known = asHtml ? await loadKnown(context, written) : undefined;
  const presented: Texts<Body>[] = [];
  for (const { text, place } of texts) {
    const told: Texts<Body> = media === 'full' ? { body: text } : {};
    if (text !== null && asText) told.body_text = plainText(text);
    if (text !== null && asHtml) told.body_html = renderText(text, { html: links.html, place, known, breaks: true });
    presented.push(told);
    await nextTurn();
  }
  return presented;
}
