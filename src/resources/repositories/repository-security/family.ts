import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as schemas from './schemas.ts';

/** Which security products a repository uses. The switches are columns of repositories, which that family changes. */
export const repositorySecurity = family({ name: 'repository-security', schemas, endpoints: [endpoints] });
