// The tree of the files of a diff.
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { countsOf, diffAnchor, type ShownFile, statusIcon } from './diff-parts.ts';

type Folder = { readonly folders: Map<string, Folder>; readonly files: ShownFile[] };

const newFolder = (): Folder => ({ folders: new Map(), files: [] });

/** Deeper folders are joined with their parents, so that names stay readable. */
const maxDepth = 12;

/** The files of a diff by folder. Folders that hold one folder alone are joined with it. */
export function diffTree(files: readonly ShownFile[]): TrustedHtml {
  const root = newFolder();
  for (const file of files) {
    const folders = file.path.split('/').slice(0, -1);
    const names = folders.length > maxDepth ? [...folders.slice(0, maxDepth), folders.slice(maxDepth).join('/')] : folders;
    let folder = root;
    for (const name of names) {
      const inner = folder.folders.get(name) ?? newFolder();
      folder.folders.set(name, inner);
      folder = inner;
    }
    folder.files.push(file);
  }
  return html`<details class="diff-tree" open><summary>Files</summary><nav
aria-label="Changed files">${entries(root)}</nav></details>`;
}

const entries = ({ folders, files }: Folder): TrustedHtml =>
  html`<ul>${[...folders].map(([name, folder]) => folderEntry(name, folder))}${files.map(fileEntry)}</ul>`;

function folderEntry(name: string, folder: Folder): TrustedHtml {
  const [only, ...others] = folder.folders;
  if (only && others.length === 0 && folder.files.length === 0) return folderEntry(`${name}/${only[0]}`, only[1]);
  return html`<li><span class="soft cut" title="${name}">${icon('folder')} ${name}</span>${entries(folder)}</li>`;
}

const fileEntry = (file: ShownFile): TrustedHtml =>
  html`<li><a class="row" href="#${diffAnchor(file.path)}" title="${file.path}">${statusIcon(file)}
<span class="cut">${file.path.slice(file.path.lastIndexOf('/') + 1)}</span><span
class="push small">${countsOf(file)}</span></a></li>`;
