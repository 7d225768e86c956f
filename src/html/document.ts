import { scriptAddress, styleAddress } from './assets.ts';
import { iconShapes } from './icons.ts';
import { attribute, html, type TrustedHtml, trustHtml } from './template.ts';

/** The parts of an HTML document. */
type DocumentParts = {
  /** What is shown, without the name of the server. */
  readonly title: string;
  /** Everything within `body`. */
  readonly body: TrustedHtml;
  readonly description?: string | undefined;
  /** For the one `style` element, which holds colours that are data. */
  readonly nonce: string;
  /** Whether search engines may list the page. */
  readonly isIndexed: boolean;
};

/** A whole HTML document. */
export function htmlDocument({ title, body, description, nonce, isIndexed }: DocumentParts): string {
  const text = body.toString();
  const about = description === undefined ? '' : html`<meta name="description"${attribute('content', description)}>`;
  const head = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Hearth</title>${about}${isIndexed ? '' : html`<meta name="robots" content="noindex">`}
<meta name="color-scheme" content="light dark"><link rel="stylesheet" href="${styleAddress()}">
<link rel="icon" href="/_assets/icon.svg" type="image/svg+xml">${script()}
${hueRules(text, nonce)}</head>`;
  return `${head}<body>${text}${iconShapes(text)}</body></html>`;
}

/** A text and not a template, since bundlers need helpers for templates that end a script. */
const script = (): TrustedHtml => trustHtml(`<script type="module" src="${scriptAddress()}"></script>`);

/** The class of an element with a colour of its own: six hexadecimal digits, or the default for other texts. */
export const hueClass = (color: string): string => (/^[0-9a-f]{6}$/i.test(color) ? `hue-${color.toLowerCase()}` : 'hue-86715d');

/** The rules for all such classes. Inline styles are forbidden by the content security policy. */
function hueRules(text: string, nonce: string): TrustedHtml {
  const colors = new Set([...text.matchAll(/\bhue-([0-9a-f]{6})\b/g)].map(([, color]) => color));
  if (colors.size === 0) return trustHtml('');
  const rules = [...colors].map((color) => `.hue-${color}{--hue:#${color}}`).join('');
  return trustHtml(`<style nonce="${nonce}">${rules}</style>`);
}
