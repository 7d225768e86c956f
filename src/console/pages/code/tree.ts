import { folderTable, readmePanel } from '#console/components/folder.ts';
import { pathLinks, refMenu, sourcePath } from '#console/components/source.ts';
import { inRepository } from '#console/frames/repository.ts';
import { page, read } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html } from '#html/template.ts';
import { getFolder, getRefNames } from '#resources/code/source-pages/endpoints/folders.ts';

export const treePage = page({
  path: '/{owner}/{repo}/tree/{path*}',
  frame: inRepository('code'),
  reads: () => ({ folder: read(getFolder), refs: read(getRefNames) }),
  render({ repository, folder, refs }, request) {
    const { ref, sha, path, type } = folder;
    if (type !== 'dir') return { redirect: sourcePath(repository, 'blob', ref, path) };
    const history = html`<a class="row small keep"
href="${sourcePath(repository, 'commits', ref, path)}">${icon('history')}History</a>`;
    return {
      title: path === '' ? `${repository.full_name} at ${ref}` : `${path} · ${repository.full_name}`,
      body: html`<h1 class="unseen">${path === '' ? `Files at ${ref}` : `Folder ${path}`}</h1><div class="heading">
${refMenu({ repository, location: folder, refs, page: 'tree' })}${pathLinks(repository, folder)}<span class="push"></span>
<a class="button" data-shortcut="t" href="${sourcePath(repository, 'find', ref)}">${icon('search')}Go to file</a>
<a class="button" data-shortcut="y" href="${sourcePath(repository, 'tree', sha, path)}">${icon('link')}Permanent link</a></div>
${folderTable(repository, folder, { request, more: history })}${readmePanel(repository, folder)}`,
    };
  },
});
