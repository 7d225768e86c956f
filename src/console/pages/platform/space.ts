import { personLink } from '#console/components/person.ts';
import { timeAgo } from '#console/components/time.ts';
import { ofAccount } from '#console/frames/account.ts';
import { page, read } from '#console/page.ts';
import { html } from '#html/template.ts';
import { getOrgSpace } from '#resources/platform/assistant/endpoints/spaces.ts';

export const spacePage = page({
  path: '/orgs/{org}/spaces/{space_number}',
  frame: ofAccount('overview'),
  reads: () => ({ space: read(getOrgSpace) }),
  render({ space, account }, { now }) {
    const { name, description, general_instructions: instructions, creator, created_at } = space;
    return {
      title: `${name} · ${account.login}`,
      body: html`<h1 dir="auto">${name}</h1><p dir="auto">${description}</p>
<p class="soft small">A space of the assistant, made by ${personLink(creator)} ${timeAgo(created_at, now)}</p>
${
  instructions
    ? html`<section class="panel"><header><h2>Instructions</h2></header><div class="prose plain"
dir="auto">${instructions}</div></section>`
    : ''
}`,
    };
  },
});
