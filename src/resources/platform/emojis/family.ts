import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { addEmojiImages } from './images.ts';
import * as schemas from './schemas.ts';

export const emojis = family({
  name: 'emojis',
  schemas,
  endpoints: [endpoints],
  routes: addEmojiImages,
});
