// The icons of pages. They are Lucide's (https://lucide.dev), under the ISC licence; see docs/dependencies.md.
import shapes from './icons.json' with { type: 'json' };
import { type TrustedHtml, trustHtml } from './template.ts';

export type IconName = keyof typeof shapes;

const made = new Map<string, TrustedHtml>();

/**
 * An icon beside a text. It is hidden from screen readers, since the text says the same. It refers to the shapes that
 * `iconShapes` adds to the page once.
 */
export function icon(name: IconName, className = ''): TrustedHtml {
  const key = `${name} ${className}`;
  const known = made.get(key);
  if (known) return known;
  const classes = className === '' ? 'icon' : `icon ${className}`;
  const svg = trustHtml(`<svg class="${classes}" viewBox="0 0 24 24" aria-hidden="true"><use href="#icon-${name}"/></svg>`);
  made.set(key, svg);
  return svg;
}

const isIcon = (name: string): name is IconName => Object.hasOwn(shapes, name);

/** The shapes of all icons in a text of HTML, for its end. */
export function iconShapes(text: string): TrustedHtml {
  const names = new Set([...text.matchAll(/<use href="#icon-([a-z-]+)"/g)].map(([, name = '']) => name));
  const symbols = [...names]
    .filter(isIcon)
    .map((name) => `<symbol id="icon-${name}" viewBox="0 0 24 24">${shapes[name]}</symbol>`);
  return trustHtml(`<svg hidden aria-hidden="true">${symbols.join('')}</svg>`);
}
