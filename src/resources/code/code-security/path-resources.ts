import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findConfigurationForUpdate, selectConfiguration } from './store.ts';

/** A configuration that an organization may attach. */
export const securityConfiguration = pathResource({
  name: 'securityConfiguration',
  words: { configuration_id: idOf('security_configurations') },
  below: 'org',
  query: ({ db, at }, { configuration_id }) => selectConfiguration(db, at.org.id, configuration_id),
  lock: (tx, at) => findConfigurationForUpdate(tx, at.securityConfiguration),
});
