// The names of emojis, and the addresses of their images.
import { endpoint } from '#endpoint/endpoint.ts';
import { path } from '#endpoint/links.ts';
import { imageFiles } from './catalogue.ts';
import { imageFolder } from './images.ts';
import { Emojis } from './schemas.ts';

export const listEmojis = endpoint({
  id: 'emojis/get',
  method: 'GET',
  path: '/emojis',
  summary: 'Get emojis',
  access: { permission: { none: 'public' } },
  replies: { 200: Emojis },
  async handle({ links }) {
    const folder = links.html + imageFolder;
    return Object.fromEntries([...(await imageFiles())].map(([name, file]) => [name, path(folder, file)]));
  },
});
