import { inRepository } from '#console/frames/repository.ts';
import { page } from '#console/page.ts';
import { html } from '#html/template.ts';

export const overviewPage = page({
  path: '/{owner}/{repo}',
  frame: inRepository('code'),
  render: ({ repository }) => ({
    title: repository.full_name,
    ...(repository.description === null ? {} : { description: repository.description }),
    body: html`<h1>${repository.name}</h1><p>${repository.description}</p>`,
  }),
});
