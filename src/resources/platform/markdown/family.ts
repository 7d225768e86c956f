import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { addForeignImages } from './images.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';
import { makeImageLimiter } from './services.ts';

export const markdown = family({
  name: 'markdown',
  limits,
  schemas,
  endpoints: [endpoints],
  routes: addForeignImages,
  services: { imageLimiter: makeImageLimiter },
});
