// Texts with what a search found in them.
import { html, type Insertable, type TrustedHtml } from '#html/template.ts';

/** What a search found in a text: `indices` count UTF-16 units within the fragment. */
export type ShownMatch = {
  readonly property: string;
  readonly fragment: string;
  readonly matches: readonly { readonly indices: readonly number[] }[];
};

/** A fragment with its matches marked. Those that overlap or lie outside of it are left out. */
export function markedFragment({ fragment, matches }: Pick<ShownMatch, 'fragment' | 'matches'>): TrustedHtml {
  const parts: Insertable[] = [];
  let at = 0;
  const spans = matches.map(({ indices: [start = 0, end = 0] }) => ({ start, end }));
  for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    if (start < at || end <= start || end > fragment.length) continue;
    parts.push(fragment.slice(at, start), html`<mark>${fragment.slice(start, end)}</mark>`);
    at = end;
  }
  return html`${parts}${fragment.slice(at)}`;
}

/** A text with its matches marked, if they were found in all of it; otherwise the plain text. */
export function markedText(text: string, property: string, matches: readonly ShownMatch[] | undefined): TrustedHtml {
  const found = matches?.find((match) => match.property === property && match.fragment === text);
  return found ? markedFragment(found) : html`${text}`;
}
