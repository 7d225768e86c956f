import { kibi, moreLimits } from '#lib/limits.ts';

export const markdownLimits = moreLimits('texts', {
  rendered: {
    value: 400 * kibi,
    unit: 'bytes',
    fixed: true,
    of: 'a text to be rendered by `POST /markdown`',
    past: '413; 422 for more characters',
  },
});
