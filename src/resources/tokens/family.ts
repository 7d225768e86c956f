import { family } from '#resources/family.ts';
import * as schemas from './schemas.ts';

export const tokens = family({
  name: 'tokens',
  schemas,
});
