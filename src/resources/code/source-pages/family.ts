import { family } from '#resources/family.ts';
import * as blameEndpoints from './endpoints/blame.ts';
import * as fileEndpoints from './endpoints/files.ts';
import * as folderEndpoints from './endpoints/folders.ts';
import * as historyEndpoints from './endpoints/history.ts';
import * as pathEndpoints from './endpoints/paths.ts';
import { interpreters } from './interpreters.ts';
import * as limits from './limits.ts';

/** What pages show of files, folders and their history, and the API doesn't. */
export const sourcePages = family({
  name: 'source-pages',
  limits,
  interpreters,
  pageEndpoints: [folderEndpoints, fileEndpoints, blameEndpoints, historyEndpoints, pathEndpoints],
});
