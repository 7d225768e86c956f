export { imageAddress } from './image-address.ts';
export { markdownLimits } from './limits.ts';
