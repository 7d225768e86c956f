import { type Links, path } from '#endpoint/links.ts';
import { nodeId } from '#lib/id.ts';
import { findLicense, type KnownLicense, other } from './catalogue.ts';
import type { License, SimpleLicense } from './schemas.ts';
import { termsOf } from './terms.ts';
import { pageOf, readText } from './texts.ts';

/** The keys of the most common licenses (from the public API). */
export const featured: ReadonlySet<string> = new Set(['apache-2.0', 'gpl-3.0', 'mit']);

/** The license for a repository's key. An unknown key is presented as `other`. */
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

const implementation =
  'Put the text into a file with the name LICENSE in the root of the repository. Where it has blanks for them, fill ' +
  'in the year and the name of the copyright holder.';

/** A license with its text and its terms. */
export function presentWholeLicense(links: Links, license: KnownLicense): License {
  const { description, ...terms } = termsOf(license);
  return {
    ...presentLicense(links, license.key),
    html_url: pageOf(license),
    description,
    implementation,
    permissions: [...terms.permissions],
    conditions: [...terms.conditions],
    limitations: [...terms.limitations],
    body: readText(license),
    featured: featured.has(license.key),
  };
}
