import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { keepSelectable } from './store.ts';

/** A repository of the organization that may be selected for one of its settings. */
export const selectableRepository = pathResource({
  name: 'repository',
  words: { repository_id: idOf('repositories') },
  below: 'org',
  async find({ db, at, viewer }, { repository_id }) {
    const [id] = await keepSelectable(db, at.org.id, [repository_id], viewer.grant);
    return id === undefined ? undefined : { id };
  },
});
