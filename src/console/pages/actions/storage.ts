// Caches.
import { counted, emptyState, pager } from '#console/components/lists.ts';
import { sizeText } from '#console/components/run-state.ts';
import { middleCut } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository } from '#console/frames/repository.ts';
import { page, read } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { attribute, html } from '#html/template.ts';
import { getRepoCacheUsage, listRepoCaches } from '#resources/actions/caches/endpoints.ts';
import { listRepoWorkflows } from '#resources/actions/workflows/endpoints.ts';
import { actionsSide } from './navigation.ts';

const perPage = 50;
const workflows = () => read(listRepoWorkflows, { query: { per_page: 100 } });
const sorts = ['last_accessed_at', 'created_at', 'size_in_bytes'] as const;

export const cachesPage = page({
  path: '/{owner}/{repo}/actions/caches',
  frame: inRepository('actions'),
  reads: ({ query }) => ({
    caches: read(listRepoCaches, {
      query: {
        key: query.key || undefined,
        sort: sorts.find((sort) => sort === query.sort),
        per_page: perPage,
        page: query.page,
      },
    }),
    usage: read(getRepoCacheUsage),
    workflows: workflows(),
  }),
  render({ repository, caches, usage, workflows }, request, { caches: position }) {
    const rows = caches.actions_caches.map(
      ({
        key,
        ref,
        size_in_bytes,
        created_at,
        last_accessed_at,
      }) => html`<li>${icon('package')}<div class="grow"><b class="cut" title="${key}">${middleCut(key, 60)}</b>
<div class="small soft">${middleCut(ref.replace(/^refs\/(?:heads|tags)\//, ''), 40)} · made ${timeAgo(
        created_at,
        request.now,
      )} · used ${timeAgo(last_accessed_at, request.now)}</div></div>
<span class="small">${sizeText(size_in_bytes)}</span></li>`,
    );
    const empty = emptyState({
      icon: 'package',
      title: request.query.key
        ? 'No cache has a key that begins so.'
        : 'Caches that jobs keep for later runs will be listed here.',
    });
    return {
      title: `Caches · ${repository.full_name}`,
      body: html`<div class="split start"><aside>${actionsSide(repository, workflows.workflows, 'caches')}</aside><div>
<div class="heading"><h1>Caches</h1><span
class="soft">${counted(usage.active_caches_count, 'cache')} · ${sizeText(usage.active_caches_size_in_bytes)}</span></div>
<form class="filters" action="${request.address.split('?')[0] ?? ''}"><label>Key begins with<input
name="key"${attribute('value', request.query.key)} autocomplete="off"></label><button>${icon('filter')}Filter</button></form>
<section class="panel">${
        rows.length === 0
          ? empty
          : html`<ul
class="rows">${rows}</ul>`
      }</section>${pager(request, { position, perPage })}</div></div>`,
    };
  },
});
