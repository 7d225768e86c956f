// Loads images of other servers for pages, so that those servers don't learn who reads what.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { allowance, callerOf, consumeRequest } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import { withSlot } from '#lib/concurrency-limiter.ts';
import { notFound, Refusal } from '#lib/refusal.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { imagePrefix, imageUrl } from './image-address.ts';
import { imageLimits } from './limits.ts';

/** The types of images. Browsers run nothing in them where they are shown as images, nor otherwise by the policy below. */
const types: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/x-icon',
  'image/vnd.microsoft.icon',
  'image/svg+xml',
]);

/** An SVG that is opened by itself runs no scripts and loads nothing. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

type Image = { readonly type: string; readonly bytes: Buffer };

/** Adds the images of other servers. Their addresses are signed; who has one may load its image. */
export function addForeignImages(app: FastifyInstance, parts: RouteParts): void {
  const { secrets, imageLimiter } = parts.services;
  const path = `${imagePrefix}:signature/:address`;
  app.get<{ Params: { signature: string; address: string } }>(path, async ({ params, ip }, reply) => {
    const url = imageUrl(secrets, params);
    if (!url) throw notFound();
    await countImage(parts, callerOf(anonymous, ip).key);
    return sendImage(reply, await withSlot(imageLimiter, callerOf(anonymous, ip), () => load(parts, url)));
  });
}

/**
 * Counts an image against the address that asks, apart from its pages: nobody makes the server load without end from others.
 * @throws Refusal beyond the limit of pages of signed-in people
 */
async function countImage({ database, services: { limits } }: RouteParts, caller: string): Promise<void> {
  if (!limits.enabled) return;
  const { window } = allowance(limits, 'pages', anonymous);
  const { exceeded } = await consumeRequest(database.db, `images:${caller}`, 'pages', { limit: limits.pages, window });
  if (exceeded) throw new Refusal('too_many', 'Too many images were asked for.', [], { limit: 'rateLimits.pages' });
}

const sendImage = (reply: FastifyReply, { type, bytes }: Image): FastifyReply =>
  reply
    .type(type)
    .header('cache-control', 'public, max-age=3600')
    .header('content-security-policy', policy)
    .header('cross-origin-resource-policy', 'same-origin')
    .send(bytes);

/**
 * Loads an image. Each redirect is checked as the first address is.
 * @throws Refusal for what is no image, too large, or not reachable
 */
async function load({ services }: RouteParts, first: URL): Promise<Image> {
  const { bytes: most, redirects: mostRedirects, time } = services.resourceLimits.of(imageLimits);
  const stopped = AbortSignal.timeout(time);
  let url = first;
  for (let followed = 0; followed <= mostRedirects; followed++) {
    if (services.outbound.refuses(url.href) !== undefined) throw unavailable('Its server is not reachable');
    const headers = { accept: 'image/*', 'user-agent': 'Hearth images' };
    const request = { url, headers, timeout: time, maxBytes: most + 1, stopped };
    const {
      status,
      headers: given,
      body,
    } = await services.outbound.get(request).catch((cause: unknown) => {
      throw unavailable('Its server does not answer', cause);
    });
    const { location } = given;
    if (redirects.has(status) && location !== undefined) {
      url = URL.parse(location, url) ?? url;
      continue;
    }
    const type = (given['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    if (status !== 200 || !types.has(type)) throw unavailable('Its server has no image there');
    if (body.length > most) throw new Refusal('too_large', 'The image is too large', [], { limit: 'images.bytes' });
    return { type, bytes: body };
  }
  throw unavailable('Its server leads on and on');
}

const unavailable = (message: string, cause?: unknown): Refusal =>
  new Refusal('bad_gateway', `The image can't be loaded. ${message}.`, [], { cause });
