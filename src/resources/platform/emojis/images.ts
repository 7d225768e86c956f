import type { FastifyInstance } from 'fastify';
import { notFound } from '#lib/refusal.ts';
import { findImage } from './catalogue.ts';

/** Where the images are. The public API has them on a host of their own. */
export const imageFolder = '/images/emoji';

/** Adds the images of emojis. They aren't part of the API: browsers load many at once, which counts against no limit. */
export function addEmojiImages(app: FastifyInstance): void {
  app.get<{ Params: { file: string } }>(`${imageFolder}/:file`, async ({ params }, reply) => {
    const image = await findImage(params.file);
    if (image === undefined) throw notFound();
    return reply.type('image/svg+xml; charset=utf-8').header('cache-control', 'public, max-age=86400').send(image);
  });
}
