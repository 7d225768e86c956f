import { type Links, path } from '#endpoint/links.ts';
import { nodeId } from '#lib/id.ts';
import { findLicense, other } from './catalogue.ts';
import type { SimpleLicense } from './schemas.ts';

/** A licence by the key that a repository has; a key that isn't known (any more) is of another licence. */
export function presentLicense(links: Links, key: string): SimpleLicense {
  const known = findLicense(key);
  const { key: shown, name, spdxId } = known ?? other;
  return {
    key: shown,
    name,
    spdx_id: spdxId,
    url: known ? path(`${links.api}/licenses`, shown) : null,
    node_id: nodeId('License', shown),
  };
}
