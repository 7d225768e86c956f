import { kibi, limitGroup, mebi, moreLimits, seconds } from '#lib/limits.ts';

export const markdownLimits = moreLimits('texts', {
  rendered: {
    value: 400 * kibi,
    unit: 'bytes',
    fixed: true,
    of: 'a text to be rendered by `POST /markdown`',
    past: '413; 422 for more characters',
  },
});

export const imageLimits = limitGroup('images', 'Images of other servers in pages', {
  bytes: { value: 5 * mebi, unit: 'bytes', of: 'an image of another server', past: '413' },
  time: { value: 10 * seconds, unit: 'milliseconds', of: 'loading an image from another server', past: '502' },
  redirects: { value: 3, unit: 'count', of: 'redirects that lead to an image', past: '502' },
  together: { value: 20, unit: 'count', of: 'images that are loaded from other servers at once', past: 'further ones wait' },
  perAddress: { value: 6, unit: 'count', of: 'images that are loaded at once for one address', past: 'further ones wait' },
  waiting: { value: 100, unit: 'count', of: 'images of one address that wait', past: '429 with Retry-After' },
  waitingTime: { value: 15 * seconds, unit: 'milliseconds', of: 'an image to wait for its turn', past: '503 with Retry-After' },
});
