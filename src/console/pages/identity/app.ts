// An app: who made it, and what it may do where it is installed.

import { localAddress } from '#console/components/address.ts';
import { permissionTexts } from '#console/components/permissions.ts';
import { personWithAvatar } from '#console/components/person.ts';
import { chips, factList } from '#console/components/table.ts';
import { timeAgo } from '#console/components/time.ts';
import { plainFrame } from '#console/frames/plain.ts';
import { page, read } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html } from '#html/template.ts';
import { getApp } from '#resources/repositories/apps/endpoints/apps.ts';

export const appPage = page({
  path: '/apps/{app_slug}',
  frame: plainFrame,
  reads: () => ({ app: read(getApp) }),
  render({ app }, { links, now }) {
    const permissions = permissionTexts(app.permissions);
    const isOwnAddress = app.external_url === links.html || app.external_url === '';
    return {
      title: `${app.name} · App`,
      ...(app.description === null ? {} : { description: app.description }),
      body: html`<div class="heading"><h1 dir="auto">${app.name}</h1><span class="badge">${icon('package')}app</span></div>
<div class="split"><div class="stack">${
        app.description ? html`<p dir="auto">${app.description}</p>` : html`<p class="soft">This app has no description.</p>`
      }<section class="panel"><header><h2>What it may do where it is installed</h2></header>${
        permissions.length === 0
          ? html`<p class="body soft">It asks for no permissions.</p>`
          : html`<ul class="rows">${permissions.map((text) => html`<li>${text}</li>`)}</ul>`
      }</section><section class="panel"><header><h2>What it is told of</h2></header><div class="body">${
        app.events.length === 0 ? html`<p class="soft">It gets no events.</p>` : chips(app.events)
      }</div></section></div><div class="side"><section>${factList([
        ['Owner', personWithAvatar(app.owner)],
        [
          'Website',
          isOwnAddress
            ? undefined
            : html`<a rel="nofollow noopener" href="${localAddress(app.external_url, links.html)}">${app.external_url}</a>`,
        ],
        ['Acts as', html`<code>${app.slug}[bot]</code>`],
        ['Created', timeAgo(app.created_at, now)],
      ])}</section></div></div>`,
    };
  },
});
