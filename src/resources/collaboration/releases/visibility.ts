import { authorize } from '#access/authorize.ts';
import { writesContents } from '#access/policies.ts';
import type { Repo, Viewer } from '#access/viewer.ts';
import type { ReleaseVisibility } from './store.ts';

/** Drafts are shown to those alone who may write to the repository, by a credential that may. */
export const visibilityOf = (viewer: Viewer, repo: Repo): ReleaseVisibility => ({
  drafts: authorize(writesContents, viewer, { repo }, { write: false }).allowed,
});
