import type { PageContent, PageRequest } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { html, type Insertable } from '#html/template.ts';
import { emptyState, pager } from './lists.ts';
import { dataTable } from './table.ts';

/** The number of rows of a page of settings. */
export const settingsPerPage = 50;

type SettingsList = {
  readonly title: string;
  /** What the list is about, in a sentence. */
  readonly intro: Insertable;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Insertable[])[];
  readonly empty: Parameters<typeof emptyState>[0];
  readonly request: PageRequest;
  /** For lists in pages. */
  readonly position?: ListPosition | undefined;
  /** What stands below the list. */
  readonly more?: Insertable;
};

/** A page of settings that is one list. */
export const settingsList = ({ title, intro, columns, rows, empty, request, position, more }: SettingsList): PageContent => ({
  title,
  body: html`<h1>${title}</h1><p class="soft">${intro}</p>${
    rows.length === 0 ? emptyState(empty) : dataTable({ caption: title, columns, rows })
  }${pager(request, { position, perPage: settingsPerPage })}${more}`,
});
