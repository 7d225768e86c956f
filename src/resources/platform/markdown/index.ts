export { markdownLimits } from './limits.ts';
