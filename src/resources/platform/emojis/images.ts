import type { FastifyInstance } from 'fastify';
import { notFound } from '#lib/refusal.ts';
import { findImage } from './catalogue.ts';

/** The path of the images. The public API serves them from another host. */
export const imageFolder = '/images/emoji';

/**
 * Adds the images of emojis. They aren't part of the API: browsers load many together, which doesn't count against rate limits.
 */
export function addEmojiImages(app: FastifyInstance): void {
  app.get<{ Params: { file: string } }>(`${imageFolder}/:file`, async ({ params }, reply) => {
    const image = await findImage(params.file);
    if (image === undefined) throw notFound();
    return reply.type('image/svg+xml; charset=utf-8').header('cache-control', 'public, max-age=86400').send(image);
  });
}
