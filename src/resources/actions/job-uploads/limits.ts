import { mebi, minutes, moreLimits } from '#lib/limits.ts';

export const uploadLimits = moreLimits('results', {
  blocks: { value: 10_000, unit: 'count', fixed: true, of: 'blocks of one upload', past: 'further ones are refused' },
  blockName: { value: 256, unit: 'count', fixed: true, of: 'characters of the name of a block', past: '400' },
  blockList: { value: 4 * mebi, unit: 'bytes', fixed: true, of: 'a list of blocks', past: '413' },
  uploadTime: {
    value: 60 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time in which the address of an upload takes bytes',
    past: '404',
  },
});
