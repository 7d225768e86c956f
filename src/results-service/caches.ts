// The cache service, in the form that `@actions/cache` expects. If the client can continue without a cache, it gets a negative
// reply and not an error.
import { fixedValue } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import { beginCache, cacheLimits, findCacheFor, finishCache, useCache } from '#resources/actions/caches/index.ts';
import { blobAddress, uploadLimits } from '#resources/actions/job-uploads/index.ts';
import type { TwirpMethods } from './twirp.ts';

const uploadTime = fixedValue(uploadLimits.uploadTime);
const downloadTime = fixedValue(cacheLimits.cacheDownloadTime);

export const cacheMethods: TwirpMethods = {
  async CreateCacheEntry({ change, services, links, now, job }, message) {
    const name = { key: message.text('key'), version: message.text('version') };
    const limits = services.resourceLimits.of(cacheLimits);
    return orNo(async () => {
      const upload = await change((scope) => beginCache(scope, job, name, { limits, now }));
      const address = { origin: links.html, id: upload.id, milliseconds: uploadTime };
      return { ok: true, signed_upload_url: blobAddress({ secrets: services.secrets, now }, 'upload', address) };
    });
  },

  async FinalizeCacheEntryUpload({ change, services, now, job }, message) {
    const sent = {
      key: message.text('key'),
      version: message.text('version'),
      size: message.optionalNumber('size_bytes'),
    };
    const limits = services.resourceLimits.of(cacheLimits);
    return orNo(async () => {
      const id = await change((scope) => finishCache(scope, job, sent, { limits, now }));
      return { ok: true, entry_id: String(id) };
    });
  },

  async GetCacheEntryDownloadURL({ db, change, services, links, now, job }, message) {
    const keys = [message.text('key'), ...message.texts('restore_keys')];
    const cache = await findCacheFor(db, job, { keys, version: message.text('version') });
    if (!cache || !(await useCache(change, services.objects, cache, now))) return { ok: false };
    const address = { origin: links.html, id: cache.id, milliseconds: downloadTime };
    const signed_download_url = blobAddress({ secrets: services.secrets, now }, 'cache', address);
    return { ok: true, signed_download_url, matched_key: cache.key };
  },
};

/** The reply, or a negative reply if another job was first. */
async function orNo(work: () => Promise<object>): Promise<object> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'conflict') return { ok: false, message: error.message };
    throw error;
  }
}
