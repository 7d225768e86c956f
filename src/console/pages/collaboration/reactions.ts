import { html, type TrustedHtml } from '#html/template.ts';

/** The kinds of reactions, as they are drawn and said. */
const kinds = [
  ['+1', '👍', 'thumbs up'],
  ['-1', '👎', 'thumbs down'],
  ['laugh', '😄', 'laugh'],
  ['hooray', '🎉', 'hooray'],
  ['confused', '😕', 'confused'],
  ['heart', '❤️', 'heart'],
  ['rocket', '🚀', 'rocket'],
  ['eyes', '👀', 'eyes'],
] as const;

/** How often each kind of reaction was given; nothing where there are none. */
export function reactionList(reactions: Readonly<Record<string, unknown>> | undefined): TrustedHtml {
  const given = kinds.flatMap(([name, sign, word]) => {
    const count = Number(reactions?.[name] ?? 0);
    return count > 0
      ? [html`<li title="${word}"><span aria-hidden="true">${sign}</span><span class="unseen">${word}: </span>${count}</li>`]
      : [];
  });
  return given.length === 0 ? html`` : html`<ul class="reactions" aria-label="Reactions">${given}</ul>`;
}
