import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as schemas from './schemas.ts';

export const gitignore = family({
  name: 'gitignore',
  schemas,
  endpoints: [endpoints],
});
