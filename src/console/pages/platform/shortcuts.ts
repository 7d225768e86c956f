import { plainFrame } from '#console/frames/plain.ts';
import { page } from '#console/page.ts';
import { html, joined, type TrustedHtml } from '#html/template.ts';

type Shortcut = readonly [keys: string, what: string];

const groups: readonly (readonly [title: string, shortcuts: readonly Shortcut[]])[] = [
  [
    'Everywhere',
    [
      ['/', 'Search'],
      ['?', 'Show this page'],
      ['g h', 'Your work'],
      ['g n', 'Notifications'],
    ],
  ],
  [
    'In a repository',
    [
      ['g c', 'Code'],
      ['g i', 'Issues'],
      ['g p', 'Pull requests'],
      ['g w', 'Workflows'],
      ['t', 'Find a file'],
      ['y', 'Permanent address of a file'],
    ],
  ],
  [
    'In lists',
    [
      ['j', 'Next row'],
      ['k', 'Previous row'],
    ],
  ],
];

/** A sequence of keys, pressed one after the other. */
const keysOf = (keys: string): TrustedHtml =>
  joined(
    keys.split(' ').map((key) => html`<kbd>${key}</kbd>`),
    ' then ',
  );

export const shortcutsPage = page({
  path: '/shortcuts',
  frame: plainFrame,
  render: () => ({
    title: 'Keyboard',
    body: html`<h1>Keyboard</h1><p class="soft">Keys work outside of text fields. Everything can be done without them too.</p>
<div class="shortcuts">${groups.map(
      ([title, shortcuts]) =>
        html`<section class="panel"><header><h2>${title}</h2></header><ul class="rows">${shortcuts.map(
          ([keys, what]) => html`<li><span class="grow">${what}</span><span>${keysOf(keys)}</span></li>`,
        )}</ul></section>`,
    )}</div>`,
  }),
});
