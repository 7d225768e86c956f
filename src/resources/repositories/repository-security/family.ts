import { family } from '#resources/family.ts';
import { makeAnalysers } from './analysers.ts';
import * as endpoints from './endpoints.ts';
import * as schemas from './schemas.ts';

/**
 * The security products that a repository uses. The switches are columns of repositories, and the family repositories changes
 * them. Here are also the analysers that the server's operator names.
 */
export const repositorySecurity = family({
  name: 'repository-security',
  effect: 'A security product starts or stops working on a repository.',
  page: 'security-products.md',
  schemas,
  endpoints: [endpoints],
  services: { analysers: makeAnalysers },
  operatorFiles: ['analysers.ts'],
});
