import { plainFrame } from '#console/frames/plain.ts';
import { page } from '#console/page.ts';
import { html } from '#html/template.ts';

export const homePage = page({
  path: '/',
  frame: plainFrame,
  render: (_found, { person }) => ({ title: 'Home', body: html`<h1>${person ? `Welcome, ${person.login}` : 'Hearth'}</h1>` }),
});
